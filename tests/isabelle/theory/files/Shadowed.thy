theory Shadowed imports Main
begin

definition max :: "nat \<Rightarrow> nat \<Rightarrow> nat" where "max a b = a"
definition length :: "'a list \<Rightarrow> nat" where "length xs = 0"
datatype 'a option = Missing | Some 'a

lemma "max 1 2 = 1" sorry
lemma "length [1, 2] = 0" sorry
lemma "Orderings.max 1 (2 :: nat) = 2" sorry
lemma "Some x \<noteq> Missing" sorry
lemma fixes x :: "nat option" shows "x = Missing \<or> (\<exists>n. x = Some n)" sorry

end
