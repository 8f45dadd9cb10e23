theory Several imports Main
begin

fun f :: "nat \<Rightarrow> nat" and g :: "nat \<Rightarrow> nat" where
  "f 0 = 0"
| "f (Suc n) = Suc (g n)"
| "g 0 = 0"
| "g (Suc n) = f n"

lemma
  fixes n :: nat
  shows "f n \<le> n" and low: "g n \<le> n"
proof (induct n)
  case 0
  case 1
  show ?case sorry
next
  case 0
  case 2
  show ?case sorry
next
  case (Suc m)
  {
    case 1
    show ?case using Suc sorry
  next
    case 2
    show ?case using Suc(1) sorry
  }
qed

lemma
  fixes xs ys :: "'a list"
  assumes "length ys = k"
  shows "length (xs @ ys) = length xs + k" and "k \<ge> 0"
  using assms
proof (induct xs arbitrary: ys)
  case (Cons x zs)
  case 1
  then show ?case sorry
qed auto

end
