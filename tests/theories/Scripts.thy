theory Scripts
  imports Main
begin

lemma with_premises: "A \<and> B \<Longrightarrow> B \<and> A"
  apply (rule conjI)
  subgoal premises prems
    using prems by (rule conjunct2)
  subgoal by (erule conjunct1)
  done

lemma for_parameters: "\<And>x. P x \<Longrightarrow> \<exists>y. P y"
  subgoal premises p for x
  proof -
    show ?thesis using p by (rule exI)
  qed
  done

definition double :: "nat \<Rightarrow> nat" where "double n = n + n"

lemma double_mono:
  assumes le: "m \<le> n"
  shows "double m \<le> double n"
  unfolding double_def
  using le
  apply (intro add_mono)
   apply assumption
  apply (simp only: le)
  done

lemma supplied:
  assumes "xs = ys"
  shows "ys = xs"
  supply eq = assms
  by (rule eq [symmetric])

lemma collection: "(a + b) * c = c * b + (c * a :: int)"
  by (simp add: algebra_simps)

end
