theory Terms_By_Rules
  imports Main
begin

inductive bal :: "nat list \<Rightarrow> bool" where
  nil: "bal []"
| app: "bal xs \<Longrightarrow> bal ys \<Longrightarrow> bal (xs @ ys)"
| one: "bal xs \<Longrightarrow> bal (n # xs @ [n])"

lemma "bal (v @ w) \<Longrightarrow> even (length (v @ w))"
proof (induction "v @ w" arbitrary: v w rule: bal.induct)
  case (app xs ys)
  have "even (length v)" sorry
  have "xs = v" sorry
  show ?case by (metis app.hyps append_Nil length_append even_add)
next
  case (one xs n)
  have "v = []" using one sorry
  have "xs = []" using one.hyps sorry
  have "n \<noteq> n" sorry
  show ?case using one by simp
qed simp

lemma "bal (m # us) \<Longrightarrow> us \<noteq> []"
proof (induction "m # us" arbitrary: us rule: bal.induct)
  case (app xs ys)
  have "xs = m # us" using app.hyps sorry
  have "bal us" using app sorry
  show ?case using app by auto
next
  case (one xs)
  have "xs = []" using one sorry
  show ?case by simp
qed

abbreviation (mine) rev :: "nat list \<Rightarrow> nat list" where "rev xs \<equiv> xs"

lemma "rev [1, 2] = [2, 1]" sorry

abbreviation (other output) twice :: "nat \<Rightarrow> nat" ("\<bbbA>\<^sub>_" [61] 60) where "twice x \<equiv> x"

lemma "\<bbbA>\<^sub>x = x + x" sorry
lemma "twice 1 = 2" sorry

end
