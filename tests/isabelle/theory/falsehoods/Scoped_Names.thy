theory Scoped_Names
  imports Main
begin

context
begin

private definition hidden :: nat where "hidden = 3"
qualified definition far :: nat where "far = 4"
private fun count :: "nat \<Rightarrow> nat" where "count n = 0"
private inductive good :: "nat \<Rightarrow> bool" where "good 0"
qualified definition min :: "nat \<Rightarrow> nat \<Rightarrow> nat" where "min a b = a"
private type_synonym nat = int

lemma "hidden = 4"
  sorry

end

lemma "hidden = (3 :: int)"
  sorry

lemma "far = (4 :: int)"
  sorry

lemma "count n = 0"
  sorry

lemma "good 0"
  sorry

lemma "min a b = a"
  sorry

lemma "\<exists>x :: nat. x + 1 = 0"
  sorry

locale l = fixes n :: "'a \<Rightarrow> 'a"
begin
context
begin
private definition twice where "twice x = n (n x)"
qualified definition thrice where "thrice x = n (n (n x))"
end
lemma "twice x = n (n x)"
  sorry
end

lemma (in l) "thrice x = n (n (n x))"
  sorry

definition gone :: bool where "gone = True"
definition opened :: bool where "opened = True"
hide_const gone
hide_const (open) opened
hide_const rev
definition rev :: "'a list \<Rightarrow> 'a list" where "rev xs = []"

lemma "gone"
  sorry

lemma "opened"
  sorry

lemma "rev (rev xs) = xs"
  sorry

hide_const rev

lemma "rev [] = []"
  sorry

end
