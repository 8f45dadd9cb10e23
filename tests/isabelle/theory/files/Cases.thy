theory Cases imports Main
begin

lemma fixes x :: int shows "0 \<le> x * x"
proof (cases "x < 0")
  case True
  then show ?thesis sorry
next
  case False
  then show ?thesis sorry
qed

end
