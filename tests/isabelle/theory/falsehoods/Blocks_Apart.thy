theory Blocks_Apart imports Main
begin

lemma "A \<or> B \<Longrightarrow> C"
proof -
  assume "A \<or> B"
  {
    assume C
    then have "C \<and> C" by simp
  }
  have "C" sorry
  then show "C" .
qed

lemma fixes n :: nat shows "n = 0"
proof (cases n)
  case 0
  then show ?thesis .
next
  case (Suc m)
  then show ?thesis sorry
qed

lemma fixes n :: nat shows "n < 5"
proof (induct n)
  case 0
  show ?case by simp
next
  case (Suc n)
  then show ?case sorry
qed

lemma "\<exists>x :: nat. x > 3"
proof -
  have "y > 3" if "y > 4" for y :: nat using that by simp
  have "(y :: nat) > 3" sorry
  show ?thesis by auto
qed

end
