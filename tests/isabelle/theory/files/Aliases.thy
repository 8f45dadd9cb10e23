theory Aliases imports Main
begin

definition a :: nat where "a = 1"
lemmas a_is = a_def
lemmas a_both [simp] = a_def a_is
declare a_def [simp]
hide_const (open) a

lemma "Aliases.a = 1" using a_is sorry
lemma "a = a" sorry

end
