theory Asking
  imports Complex_Main "IsarStep.IsarStep"
begin

text \<open>Every way to ask, in contexts of every kind. The tests put addresses in place of the names between at signs.\<close>

declare [[isarstep_server = "@SERVER@"]]


subsection \<open>Where the command can stand\<close>

lemma chained:
  fixes a b :: int
  assumes square: "2 * b\<^sup>2 = a\<^sup>2"
  shows "\<exists>c. a = 2 * c"
proof -
  from square
  isarstep (*chained*)
  have "even (a\<^sup>2)" by (metis dvd_triv_left)
  then have "even a" by simp
  isarstep [methods = 5, steps = 3] (*methods*)
  then show ?thesis
    isarstep [methods = 5.0] (*prove*)
    by (auto simp: dvd_def)
qed

lemma listed:
  fixes x y :: nat
  assumes less: "x < y" and bound: "y < 5"
  shows "x + 1 < 6"
proof -
  isarstep [methods = 5] less bound (*listed*)
  show ?thesis using assms by simp
qed


subsection \<open>Contexts\<close>

lemma induction: "sum f {..<n::nat} \<le> sum (\<lambda>i. \<bar>f i\<bar>) {..<n}" for f :: "nat \<Rightarrow> int"
proof (induct n)
  case 0
  show ?case by simp
next
  case (Suc k)
  isarstep [steps = 1] (*induction*)
  then show ?case by simp
qed

lemma fixed_inside: "\<forall>x::nat. x < 3 \<longrightarrow> (\<exists>y. x < y \<and> y < 4)"
proof (intro allI impI)
  fix x :: nat
  assume "x < 3"
  obtain y where "y = Suc x" by simp
  isarstep [steps = 1] (*fixed_inside*)
  have "x < 3" by fact
  then show "\<exists>y. x < y \<and> y < 4" by (intro exI [of _ 3]) simp
qed

locale pointed =
  fixes point :: 'a and op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl \<open>\<otimes>\<close> 70)
  assumes unit: "x \<otimes> point = x"
begin

lemma twice: "x \<otimes> point \<otimes> point = x"
proof -
  isarstep [steps = 1] (*locale*)
  show ?thesis by (simp add: unit)
qed

end

context ordered_ab_group_add
begin

lemma minus_minus_le: "a \<le> b \<Longrightarrow> - b \<le> - a"
proof -
  assume "a \<le> b"
  then
  isarstep [steps = 1] (*class*)
  show ?thesis by simp
qed

end

definition doubled :: "'a list \<Rightarrow> 'a list"
  where "doubled xs = xs @ xs"

lemma own_constant: "length (doubled xs) = 2 * length xs"
  isarstep [steps = 1] (*own_constant*)
  by (simp add: doubled_def)

notepad
begin
  isarstep (*no_goal*)
end


subsection \<open>What can go wrong\<close>

lemma unharmed: "A \<and> B \<longrightarrow> B \<and> A"
proof
  assume "A \<and> B"
  isarstep [server = "@DOWN@"] (*down*)
  isarstep [server = "@SLOW@", timeout = 1] (*slow*)
  isarstep [server = "@GARBAGE@"] (*garbage*)
  isarstep [server = "@CUT@"] (*cut*)
  isarstep [server = "@MUTE@"] (*mute*)
  isarstep [server = "@BUSY@"] (*busy*)
  isarstep [server = "@STRANGE@"] (*strange*)
  isarstep [server = "@FLOOD@"] (*flood*)
  isarstep [server = "@NO_TERMS@"] (*no_terms*)
  isarstep [server = "nonsense"] (*bad_address*)
  show "B \<and> A" using \<open>A \<and> B\<close> by blast
qed

end
