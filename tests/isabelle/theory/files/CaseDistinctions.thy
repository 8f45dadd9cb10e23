theory CaseDistinctions imports Main
begin

lemma fixes n :: nat shows "n = 0 \<or> 0 < n"
proof (cases n)
  case 0
  then show ?thesis sorry
next
  case (Suc m)
  then show ?thesis sorry
qed

lemma "(if b then x else x) = x"
proof (cases b)
  case True
  then show ?thesis sorry
next
  case False
  show ?thesis using False sorry
qed

lemma fixes xs :: "'a list" shows "xs = [] \<or> hd xs \<in> set xs"
proof (cases xs)
  case (Cons y ys)
  then show ?thesis sorry
qed simp

end
