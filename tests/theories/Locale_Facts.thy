theory Locale_Facts
  imports Main
begin

locale magma =
  fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl "\<bullet>" 70)
begin

abbreviation square :: "'a \<Rightarrow> 'a" where "square x \<equiv> x \<bullet> x"

end

locale commutative = magma +
  assumes commute: "x \<bullet> y = y \<bullet> x"
begin

lemma swapped: "square (x \<bullet> y) = square (y \<bullet> x)"
proof -
  have "x \<bullet> y = y \<bullet> x" by (rule commute)
  then show ?thesis by simp
qed

lemma again: "square (x \<bullet> y) = square (y \<bullet> x)"
  using swapped .

end

lemma (in commutative) outside: "x \<bullet> y = y \<bullet> x"
  using commute .

interpretation plus: commutative "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat"
proof
  fix x y :: nat
  show "x + y = y + x" by (rule add.commute)
qed

lemma interpreted: "(x :: nat) + y = y + x"
  by (rule plus.outside)

context
  fixes f :: "'a \<Rightarrow> 'a"
  assumes idempotent: "f (f x) = f x"
begin

lemma premise_of_the_context: "f (f (f x)) = f x"
proof -
  have "f (f (f x)) = f (f x)" by (rule idempotent)
  also have "\<dots> = f x" by (rule \<open>f (f x) = f x\<close>)
  finally show ?thesis .
qed

end

lemma locally:
  fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes "\<And>x y. f x y = f y x"
  shows "f a b = f b a"
proof -
  interpret commutative f
    by standard (rule assms)
  show ?thesis by (rule outside)
qed

context linorder
begin

lemma constants_of_the_class:
  assumes "a < b"
  shows "max a b = b"
proof -
  from assms have "a \<le> b" by (rule less_imp_le)
  then show ?thesis by (simp add: max_def)
qed

end

end
