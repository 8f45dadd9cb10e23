theory Blocks
  imports Main
begin

text \<open>A block in braces hands its last fact on, generalised; an inner proof stays inside.\<close>

lemma brace_block: "(\<forall>x. P x \<longrightarrow> Q x) \<longrightarrow> P a \<longrightarrow> Q a"
proof (intro impI)
  assume all: "\<forall>x. P x \<longrightarrow> Q x" and "P a"
  {
    fix y
    assume "P y"
    with all have "Q y" by simp
  }
  note step = this
  from \<open>P a\<close> show "Q a" by (rule step)
qed

lemma nested_proof:
  assumes a: "A" and b: "B"
  shows "(A \<and> B) \<and> A"
proof
  show "A \<and> B"
  proof
    show "A" by (rule a)
    show "B" by (rule b)
  qed
  have inner: "A"
  proof -
    have deep: "A \<and> A" using a by simp
    show ?thesis using deep by simp
  qed
  show "A" by (rule inner)
qed

end
