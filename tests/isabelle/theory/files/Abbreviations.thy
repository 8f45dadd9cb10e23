theory Abbreviations imports Main
begin

abbreviation square :: "nat \<Rightarrow> nat" where "square n \<equiv> n * n"
abbreviation (input) twice where "twice g x \<equiv> g (g x)"

lemma "square 3 = 9" sorry
lemma "twice Suc 0 = 2" sorry

end
