theory Declared_Rules
  imports Main
begin

definition before :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<lhd>" 50) where "x \<lhd> y \<longleftrightarrow> x < y"

lemma before_irrefl [simp]: "\<not> x \<lhd> x"
  by (simp add: before_def)

lemma before_trans [trans]: "x \<lhd> y \<Longrightarrow> y \<lhd> z \<Longrightarrow> x \<lhd> z"
  by (simp add: before_def)

lemma before_Suc [intro!]: "x \<lhd> Suc x"
  by (simp add: before_def)

lemma beforeE [elim]: "x \<lhd> y \<Longrightarrow> (x < y \<Longrightarrow> P) \<Longrightarrow> P"
  by (simp add: before_def)

named_theorems before_facts

lemma before_add [before_facts, simp]: "x \<lhd> x + y \<longleftrightarrow> 0 < y"
  by (simp add: before_def)

definition same :: "nat \<Rightarrow> nat \<Rightarrow> bool" where "same x y \<longleftrightarrow> x = y"

lemma same_sym [sym]: "same x y \<Longrightarrow> same y x"
  by (simp add: same_def)

lemmas [trans] = less_trans

declare Suc_inject [simp del] nat.inject [simp del]

typedef small = "{x :: nat. x < 3}"
  by (rule exI [of _ 0]) simp

instance small :: finite
proof
  show "finite (UNIV :: small set)"
    using type_definition.Abs_image [OF type_definition_small] by (metis finite_Collect_less_nat finite_imageI)
qed

lemma late: "same x x"
  by (simp add: same_def)

end
