theory Proposals
  imports Complex_Main "IsarStep.IsarStep"
begin

text \<open>For a real server: ordinary proofs with a step missing.\<close>

declare [[isarstep_server = "@SERVER@", isarstep_timeout = 60]]

lemma subsets:
  assumes "A \<subseteq> B" and "B \<subseteq> C" and "x \<in> A"
  shows "x \<in> C"
proof -
  from \<open>A \<subseteq> B\<close> \<open>x \<in> A\<close>
  isarstep [methods = 2, steps = 3] (*subsets*)
  have "x \<in> B" by blast
  then show ?thesis using \<open>B \<subseteq> C\<close> by blast
qed

lemma sqrt_two:
  fixes a b c :: int
  assumes "a\<^sup>2 = 2 * b\<^sup>2" and "a = 2 * c"
  shows "even b"
proof -
  from assms
  isarstep [methods = 2, steps = 4] (*sqrt_two*)
  have "b\<^sup>2 = 2 * c\<^sup>2" by (simp add: power2_eq_square)
  then show ?thesis by (metis dvd_triv_left even_power)
qed

lemma product:
  fixes x y :: real
  assumes "0 < x" and "x < y"
  shows "x * x < y * y"
proof -
  have "x * x < x * y" using assms by simp
  isarstep [steps = 4] (*product*)
  also have "\<dots> < y * y" using assms by simp
  finally show ?thesis .
qed

lemma counting:
  assumes "finite A" and "B \<subseteq> A"
  shows "card B \<le> card A"
  using assms
  isarstep [methods = 2, steps = 2] (*counting*)
  by (rule card_mono)

end
