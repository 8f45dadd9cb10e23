theory Notation_Of_Fixed imports Main
begin

lemma
  fixes less_than :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<sqsubseteq>" 50)
  shows "a \<sqsubseteq> a"
  sorry

lemma
  fixes above :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<le>" 50)
  shows "a \<le> Suc a"
  sorry

lemma
  fixes r :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<sqsubseteq>" 50)
  assumes "\<And>x. x \<sqsubseteq> x"
  shows "a \<sqsubseteq> Suc a"
proof -
  have "a \<sqsubseteq> a" by (rule assms)
  then show ?thesis sorry
qed

lemma
  fixes r :: "nat \<Rightarrow> nat \<Rightarrow> bool" (infix "\<sqsubseteq>" 50)
  shows "a \<sqsubseteq> b \<Longrightarrow> b \<sqsubseteq> a"
  sorry

definition with_eq where "with_eq eq a b = eq a (b :: nat)"

lemma "with_eq eq a b \<Longrightarrow> a = b"
  sorry

lemma "all x \<Longrightarrow> imp x"
  sorry

unbundle lattice_syntax

lemma "(a :: nat set) \<sqinter> b = a \<squnion> b"
  sorry

end
