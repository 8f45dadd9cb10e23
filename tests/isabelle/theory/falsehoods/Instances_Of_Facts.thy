theory Instances_Of_Facts imports Main
begin

lemma one_more: "a \<le> b \<Longrightarrow> a \<le> b + (1 :: nat)" by simp

lemma other: "\<exists>y. y \<noteq> (x :: nat)" by (rule exI[of _ "Suc x"]) simp

lemma finitely: "finite (UNIV :: 'a :: finite set)" by simp

lemma turned: "x = y \<Longrightarrow> y = (x :: 'a)" by simp

lemma swap: "x * y = y * (x :: 'a :: comm_monoid_mult)" by (rule mult.commute)

lemma "(5 :: nat) \<le> 3 + 1" using one_more[of 5 3] sorry

lemma "(5 :: nat) \<le> 3" using one_more[of 3 5] sorry

lemma "\<exists>y. y \<noteq> (y :: nat)" using other[of y] sorry

lemma fixes y :: nat shows "y \<noteq> y" using other[where x = y] sorry

lemma "finite (UNIV :: nat set)" using finitely[where 'a = nat] sorry

lemma fixes f g :: "nat \<Rightarrow> nat" shows "f (g x) = g (f x)" using swap[of f g] sorry

lemma fixes a b :: nat assumes "a \<le> b" shows "b \<le> a" using assms[symmetric] sorry

lemma fixes a b :: nat assumes "a \<noteq> b" shows "a = b" using assms[symmetric] sorry

lemma fixes a b :: nat assumes h: "a = b \<Longrightarrow> b = Suc a" shows "a = b" using h[symmetric] turned[of a b] sorry

lemma
  fixes P :: "nat \<Rightarrow> nat \<Rightarrow> bool"
  assumes "\<And>x. P x x"
  shows "P 0 1"
proof -
  fix x y
  have "P x x" using assms[of x] by simp
  show "P 0 1" using assms[of 0] assms[of 1] sorry
qed

lemma
  fixes P :: "nat \<Rightarrow> bool"
  assumes some: "\<exists>x. P x" and all: "\<forall>x. P x \<longrightarrow> P (Suc x)"
  shows "P 0"
proof -
  have "P 0 \<longrightarrow> P 2" using all by (simp add: numeral_2_eq_2)
  show ?thesis using some[rule_format] all[rule_format, of 0] sorry
qed

lemma fixes n :: nat assumes wrong: "n < 3 \<Longrightarrow> n < 2" shows "n < 2" using wrong[OF refl] sorry

lemma fixes n :: nat assumes wrong: "n < 3 \<Longrightarrow> n < 2" shows "n < 3" using wrong[of n] wrong[simplified] sorry

lemma fixes n :: nat assumes wrong: "n < 3 \<Longrightarrow> n < 2" shows "n < 2" using one_more[OF wrong] sorry

end
