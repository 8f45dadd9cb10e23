theory Notations imports Main
begin

definition join :: "'a set \<Rightarrow> 'a set \<Rightarrow> 'a set" where "join A B = A \<union> B"
notation join (infixl "\<oplus>" 65)
definition all_below :: "nat \<Rightarrow> (nat \<Rightarrow> bool) \<Rightarrow> bool" where "all_below n P \<longleftrightarrow> (\<forall>i<n. P i)"
definition exactly :: "(nat \<Rightarrow> bool) \<Rightarrow> bool" (binder "EXACTLY " 10) where "exactly P \<longleftrightarrow> (\<exists>!n. P n)"
definition pairing ("\<langle>_,/ _\<rangle>") where "\<langle>x, y\<rangle> = (x, y)"

lemma "A \<oplus> B = B \<oplus> A" sorry
lemma "EXACTLY n. n = 3" sorry
lemma "fst \<langle>x, y\<rangle> = x" sorry
no_notation join (infixl "\<oplus>" 65)
lemma "A \<oplus> B = B \<oplus> A" sorry

end
