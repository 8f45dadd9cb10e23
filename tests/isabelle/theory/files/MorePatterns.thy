theory MorePatterns
  imports Main
begin

lemma
  fixes f :: "nat \<Rightarrow> nat"
  assumes "f a < f b" (is "?L < _") and "f a = a" (is "?P' a")
  shows "?L < b" and "?P' b"
proof -
  show "?L < b" sorry
  show "?P' b" sorry
qed

lemma
  fixes n :: nat
  assumes "\<exists>i. i < n \<and> xs ! i = y" (is "\<exists>i. ?Q i \<and> ?R i y")
  shows "\<exists>i. i < n" (is ?goal)
proof -
  obtain j where j: "?Q j \<and> ?R j y" sorry
  then have "?Q j" (is "_ < ?top") sorry
  then have "j \<noteq> ?top" sorry
  show ?goal sorry
qed

lemma "A = {x. P x} \<Longrightarrow> finite A" (is "_ \<Longrightarrow> ?F'")
proof -
  assume "A = {x. P x}" (is "_ = ?set")
  then have "?set \<subseteq> A" (is "?l \<subseteq> ?r") sorry
  then have "?r = ?l" sorry
  then obtain a b where "a \<in> ?l \<or> b \<in> ?r" (is "?one \<or> ?two") sorry
  then show ?F'
  proof
    assume ?one
    then show ?F' sorry
  next
    assume ?two
    then show ?F' sorry
  qed
qed

lemma
  fixes x :: nat
  shows "x + 0 = x" (is "?P x" is "?a = ?b")
proof -
  have "?P 4" sorry
  have "?a = ?b" sorry
  have "(\<Sum>i<n. 2 * i) = n * (n - 1)" (is "sum ?f ?I = _") for n :: nat
  proof -
    have "?f 3 = 6" and "finite ?I" sorry
    show ?thesis sorry
  qed
  have "n \<le> n + m" (is "?low \<le> ?high") for n m :: nat sorry
  let "?u + _" = "x + 7"
  have "?u = x" sorry
  show ?thesis sorry
qed

end
