theory Imports imports Main
begin

locale magma =
  fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl "\<oplus>" 65)
  assumes assoc: "(x \<oplus> y) \<oplus> z = x \<oplus> (y \<oplus> z)"
begin
definition twice where "twice x = x \<oplus> x"
end

locale commuting = magma f for f +
  assumes comm: "f x y = f y x"

lemma (in commuting) "f x (f y z) = f z (f y x)" sorry

lemma (in commuting) "twice (f x y) = f (twice x) (twice y)" sorry

locale morphism = magma f + magma g for f (infixl "\<otimes>" 70) and g :: "nat \<Rightarrow> nat \<Rightarrow> nat" +
  fixes h :: "'a \<Rightarrow> nat" and k
  assumes homo: "h (x \<otimes> y) = g (h x) (h y)" and "k x = x"

lemma (in morphism) "h (x \<otimes> y \<otimes> z) = g (h x) (g (h y) (h z))" sorry

lemma (in morphism) "twice x = x" sorry

locale two = magma f + magma g for f g
lemma (in two) "f x (f y z) = f (f x y) z \<and> g u (g v w) = g (g u v) w" sorry

locale same = magma + commuting "(\<oplus>)"
lemma (in same) "x \<oplus> y = y \<oplus> x" sorry

locale prefixed = left: magma f for f
lemma (in prefixed) "f x y = f y x" sorry

locale by_number = magma "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat"
lemma (in by_number) "(0 :: nat) = 0" sorry

locale undeclared = magma f + fixes n :: nat
lemma (in undeclared) "n = n" sorry

locale wrong_type = magma f for f :: "nat \<Rightarrow> bool"
lemma (in wrong_type) "f n" sorry

end
