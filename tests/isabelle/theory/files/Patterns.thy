theory Patterns imports Main
begin

lemma "(\<exists>x. P x) \<longrightarrow> (\<exists>y. P y)" (is "?A \<longrightarrow> ?B")
proof
  assume ?A
  show ?B sorry
qed

lemma "a + b = b + (a :: nat)" (is "?l = ?r")
proof -
  let "?f x" = "x + (1 :: nat)"
  have "?f ?l = ?f ?r" sorry
  then show ?thesis by simp
qed

lemma "\<forall>n. Q n" (is "\<forall>n. ?R n")
proof
  fix k
  show "?R k" sorry
qed

lemma "True" (is "_ = ?x")
proof -
  show "?x" sorry
qed

end
