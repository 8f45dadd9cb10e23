theory Overlapping imports Main
begin

fun f :: "nat \<Rightarrow> nat \<Rightarrow> nat" where
  "f 0 y = 1"
| "f x 0 = 2"
| "f x y = 3"

fun g :: "bool \<Rightarrow> nat option \<Rightarrow> nat" where
  "g True (Some n) = n"
| "g b m = 0"

lemma "f 0 0 = 1" sorry
lemma "g False (Some 3) = 0" sorry

end
