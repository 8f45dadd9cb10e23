theory Unclear imports Main
begin

lemma "P \<Longrightarrow> P"
proof (rule someunknownrule)
  case foo
  show ?case sorry
qed

lemma "x + (y :: nat) = y + x"
proof (induct rule: nat_induct)
  case (1 n)
  then show ?case sorry
qed

lemma "P x"
  sorry

end
