theory Inductions imports Main
begin

lemma "sum f {0..<n} = sum f {..<n}" for f :: "nat \<Rightarrow> nat"
proof (induct n)
  case 0
  show ?case sorry
next
  case (Suc n)
  note Suc.hyps
  then show ?case sorry
qed

lemma
  fixes xs :: "'a list"
  assumes "P xs"
  shows "length (xs @ ys) = length xs + length ys"
  using assms
proof (induction xs arbitrary: ys)
  case Nil
  then show ?case sorry
next
  case (Cons a as)
  from Cons.prems have "P (a # as)" sorry
  show ?case using Cons.IH sorry
qed

end
