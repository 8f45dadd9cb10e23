theory Theory_Content
  imports Main
begin

typedecl point

datatype 'a pile = Empty | Piled 'a "'a pile"

abbreviation distinct_from :: "'a \<Rightarrow> 'a \<Rightarrow> bool" where "distinct_from x y \<equiv> \<not> x = y"

definition twice :: "nat \<Rightarrow> nat" where "twice n = 2 * n"

class blessed =
  fixes grace :: 'a

class twice_blessed = blessed + order

instantiation nat :: twice_blessed
begin

definition "grace = (0 :: nat)"

instance ..

end

definition as_nat :: "bool \<Rightarrow> nat" where "as_nat b = (if b then 1 else 0)"

declare [[coercion as_nat]]

lemma folded: "distinct_from (twice 0) 1"
  by (simp add: twice_def)

end
