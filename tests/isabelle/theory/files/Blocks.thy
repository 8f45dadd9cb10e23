theory Blocks imports Main
begin

lemma "(\<forall>x. P x) \<longrightarrow> (\<forall>x. Q x) \<longrightarrow> (\<forall>x. P x \<and> Q x)"
proof (intro impI allI)
  fix x
  assume p: "\<forall>x. P x" and q: "\<forall>x. Q x"
  show "P x \<and> Q x" sorry
qed

lemma "True"
proof -
  {
    fix n :: nat
    assume "n > 0"
    then have "Suc (n - 1) = n" by simp
  }
  note outside = this
  have "Suc (5 - 1) = 5" using outside sorry
  show ?thesis ..
qed

lemma "A \<and> B \<longleftrightarrow> B \<and> A"
proof
  assume "A \<and> B"
  then show "B \<and> A" sorry
next
  assume "B \<and> A"
  then show "A \<and> B" sorry
qed

end
