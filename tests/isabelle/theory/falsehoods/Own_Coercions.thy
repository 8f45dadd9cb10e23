theory Own_Coercions
  imports Main
begin

definition zero_of :: "nat \<Rightarrow> int" where "zero_of n = 0"
declare [[coercion_enabled]]
declare [[coercion zero_of]]

lemma fixes n :: nat and x :: int shows "x = n \<Longrightarrow> x = int n"
  sorry

lemma fixes n :: nat and x :: int shows "(3 :: nat) = (3 :: int)"
  sorry

definition len :: "'a list \<Rightarrow> nat" where "len xs = 0"
declare [[coercion "len :: nat list \<Rightarrow> nat"]]

lemma "([1, 2] :: nat list) + (0 :: nat) = 2"
  sorry

end
