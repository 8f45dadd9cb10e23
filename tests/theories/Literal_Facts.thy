theory Literal_Facts
  imports Main
begin

text \<open>The literal fact is the one that is meant, not the first that could be unified with it.\<close>

lemma exact:
  assumes all: "\<And>x. P x" and one: "Q a"
  shows "P a \<and> Q a"
proof -
  have "P a" by (rule all)
  have "P b" by (rule all)
  from \<open>P a\<close> \<open>Q a\<close> show ?thesis ..
qed

lemma instance_of_a_rule:
  assumes "\<And>x. P x"
  shows "P a \<and> P b"
  using \<open>P a\<close> \<open>P b\<close> ..

lemma in_a_method:
  assumes "a = b" and "b = c"
  shows "a = c"
  by (simp add: \<open>a = b\<close> `b = c`)

end
