theory Attributes imports Main
begin

definition twice :: "nat \<Rightarrow> nat" where "twice n = n + n"

lemma twice_less: "a < b \<Longrightarrow> c \<le> twice a \<Longrightarrow> c < twice b"
  unfolding twice_def by simp

lemma twice_more: assumes "x > y" shows "twice x > y"
  using assms unfolding twice_def by simp

lemma general: "f x = (y :: 'b) \<Longrightarrow> y = f x"
  by simp

lemma all_less: "\<forall>m. m < n \<longrightarrow> twice m < twice n"
  unfolding twice_def by auto

lemma
  fixes k m :: nat
  assumes km: "k < m" and "k \<le> twice k"
  shows "k < twice m"
proof -
  have "k < twice m" using twice_less[of k m k] sorry
  have "k < twice m" using twice_less[OF km] sorry
  have "k < twice m" using twice_less [OF assms] sorry
  have "k < twice m" using twice_less[OF _ assms(2), of m] sorry
  have "k < twice m" using twice_less[where b = m and c = "k + 0"] sorry
  have "k < twice m" using km[THEN twice_less] sorry
  have "k < twice m" using twice_more[of m] sorry
  have "k < twice m" using twice_def[symmetric] sorry
  have "k < twice m" using twice_def[of k, symmetric] and km[simp] sorry
  have "k < twice m" using all_less[rule_format, OF km] sorry
  have "k < twice m" using general[of Suc k] general[where 'b = bool] sorry
  have "k < twice m" using twice_less[simplified] twice_def[unfolded One_nat_def] km sorry
  have "k < twice m" using twice_less[of k m k k k] twice_less[where q = k] twice_less[OF twice_def] sorry
  show ?thesis sorry
qed

lemma
  fixes P Q :: "'a \<Rightarrow> bool"
  assumes pq: "\<And>x. P x \<Longrightarrow> Q x" and "P a" and every: "\<forall>x. Q x \<longrightarrow> P x" and r: "\<And>x y. R x y \<Longrightarrow> Q y"
  shows "Q a"
proof -
  have "Q a" using pq[of a] sorry
  have "Q a" using pq[OF assms(2)] sorry
  have "Q a" using every[THEN spec, of a] every[rule_format] sorry
  have "Q a" using r[of a] r[of _ a] r[where y = a] sorry
  note here = pq[OF assms(2)]
  have "Q a" using here sorry
  note there = pq[simplified]
  have "Q a" using there here sorry
  from there have "Q b" sorry
  have "P a" using every[THEN spec, THEN mp, OF here] sorry
  have "finite A \<Longrightarrow> card B \<le> card A" if "B \<subseteq> A" for A B :: "nat set" using card_mono[OF _ that] sorry
  have "x + y = y + (x :: nat)" for x y using add.commute[of x y] sorry
  have "x + y = y + (x :: nat)" for x y using add.commute[of x] sorry
  show ?thesis sorry
qed

end
