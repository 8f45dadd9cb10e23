theory Considered imports Main
begin

lemma
  fixes n m :: nat
  shows "n = 0 \<or> n \<ge> 1"
proof -
  consider (zero) "n = 0" | (more) k where "n = Suc k" "k \<ge> 0" sorry
  then show ?thesis
  proof cases
    case zero
    then show ?thesis sorry
  next
    case (more j)
    have "n \<ge> 1" using more(1) sorry
    then show ?thesis sorry
  qed
next
  consider c: "n < m" | "n = m" | "n > m" sorry
  then have "True"
  proof (cases)
    case 1
    show True sorry
  next
    case 3
    show True sorry
  qed
next
  consider (a) "n < m" | (b) "m \<le> n" by linarith
  then have "n < m \<or> m \<le> n" by (cases) auto
  from this consider (left) "n < m" | (right) "m \<le> n" sorry
  then have "n = n"
  proof (cases rule: nothing_known)
    case left
    show "n = n" sorry
  qed
qed

lemma split_up:
  fixes n :: nat
  obtains (zero) "n = 0" | (more) k where "n = Suc k"
  by (cases n) auto

lemma
  fixes m :: nat
  shows "m = 0 \<or> m > 0"
proof (cases m rule: split_up)
  case zero
  then show ?thesis sorry
next
  case (more j)
  then show ?thesis sorry
qed

end
