theory Imported_Locales imports Main
begin

locale commutes =
  fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes comm: "op x y = op y x"

locale idle =
  fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e :: 'a
  assumes unit: "op e x = x"

locale first = commutes f for f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
lemma (in first) "g x y = g y x" sorry

locale both = commutes f + idle g d for f g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d
lemma (in both) "f d x = x" sorry
lemma (in both) "g x y = g y x" sorry
lemma (in both) "g x d = x" sorry

locale apart = commutes f + commutes g for f g
lemma (in apart) "f x y = x" sorry
lemma (in apart) "card (UNIV :: 'p set) = card (UNIV :: 'q set)" sorry

locale turned = idle op e for e :: 'a and op
lemma (in turned) "op x e = x" sorry

locale other_names = idle e op for op :: 'a and e
lemma (in other_names) "e x op = x" sorry
lemma (in other_names) "op = x" sorry

locale at_numbers = commutes f for f :: "nat \<Rightarrow> nat \<Rightarrow> nat" + fixes n :: nat assumes "f n n = 0"
lemma (in at_numbers) "f x y = 0" sorry
lemma (in at_numbers) "n = 0" sorry

end
