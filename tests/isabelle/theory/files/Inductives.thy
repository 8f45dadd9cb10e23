theory Inductives imports Main
begin

inductive ev :: "nat \<Rightarrow> bool" where
  zero: "ev 0"
| step: "ev n \<Longrightarrow> ev (Suc (Suc n))"

inductive_set reach :: "('a \<times> 'a) set \<Rightarrow> 'a \<Rightarrow> 'a set" for r :: "('a \<times> 'a) set" and a :: 'a where
  start: "a \<in> reach r a"
| more: "\<lbrakk>b \<in> reach r a; (b, c) \<in> r\<rbrakk> \<Longrightarrow> c \<in> reach r a"

lemma "ev 4" sorry
lemma "\<not> ev 1" sorry
lemma "(a, b) \<in> r \<Longrightarrow> b \<in> reach r a" sorry

end
