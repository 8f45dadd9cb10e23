theory ContextDefines
  imports Main
begin

context
  fixes a :: nat and twice :: "nat \<Rightarrow> nat" and big :: "nat set"
  defines twice_def: "twice x \<equiv> 2 * x" and "big \<equiv> {n. a < n}"
begin

lemma step: "twice 2 = 4"
  unfolding twice_def by simp

definition thrice :: "nat \<Rightarrow> nat" where
  "thrice x = twice x + x"

lemma "a \<notin> big"
  sorry

lemma "thrice a = 3 * a"
proof -
  have "twice a = 2 * a"
    by (rule twice_def)
  then show ?thesis
    sorry
qed

end

lemma "thrice 1 = 3"
  sorry

lemma "twice 1 = 3"
  using step sorry

lemmas [simp] = sym

lemma "x = (x::nat)"
proof -
  interpret p: semigroup "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat"
    by unfold_locales simp
  have one: "x + 0 = x"
    by simp
  have "p.foo = x"
    sorry
  from one show ?thesis
    sorry
next
  interpret semigroup "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat"
    by unfold_locales simp
  show ?thesis
    sorry
qed

end
