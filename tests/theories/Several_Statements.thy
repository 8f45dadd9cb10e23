theory Several_Statements
  imports Main
begin

lemma siblings:
  fixes x y :: nat
  assumes le: "x \<le> y"
  shows upper: "x \<le> y + 1" and lower: "x \<le> 2 * y"
proof -
  have "y \<le> y + 1" by simp
  with le show "x \<le> y + 1" by (rule order_trans)
  have "y \<le> 2 * y" by simp
  with le show "x \<le> 2 * y" by (rule order_trans)
qed

lemma numbered_cases:
  fixes x y :: nat
  assumes "x \<le> y"
  shows "x < Suc y" and "x \<le> Suc y"
proof goal_cases
  case 1
  show ?case using assms by simp
next
  case 2
  have "x < Suc y" using assms by simp
  then show ?case by simp
qed

lemma together:
  fixes n :: nat
  shows "0 < Suc n" and "n < Suc n"
proof (induct n)
  case 0
  { case 1 show ?case by simp }
  { case 2 show ?case by simp }
next
  case (Suc n)
  { case 1 show ?case by simp }
  { case 2 show ?case using Suc by simp }
qed

lemma conditional_fact:
  fixes P Q R :: "nat \<Rightarrow> bool"
  assumes pq: "\<And>n. P n \<Longrightarrow> Q n" and qr: "\<And>n. Q n \<Longrightarrow> R n" and p: "P 3"
  shows "R 3"
proof -
  have step: "R n" if pn: "P n" for n
  proof -
    have "Q n" using pn by (rule pq)
    then show "R n" by (rule qr)
  qed
  show ?thesis using p by (rule step)
qed

lemma unfinished: "(x :: nat) \<le> x + 1"
proof -
  have "x \<le> x" sorry
  then show ?thesis by simp
qed

end
