theory SetInductions imports Main
begin

lemma assumes "finite A" shows "card (f ` A) \<le> card A"
  using assms
proof (induction set: finite)
  case empty
  then show ?case sorry
next
  case (insert x F)
  then show ?case sorry
qed

end
