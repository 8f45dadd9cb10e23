theory Unterminated imports Main
begin

fun up :: "nat \<Rightarrow> nat" where "up n = Suc (up n)"

function down :: "nat \<Rightarrow> nat" where "down n = (if n > 10 then n else down (n + 1))"
  by auto

function steps :: "nat \<Rightarrow> nat" where
  "steps 0 = 0"
| "steps (Suc n) = Suc (steps n)"
  by pat_completeness auto
termination by lexicographic_order

lemma "up 0 = 0" sorry
lemma "down 11 = 11" sorry
lemma "steps 2 = 2" sorry

end
