theory Raw imports Main
begin

lemma
  assumes "A \<and> B"
  shows "B \<and> A"
proof (rule conjI)
  { assume c: C
    have "C \<and> A" sorry }
  from assms show B sorry
  from \<open>A \<and> B\<close> show A sorry
qed

end
