theory FunInductions imports Main
begin

fun half :: "nat \<Rightarrow> nat" where
  "half 0 = 0"
| "half (Suc 0) = 0"
| "half (Suc (Suc n)) = Suc (half n)"

lemma "half n \<le> n"
proof (induct n rule: half.induct)
  case 1
  then show ?case sorry
next
  case 2
  then show ?case sorry
next
  case (3 m)
  then show ?case sorry
qed

fun merge :: "nat list \<Rightarrow> nat list \<Rightarrow> nat list" where
  "merge [] ys = ys"
| "merge xs [] = xs"
| "merge (x # xs) (y # ys) = (if x \<le> y then x # merge xs (y # ys) else y # merge (x # xs) ys)"

lemma "length (merge xs ys) = length xs + length ys"
proof (induction xs ys rule: merge.induct)
  case (1 zs)
  then show ?case sorry
next
  case (3 a as b bs)
  have "a \<le> b \<Longrightarrow> True" using 3 sorry
  show ?case using "3.IH"(1) sorry
qed

fun through :: "nat list \<Rightarrow> nat" where
  "through [] = 0"
| "through (x # xs) = (case xs of [] \<Rightarrow> 0 | y # ys \<Rightarrow> through ys)"

lemma "through xs = 0"
proof (induct xs rule: through.induct)
  case 1
  then show ?case sorry
qed

end
