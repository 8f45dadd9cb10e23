theory Notation_Elsewhere
  imports Main
begin

locale comm =
  fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl \<open>\<oplus>\<close> 65)
  assumes comm: "x \<oplus> y = y \<oplus> x"
begin

definition g (infixl \<open>\<otimes>\<close> 70) where "x \<otimes> y = y \<oplus> x"

lemma g_comm: "x \<otimes> y = y \<otimes> x"
  by (simp add: g_def comm)

end

locale other = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes swap: "h x y = h y x"
begin

sublocale comm h
  by unfold_locales (rule swap)

lemma "g x y = h y x"
  using g_def sorry

lemma "x \<otimes> y = h y x"
  sorry

end

locale own = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and m :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl \<open>\<otimes>\<close> 70)
  assumes swap: "h x y = h y x"
begin

sublocale P: comm h
  by unfold_locales (rule swap)

lemma "x \<otimes> y = P.g x y"
  sorry

end

locale same = fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes swap: "f x y = f y x"
begin

sublocale comm f
  by unfold_locales (rule swap)

lemma "x \<otimes> y = f y x"
  sorry

end

interpretation plus: comm "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat"
  by unfold_locales simp

lemma "plus.g x y = y + x"
  using plus.g_comm sorry

lemma "x \<otimes> y = y + (x :: nat)"
  sorry

end
