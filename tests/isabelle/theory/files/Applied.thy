theory Applied imports Main
begin

lemma "A \<and> B \<Longrightarrow> B \<and> A"
  apply (erule conjE)
  apply (rule conjI)
  sorry

lemma "A \<Longrightarrow> A"
proof -
  assume "A"
  have "A \<or> B"
    apply (rule disjI1)
    sorry
  show "A" sorry
qed

end
