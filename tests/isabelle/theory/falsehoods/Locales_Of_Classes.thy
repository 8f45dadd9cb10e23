theory Locales_Of_Classes imports Main
begin

locale ordered = order weak strict
  for weak :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<preceq>" 50)
  and strict :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<prec>" 50)
begin

lemma "x \<preceq> Suc x"
  sorry

lemma "0 \<preceq> x"
  sorry

lemma "\<not> x \<preceq> y \<Longrightarrow> y \<preceq> x"
  sorry

lemma "weak = (\<le>)"
  sorry

lemma "(LEAST x. x = 3 \<or> x = 4) = (3 :: nat) \<Longrightarrow> Least (\<lambda>x. x = 3 \<or> x = 4) = 3"
  sorry

lemma "mono f \<Longrightarrow> f (0 :: nat) \<le> (f 1 :: nat)"
  sorry

end

locale of_numbers = fixes f :: "nat \<Rightarrow> nat"
begin

definition shifted where "shifted n = Suc (f n)"

end

global_interpretation plus_two: of_numbers "\<lambda>n. n + 2" .

lemma "plus_two.shifted 1 = 3"
  sorry

lemma "of_numbers.shifted g 1 = 4"
  sorry

context
  notes add.commute[simp]
  fixes plus :: "nat \<Rightarrow> nat \<Rightarrow> nat"
begin

lemma "plus a b = plus b a"
  sorry

end

end
