theory Endless_Functions imports Main
begin

fun in_case :: "nat \<Rightarrow> nat" where
  "in_case n = (case n of 0 \<Rightarrow> 0 | Suc m \<Rightarrow> Suc (in_case (Suc m)))"

lemma "in_case 1 = Suc (in_case 1)"
  sorry

fun in_let :: "nat list \<Rightarrow> nat" where
  "in_let xs = (let ys = 0 # xs in Suc (in_let ys))"

lemma "in_let xs = Suc (in_let (0 # xs))"
  sorry

fun of_members :: "nat list \<Rightarrow> nat" where
  "of_members xs = sum_list (map (\<lambda>x. Suc (of_members xs)) xs)"

lemma "of_members [0] = Suc (of_members [0])"
  sorry

fun to_the_tail :: "nat list \<Rightarrow> nat" where
  "to_the_tail xs = Suc (to_the_tail (tl xs))"

lemma "to_the_tail [] = Suc (to_the_tail [])"
  sorry

lemma "length xs = 3"
proof (induct xs rule: to_the_tail.induct)
  case (1 xs)
  then show ?case sorry
qed

function waits :: "nat \<Rightarrow> nat" where
  "waits n = Suc (waits n)"
  by auto

lemma "n = Suc n"
proof (induct n rule: waits.induct)
  case (1 n)
  then show ?case sorry
qed

fun of_pairs :: "nat \<times> nat \<Rightarrow> nat" where
  "of_pairs (a, b) = Suc (of_pairs (b, a))"

lemma "of_pairs (a, a) = Suc (of_pairs (a, a))"
  sorry

end
