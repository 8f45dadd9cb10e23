theory Own_Sublocales
  imports Main
begin

locale op =
  fixes f :: "'v \<Rightarrow> 'v \<Rightarrow> 'v" and e :: 'v
  assumes unit: "f e x = x"
begin

definition twice where "twice x = f x x"

lemma twice_e: "twice e = e"
  by (simp add: twice_def unit)

end

locale pair = fixes g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d :: 'a
  assumes swapped: "g x d = x"
begin

sublocale Q: op "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

lemma "g d x = x"
  sorry

lemma "Q.twice x = x"
  sorry

lemma "Q.twice x = g d x"
  sorry

end

locale claimed = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and c :: 'a

sublocale claimed < S: op h c
  sorry

lemma (in claimed) "S.twice c = c"
  sorry

lemma (in claimed) "h c x = x"
  sorry

interpretation bad: op "(+)" "1 :: nat"
  sorry

lemma "bad.twice 1 = 1"
  sorry

lemma "1 + x = (x :: nat)"
  sorry

interpretation add: op "(+)" "0 :: nat"
  by unfold_locales simp

lemma "add.twice 1 = 1"
  sorry

lemma "add.twice x = bad.twice 1"
  sorry

locale comm = fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes comm: "f x y = f y x"
begin

definition g (infixl \<open>\<otimes>\<close> 70) where "x \<otimes> y = f y x"

lemma g_comm: "x \<otimes> y = y \<otimes> x"
  by (simp add: g_def comm)

end

locale own = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and m :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl \<open>\<otimes>\<close> 70)
  assumes swap: "h x y = h y x"
begin

sublocale comm h
  by unfold_locales (rule swap)

lemma "x \<otimes> y = y \<otimes> x"
  sorry

end

end
