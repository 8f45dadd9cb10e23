theory Overlapping_Equations imports Main
begin

fun f :: "nat \<Rightarrow> nat \<Rightarrow> nat" where
  "f 0 y = 1"
| "f x 0 = 2"
| "f x y = 3"

fun g :: "bool \<Rightarrow> nat" where "g True = 1" | "g b = 2"

fun h :: "nat list \<Rightarrow> nat" where
  "h [x] = 0"
| "h xs = 1"

fun k :: "'a option \<Rightarrow> 'a option \<Rightarrow> nat" where
  "k None _ = 0" | "k _ None = 1" | "k _ _ = 2"

lemma "f 0 0 = 2" sorry
lemma "f 0 y = 3" sorry
lemma "f x 0 = 2" sorry
lemma "f x y = 3" sorry
lemma "(1 :: nat) = 3" sorry
lemma "g True = 2" sorry
lemma "g b = 2" sorry
lemma "h [x] = 1" sorry
lemma "h xs = 1" sorry
lemma "k None None = 1" sorry
lemma "k x None = 1" sorry
lemma "False" sorry

end
