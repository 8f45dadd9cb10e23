theory Wrong_Cases imports Main
begin

lemma fixes n m :: nat shows "n < m"
proof -
  consider (a) "n < m" | (b) k where "n = m + k" by (meson less_iff_add linorder_le_less_linear nat_le_iff_add)
  then show ?thesis
  proof cases
    case a
    then show ?thesis .
  next
    case (b k)
    then show ?thesis sorry
  qed
qed

lemma fixes n m :: nat shows "n = m"
proof -
  consider "n < m" | "n = m" | "n > m" by linarith
  then show ?thesis
  proof cases
    case 1
    then show ?thesis sorry
  next
    case 2
    then show ?thesis .
  next
    case 3
    then show ?thesis sorry
  qed
qed

lemma chosen: fixes n :: nat obtains (zero) "n = 0" | (more) k where "n = Suc k"
  by (cases n) auto

lemma fixes a b :: nat shows "a = 0"
proof (cases b rule: chosen)
  case zero
  then show ?thesis sorry
next
  case (more k)
  then show ?thesis sorry
qed

lemma fixes n :: nat shows "n < 5" and "n < 6"
proof (induct n)
  case (Suc n)
  {
    case 2
    have "n < 4" using Suc sorry
    show ?case by simp
  next
    case 1
    have "n < 3" using Suc by simp
    show ?case by simp
  }
qed simp_all

lemma fixes xs :: "nat list" shows "length xs = k" and "xs = rev xs"
proof (induct xs)
  case (Cons x xs)
  case 2
  then show ?case using Cons sorry
qed simp_all

lemma fixes n m :: nat shows "n \<le> m"
proof -
  {
    assume "n = 0"
    have "n \<le> m" using \<open>n = 0\<close> by simp
  next
    assume "m = n"
    have "n = 0" sorry
  }
  show ?thesis sorry
qed

end
