theory InnerComments imports Main
begin

definition weighted :: "nat \<Rightarrow> nat" where
  "weighted n = n \<comment> \<open>as it is, \<open>nested\<close>\<close> + 2 * n"

fun steps :: "nat \<Rightarrow> nat" where
  "steps 0 = 0 \<comment> \<open>the end\<close>"
| "steps (Suc n) = Suc (steps n)"

lemma
  assumes "a < b \<comment> \<open>they differ\<close>"
  shows "weighted a < weighted b"
proof -
  have "weighted a = \<^cancel>\<open>2 *\<close> 3 * a" sorry
  then show ?thesis sorry
qed

end
