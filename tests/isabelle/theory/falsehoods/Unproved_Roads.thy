theory Unproved_Roads
  imports Main
begin

consts a :: nat b :: nat c :: nat d :: nat e :: nat

locale positive = fixes n :: nat assumes pos: "n > 0"
lemma (in positive) bad: "n = a" sorry
lemma bad_at_one: "1 = a"
  by (rule positive.bad) (unfold_locales, simp)

lemma "1 = a"
  sorry

lemma twice: "b = c" sorry
locale l = fixes n :: nat
begin

lemma twice: "n = n" by simp
lemma inner: "n = a" sorry

lemma by_prefix: "n = a"
  by (rule local.inner)

lemma "n = a"
  sorry

end
interpretation I: l 3 .

lemma from_twice: "b = c"
  by (rule twice)

lemma "b = c"
  sorry

lemma plain: "d = e" sorry
lemmas other = plain

lemma by_other: "d = e"
  by (rule other)

lemma "d = e"
  sorry

lemma quoted: "d = e"
  by (rule "plain")

lemma "d = e"
  sorry

lemma by_ml: "d = e"
  by (tactic \<open>resolve_tac \<^context> @{thms plain} 1\<close>)

lemma "d = e"
  sorry

lemma noted:
  notes [simp] = plain
  shows "Suc d = Suc e"
  by simp

lemma "Suc d = Suc e"
  sorry

context
  notes twice [simp]
begin

lemma in_context: "Suc b = Suc c"
  by simp

lemma "Suc b = Suc c"
  sorry

end

end
