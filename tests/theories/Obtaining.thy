theory Obtaining
  imports Main
begin

lemma half:
  fixes n :: nat
  assumes even: "even n"
  shows "\<exists>k. n = k + k"
proof -
  from even obtain k where k: "n = 2 * k" ..
  define j where "j = k"
  have "n = j + j" unfolding j_def using k by simp
  then show ?thesis by (rule exI)
qed

lemma two_properties:
  assumes "\<exists>x. P x \<and> Q x"
  shows "\<exists>x. Q x"
proof -
  obtain y where "P y" and q: "Q y"
  proof -
    from assms show thesis using that by blast
  qed
  show ?thesis using q by (rule exI)
qed

lemma same_name_twice:
  assumes "\<exists>x. P x" and "\<exists>x. Q x"
  shows "True \<and> True"
proof
  obtain x where "P x" using assms(1) by blast
  then show True by simp
next
  obtain x where "Q x" using assms(2) by blast
  then show True by simp
qed

end
