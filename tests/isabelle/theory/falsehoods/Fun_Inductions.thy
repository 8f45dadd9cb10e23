theory Fun_Inductions imports Main
begin

fun half :: "nat \<Rightarrow> nat" where
  "half 0 = 0"
| "half (Suc 0) = 0"
| "half (Suc (Suc n)) = Suc (half n)"

lemma "half n = n"
proof (induct n rule: half.induct)
  case 2
  then show ?case sorry
next
  case (3 m)
  then show ?case sorry
qed auto

fun down :: "nat \<Rightarrow> nat \<Rightarrow> nat" where
  "down 0 m = m"
| "down (Suc n) m = (if m = 0 then 0 else down n (m - 1))"

lemma "down n m = 0"
proof (induction n m rule: down.induct)
  case (1 k)
  then show ?case sorry
next
  case (2 j k)
  have "k = 0" using 2 sorry
  show ?case by simp
qed

lemma "down n m \<le> n"
proof (induction n m rule: down.induct)
  case (2 j k)
  have "down j (k - 1) \<le> 0" using "2.IH" sorry
  show ?case by simp
qed auto

end
