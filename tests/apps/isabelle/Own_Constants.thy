theory Own_Constants
  imports Complex_Main "IsarStep.IsarStep"
begin

text \<open>For a real server: what a user has just defined, in five ways, and gaps of which it is the matter.\<close>

declare [[isarstep_server = "@SERVER@", isarstep_timeout = 60, isarstep_steps = 5]]

definition triangle :: "nat \<Rightarrow> nat" where
  "triangle n = n * (n + 1) div 2"

fun weave :: "'a list \<Rightarrow> 'a list \<Rightarrow> 'a list" where
  "weave [] ys = ys"
| "weave (x # xs) [] = x # xs"
| "weave (x # xs) (y # ys) = x # y # weave xs ys"

datatype 'a bush = Bud | Fork "'a bush" 'a "'a bush"

primrec depth :: "'a bush \<Rightarrow> nat" where
  "depth Bud = 0"
| "depth (Fork l x r) = Suc (max (depth l) (depth r))"

inductive reaches :: "('a \<Rightarrow> 'a \<Rightarrow> bool) \<Rightarrow> 'a \<Rightarrow> 'a \<Rightarrow> bool" for r where
  here: "reaches r x x"
| on: "r x y \<Longrightarrow> reaches r y z \<Longrightarrow> reaches r x z"

locale walk =
  fixes step :: "'a \<Rightarrow> 'a" and start :: 'a
begin

definition place :: "nat \<Rightarrow> 'a" where
  "place n = (step ^^ n) start"

end

lemma by_definition:
  assumes "triangle m \<le> triangle n" and "triangle n \<le> k"
  shows "triangle m < Suc k"
proof -
  from assms
  isarstep [methods = 2] (*definition*)
  have "triangle m \<le> k" by (rule order_trans)
  then show ?thesis by (rule le_imp_less_Suc)
qed

lemma by_fun:
  assumes "weave xs ys = zs" and "x \<in> set (weave xs ys)" and "set zs \<subseteq> A"
  shows "x \<in> A"
proof -
  from assms(1, 2)
  isarstep [methods = 2] (*fun*)
  have "x \<in> set zs" by simp
  then show ?thesis using assms(3) by blast
qed

lemma by_fun_again:
  assumes "weave xs ys = weave ys xs" and "set (weave ys xs) \<subseteq> A"
  shows "set (weave xs ys) \<subseteq> A \<union> B"
proof -
  from assms
  isarstep [methods = 2] (*fun_again*)
  have "set (weave xs ys) \<subseteq> A" by simp
  then show ?thesis by blast
qed

lemma by_primrec:
  assumes "depth l \<le> depth r" and "depth r < n"
  shows "Suc (depth l) \<le> n"
proof -
  from assms
  isarstep [methods = 2] (*primrec*)
  have "depth l < n" by (rule le_less_trans)
  then show ?thesis by (rule Suc_leI)
qed

lemma by_inductive:
  assumes "r x y" and "reaches r y z" and "\<And>w. reaches r x w \<Longrightarrow> P w"
  shows "P z"
proof -
  from assms(1, 2)
  isarstep [methods = 2] (*inductive*)
  have "reaches r x z" by (rule on)
  then show ?thesis by (rule assms(3))
qed

lemma (in walk) by_locale:
  assumes "place m \<in> A" and "A \<subseteq> B" and "B \<inter> C = {}"
  shows "place m \<notin> C"
proof -
  from assms(1, 2)
  isarstep [methods = 2] (*locale*)
  have "place m \<in> B" by blast
  then show ?thesis using assms(3) by blast
qed

end
