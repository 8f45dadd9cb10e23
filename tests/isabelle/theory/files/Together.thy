theory Together imports Main
begin

fun even' :: "nat \<Rightarrow> bool" and odd' :: "nat \<Rightarrow> bool" where
  "even' 0 = True"
| "even' (Suc n) = odd' n"
| "odd' 0 = False"
| "odd' (Suc n) = even' n"

lemma "even' 2" sorry

end
