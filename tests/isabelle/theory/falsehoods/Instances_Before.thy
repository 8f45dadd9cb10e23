theory Instances_Before imports Main
begin

class grp = fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" assumes assoc: "op (op x y) z = op x (op y z)"

datatype col = Red | Green

instantiation col :: grp
begin

definition op_col :: "col \<Rightarrow> col \<Rightarrow> col" where
  "op_col a b = (if a = Red then Green else if b = Red then Red else Green)"

lemma before: "op (op x y) z = op x (op y (z :: col))" sorry

instance proof
  fix x y z :: col
  show "op (op x y) z = op x (op y z)" sorry
qed

end

datatype num3 = A | B | C

instantiation num3 :: ab_semigroup_add
begin

definition plus_num3 :: "num3 \<Rightarrow> num3 \<Rightarrow> num3" where "plus_num3 a b = a"

instance proof
  fix a b c :: num3
  show "a + b + c = a + (b + c)" by (simp add: plus_num3_def)
  show "a + b = b + a" sorry
qed

end

end
