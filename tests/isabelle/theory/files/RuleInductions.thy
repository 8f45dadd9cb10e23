theory RuleInductions imports Main
begin

inductive evens :: "nat \<Rightarrow> bool" where
  zero: "evens 0"
| step: "evens n \<Longrightarrow> evens (Suc (Suc n))"

lemma assumes "evens m" shows "even m"
  using assms
proof (induction rule: evens.induct)
  case zero
  show ?case sorry
next
  case (step k)
  show ?case sorry
qed

lemma "finite A \<Longrightarrow> finite (f ` A)"
proof (induct A rule: finite_induct)
  case empty
  show ?case sorry
next
  case (insert a B)
  then show ?case sorry
qed

lemma fixes n :: nat shows "n < 2 ^ n"
proof (induction n rule: less_induct)
  case (less m)
  show ?case sorry
qed

lemma "rev (rev xs) = xs"
proof (induct xs rule: rev_induct)
  case (snoc y ys)
  then show ?case sorry
qed simp

end
