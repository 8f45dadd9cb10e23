theory Functions imports Main
begin

fun fact :: "nat \<Rightarrow> nat" where
  "fact 0 = 1"
| "fact (Suc n) = Suc n * fact n"

fun zip2 :: "'a list \<Rightarrow> 'b list \<Rightarrow> ('a \<times> 'b) list" where
  "zip2 (x # xs) (y # ys) = (x, y) # zip2 xs ys"
| "zip2 _ _ = []"

primrec count :: "'a \<Rightarrow> 'a list \<Rightarrow> nat" where
  "count x [] = 0"
| "count x (y # ys) = (if x = y then Suc (count x ys) else count x ys)"

fun halve :: "nat \<Rightarrow> nat" where
  "halve n = (if n = 0 then 0 else Suc (halve (n div 2)))"

lemma "fact 3 = 6" sorry
lemma "zip2 [] ys = []" sorry
lemma "count x (xs @ ys) = count x xs + count x ys" sorry

end
