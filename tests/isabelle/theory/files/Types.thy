theory Types imports Main
begin

type_synonym real = int
type_synonym 'a predicate = "'a \<Rightarrow> bool"
typedecl point
consts origin :: point
consts near :: "point \<Rightarrow> point \<Rightarrow> bool" (infix "~~~" 50)

definition holds :: "'a predicate \<Rightarrow> 'a \<Rightarrow> bool" where "holds p x \<longleftrightarrow> p x"

lemma fixes x :: real shows "x div 1 = x" sorry
lemma "holds (\<lambda>x. x ~~~ origin) p = (p ~~~ origin)" sorry

end
