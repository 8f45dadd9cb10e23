theory No_Termination imports Main
begin

fun up :: "nat \<Rightarrow> nat" where "up n = Suc (up n)"
function loop :: "nat \<Rightarrow> bool" where "loop n \<longleftrightarrow> \<not> loop n" by auto
function part :: "nat \<Rightarrow> nat" where "part n = part n + 1" by auto
termination sorry
fun grow :: "nat \<Rightarrow> nat" where "grow n = (if n = 0 then 0 else grow (n + 1) + 1)"
fun ring :: "nat \<Rightarrow> nat" and back :: "nat \<Rightarrow> nat" where "ring n = Suc (back n)" | "back n = ring n"
function both :: "nat \<Rightarrow> nat" where "both n = 0" | "both n = 1" sorry
termination by lexicographic_order

lemma "False" sorry
lemma "up 0 = Suc (up 0)" sorry
lemma "loop n" sorry
lemma "part 0 = 1" sorry
lemma "(0 :: nat) = 1" sorry
lemma "grow 1 = 5" sorry
lemma "ring 0 = 0" sorry
lemma "both 0 = 1" sorry

end
