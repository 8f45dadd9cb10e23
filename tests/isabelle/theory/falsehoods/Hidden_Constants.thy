theory Hidden_Constants imports Main
begin

definition max :: "nat \<Rightarrow> nat \<Rightarrow> nat" where "max a b = a"
definition length :: "'a list \<Rightarrow> nat" where "length xs = 0"
definition even :: "nat \<Rightarrow> bool" where "even n \<longleftrightarrow> n = 1"
definition rev :: "'a list \<Rightarrow> 'a list" where "rev xs = xs"
definition Suc :: "nat \<Rightarrow> nat" where "Suc n = n"
definition hd :: "'a list \<Rightarrow> nat" where "hd xs = 7"
fun sum_list :: "nat list \<Rightarrow> nat" where "sum_list xs = 0"
abbreviation (input) min :: "nat \<Rightarrow> nat \<Rightarrow> nat" where "min a b \<equiv> a + b"

lemma "max 1 2 = 2" sorry
lemma "max a b = max b a" sorry
lemma "length [x] = 1" sorry
lemma "length (x # xs) = length xs + 1" sorry
lemma "even 2" sorry
lemma "even (n + n)" sorry
lemma "rev [1, 2] = [2, 1 :: nat]" sorry
lemma "Suc 0 = 1" sorry
lemma "Suc n \<noteq> n" sorry
lemma "hd [x] = x" sorry
lemma "sum_list [1, 2] = 3" sorry
lemma "min 1 2 = 1" sorry

end
