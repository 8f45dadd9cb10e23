theory Attributes
  imports Main
begin

lemma modified:
  assumes imp: "A \<Longrightarrow> B \<Longrightarrow> C" and a: "A" and b: "B"
  shows "C"
proof -
  have "B \<Longrightarrow> C" by (rule imp [OF a])
  from imp [OF a b] show "C" .
qed

lemma nested_attributes:
  assumes ab: "A \<Longrightarrow> B" and bc: "B \<Longrightarrow> C" and a: "A"
  shows "C"
  by (rule bc [OF ab [OF a]])

lemma declaration_only:
  fixes a b :: nat
  assumes eq: "a = b"
  shows "b = a"
proof -
  note eq [simp]
  note flipped = eq [symmetric]
  show ?thesis using flipped by (rule refl [THEN trans])
qed

lemma selections:
  assumes abc: "A" "B" "C"
  shows "B \<and> C"
  using abc(2-3) by (rule conjI)

lemma instantiated:
  assumes "\<forall>x. P x"
  shows "P a"
  using assms [THEN spec, of a] by simp

lemma taken_away:
  fixes x :: nat
  assumes a: "x \<le> y"
  shows "x \<le> y + 0"
  using a by (simp add: add_0_right del: Suc_eq_plus1 split del: if_split cong del: if_weak_cong)

end
