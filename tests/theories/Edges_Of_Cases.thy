theory Edges_Of_Cases
  imports Main
begin

text \<open>A statement that follows from one of two cases, from what is shown in each, and from nothing inside them.\<close>

lemma split_by_assumptions:
  fixes n :: nat
  assumes positive: "\<And>m. 0 < m \<Longrightarrow> P m" and zero: "P 0"
  shows "P n"
proof -
  have "n = 0 \<or> 0 < n" by auto
  then show ?thesis
  proof
    assume "n = 0"
    then show ?thesis using zero by simp
  next
    assume "0 < n"
    then show ?thesis by (rule positive)
  qed
qed

lemma considered_in_a_block:
  assumes either: "A \<or> B"
  shows "B \<or> A"
proof -
  consider (left) "A" | (right) "B"
  proof -
    from either show thesis using that by blast
  qed
  then show ?thesis
  proof cases
    case left
    then show ?thesis by (rule disjI2)
  next
    case right
    then show ?thesis by (rule disjI1)
  qed
qed

text \<open>What is obtained follows from what the rule is given.\<close>

lemma witness:
  assumes pa: "P a" and qa: "Q a"
  shows "\<exists>x. P x \<and> Q x"
proof -
  obtain x where "P x" and "Q x" using that[OF pa qa] .
  then show ?thesis by blast
qed

lemma witness_by_a_rule:
  assumes pa: "P a"
  shows "\<exists>x. P x"
proof -
  obtain x where "P x" by (rule that) (rule pa)
  then show ?thesis by (rule exI)
qed

text \<open>Several statements, as a command such as bnf makes them: one concludes an equation of variables, one is unfolded.\<close>

definition twice :: "nat \<Rightarrow> nat"
  where "twice n = 2 * n"

lemma siblings_after_unfolding:
  shows "\<And>b z. b \<in> {z} \<Longrightarrow> b = z" and "\<And>f. map f [] = []" and "\<And>n. twice n = n + n" and "rev [] = []"
  unfolding twice_def
proof -
  fix f :: "'b \<Rightarrow> 'c"
  show "map f [] = []" by (rule list.map(1))
next
  fix n :: nat
  have "2 * n = n + n" by (rule mult_2)
  then show "2 * n = n + n" .
qed simp_all

end
