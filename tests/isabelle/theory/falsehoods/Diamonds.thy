theory Diamonds
  imports Main
begin

locale binary = fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
begin
definition flip where "flip x y = f y x"
abbreviation limit where "limit x \<equiv> f x x"
end

locale neutral = binary + fixes e :: 'a assumes left: "f e x = x"
locale absorbing = binary + fixes z :: 'a assumes zero: "f z x = z"

locale ring_like = add: neutral plus n + mult: absorbing times n
  for plus times :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and n :: 'a

lemma (in ring_like) "times n x = x"
  sorry

lemma (in ring_like) "add.flip x y = mult.flip x y"
  sorry

lemma (in ring_like) "add.flip x n = n"
  sorry

locale turned = neutral "\<lambda>x y. g y x" d for g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d

lemma (in turned) "flip x y = g y x"
  sorry

locale two_types = one: binary p + other: binary q for p :: "'b \<Rightarrow> 'b \<Rightarrow> 'b" and q :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
locale over = two_types q p for p :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and q :: "'b \<Rightarrow> 'b \<Rightarrow> 'b"

lemma (in over) "one.flip x y = q x y"
  sorry

locale at_once = over h h for h :: "nat \<Rightarrow> nat \<Rightarrow> nat" + assumes idle: "h 0 x = x"

lemma (in at_once) "one.flip 0 x = x"
  sorry

interpretation at_once "(+)"
  by unfold_locales simp

lemma "one.flip 1 2 = (4 :: nat)"
  sorry

lemma "at_once h \<Longrightarrow> h 1 2 = (3 :: nat)"
  sorry

lemma "flip x y = f y x"
  sorry

lemma "limit x = limit (limit x)"
  sorry

abbreviation limit :: "nat \<Rightarrow> nat" where "limit k \<equiv> k * 2"

lemma (in neutral) "limit x = x"
  sorry

lemma "limit 1 = 1"
  sorry

locale naming = fixes id :: "nat \<Rightarrow> nat" and comp :: "nat \<Rightarrow> nat"
locale under = naming comp id for id comp + assumes fixed: "comp 0 = 0"

lemma (in under) "map id xs = xs"
  sorry

lemma (in under) "id 0 = 0"
  sorry

context
  fixes n :: nat and P :: "nat \<Rightarrow> bool"
  assumes impossible: "P n \<and> \<not> P n"
begin

lemma wrong: "m = (n :: nat)"
  using impossible by simp

definition more where "more = n + 1"

end

lemma "m = (n :: nat)"
  sorry

lemma "more 3 = 3"
  sorry

end
