theory Calculation
  imports Main
begin

lemma equal_chain:
  fixes a b c d :: nat
  assumes ab: "a = b" and bc: "b = c" and cd: "c = d"
  shows "a = d"
proof -
  have "a = b" by (rule ab)
  also have "b = c" by (rule bc)
  also have "\<dots> = d" by (rule cd)
  finally show ?thesis .
qed

lemma mixed_chain:
  fixes a b c :: int
  assumes "a \<le> b" "b < c"
  shows "a < c"
proof -
  have "a \<le> b" using assms(1) .
  also have "b < c" using assms(2) .
  finally have "a < c" .
  then show ?thesis .
qed

lemma gathered:
  assumes "A" "B" "C"
  shows "A \<and> B \<and> C"
proof -
  have "A" by (rule assms)
  moreover have "B" by (rule assms)
  moreover have "C" by (rule assms)
  ultimately show ?thesis by simp
qed

lemma named_rule:
  fixes f :: "nat \<Rightarrow> nat"
  assumes "x = f y" "y = z"
  shows "x = f z"
proof -
  have "x = f y" by fact
  also have "\<dots> = f z" using assms(2) by (rule arg_cong)
  finally (trans) show ?thesis .
qed

end
