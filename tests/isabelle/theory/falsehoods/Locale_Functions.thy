theory Locale_Functions
  imports Main
begin

locale weighted =
  fixes w :: "nat \<Rightarrow> nat" and base :: nat
begin

fun total :: "nat list \<Rightarrow> nat" where
  "total [] = base"
| "total (x # xs) = w x + total xs"

fun length :: "nat list \<Rightarrow> nat" where
  "length [] = base"
| "length xs = 0"

function odd :: "nat \<Rightarrow> nat" where
  "odd n = Suc (odd n)"
  by auto

lemma "total [] = 0"
  sorry

lemma "length [] = 0"
  sorry

lemma "length [a, b] = 2"
  sorry

lemma "odd 0 = Suc (odd 0)"
  sorry

end

lemma "weighted.total w b [] = 0"
  sorry

lemma "weighted.total f b [x] = weighted.total g b [x]"
  sorry

lemma "weighted.length b xs = List.length xs"
  sorry

locale other =
  fixes base :: nat and w :: "nat \<Rightarrow> nat"
begin

lemma "total [] = base"
  sorry

termination odd
  sorry

lemma "weighted.odd 0 = 1"
  sorry

end

end
