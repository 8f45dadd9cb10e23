theory Sublocales
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

lemma "Q.twice x = x"
  sorry

sublocale Q: op "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

lemma "Q.twice d = d"
  using Q.twice_e sorry

lemma "Q.twice x = g x x"
  using Q.twice_def sorry

end

locale more = pair +
  fixes b :: 'a
  assumes "b = d"
begin

lemma "Q.twice b = b"
  using Q.twice_e sorry

end

sublocale pair < R: op "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

lemma (in pair) "R.twice d = d"
  sorry

locale claimed = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and c :: 'a

sublocale claimed < S: op h c
  sorry

lemma (in claimed) "S.twice c = c"
  using S.twice_e sorry

interpretation add: op "(+)" "0 :: nat"
  by unfold_locales simp

lemma "add.twice x = x + x"
  using add.twice_def sorry

lemma "add.twice 0 = 0"
  using add.twice_e [folded add.twice_def] sorry

interpretation append: op "(@)" "[] :: 'a list"
  by unfold_locales simp

lemma "append.twice (xs :: nat list) = xs @ xs"
  using append.twice_def sorry

lemma "twice (0 :: nat) = 0"
  sorry

interpretation bad: op "(+)" "1 :: nat"
  sorry

lemma "bad.twice 1 = 1"
  using bad.twice_e sorry

end
