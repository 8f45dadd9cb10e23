theory Definitions imports Main
begin

definition double :: "nat \<Rightarrow> nat" where "double n = n + n"
definition [simp]: "triple n = n + n + (n :: nat)"
definition same :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<approx>\<approx>" 50) where "x \<approx>\<approx> y \<longleftrightarrow> x = y"
definition empty_def_name where quadruple_def: "empty_def_name = (4 :: int)"

lemma "double (triple n) = 6 * n" sorry
lemma "x \<approx>\<approx> y \<Longrightarrow> y \<approx>\<approx> x" sorry
lemma "empty_def_name = 4" sorry

end
