theory Locale_Constants imports Main
begin

locale adding = fixes plus :: "nat \<Rightarrow> nat \<Rightarrow> nat" (infixl "\<oplus>" 65)
begin
lemma "x \<oplus> 0 = x" sorry
lemma "x \<oplus> y = x + y" sorry
fun many where
  "many 0 x = x"
| "many (Suc n) x = many n x \<oplus> x"
lemma "many 2 x = 3 * x" sorry
definition "length xs = (0 :: nat)"
lemma "length [a] = Suc 0" sorry
end

lemma "adding.length (\<lambda>_ _. 0) [1 :: nat] = 1" sorry

context fixes n :: nat assumes small: "n < 3"
begin
definition "bound = n"
lemma below: "bound < 3" using small by (simp add: bound_def)
end

lemma "bound 5 < 3" sorry
lemma "bound m < 3" sorry

end
