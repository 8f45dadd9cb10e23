theory Calculations imports Main
begin

lemma
  fixes a b c d :: nat
  assumes "a = b" "b \<le> c" "c < d"
  shows "a < d"
proof -
  have "a = b" using assms(1) .
  also have "\<dots> \<le> c" using assms(2) sorry
  also have "... < d" using assms(3) sorry
  finally show ?thesis sorry
qed

lemma
  fixes P Q R :: bool
  assumes "P \<Longrightarrow> Q" "Q \<Longrightarrow> R" "P"
  shows "Q \<and> R"
proof -
  have Q using assms(1,3) by blast
  moreover have R using assms(2) \<open>Q\<close> by blast
  ultimately show ?thesis sorry
qed

end
