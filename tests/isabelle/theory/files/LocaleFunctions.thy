theory LocaleFunctions
  imports Main
begin

locale weighted =
  fixes w :: "'a \<Rightarrow> nat" and base :: nat
  assumes positive: "0 < w x"
begin

fun total :: "'a list \<Rightarrow> nat" where
  "total [] = base"
| "total (x # xs) = w x + total xs"

primrec steps :: "nat \<Rightarrow> nat" where
  "steps 0 = base"
| "steps (Suc n) = Suc (steps n)"

fun plain :: "nat \<Rightarrow> nat" where
  "plain 0 = 0"
| "plain (Suc n) = plain n"

lemma one: "total [x] = w x + base"
  by simp

lemma "length xs \<le> total xs"
proof (induct xs)
  case Nil
  show ?case
    by simp
next
  case (Cons x xs)
  have "0 < w x"
    by (rule positive)
  then show ?case
    using Cons by simp
qed

lemma "steps n = n + base"
  by (induct n) simp_all

lemma "plain n = 0"
proof (induct n rule: plain.induct)
  case 1
  show ?case
    by simp
next
  case (2 n)
  then show ?case
    by simp
qed

end

fun (in weighted) double :: "'a list \<Rightarrow> nat" where
  "double [] = 0"
| "double (x # xs) = 2 * w x + double xs"

lemma (in weighted) "double [x] = 2 * w x"
  by simp

context weighted
begin

function (sequential) halves :: "nat \<Rightarrow> nat" where
  "halves 0 = base"
| "halves n = halves (n div 2)"
  by pat_completeness auto
termination
  by (relation "measure id") auto

lemma "halves 0 = base"
  by simp

end

lemma "weighted.total w b [] = b"
  sorry

end
