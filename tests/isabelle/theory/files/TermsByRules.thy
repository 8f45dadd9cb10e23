theory TermsByRules
  imports Main
begin

inductive bal :: "nat list \<Rightarrow> bool" where
  nil: "bal []"
| app: "bal xs \<Longrightarrow> bal ys \<Longrightarrow> bal (xs @ ys)"
| one: "bal xs \<Longrightarrow> bal (n # xs @ [n])"

lemma on_append: "bal (v @ w) \<Longrightarrow> length (v @ w) mod 2 = 0"
proof (induction "v @ w" arbitrary: v w rule: bal.induct)
  case nil
  then show ?case by simp
next
  case (app xs ys)
  have "v = v" by simp
  have "length xs mod 2 = 0" using app.hyps(2)[of xs "[]"] by simp
  show ?case sorry
next
  case (one xs n)
  have "n # xs @ [n] = v @ w" using one.hyps(3) by simp
  show ?case sorry
qed

lemma on_reverse:
  assumes "bal (rev zs)" and "k < length zs"
  shows "zs ! k = rev zs ! k"
  using assms
proof (induct "rev zs" arbitrary: k rule: bal.induct)
  case nil
  then show ?case by simp
next
  case (app xs ys)
  have "k < length zs" by (rule app.prems)
  have "xs @ ys = rev zs" by (rule app.hyps(5))
  show ?case sorry
next
  case (one xs n)
  have "k < length zs" using one by simp
  show ?case sorry
qed

lemma on_constructor: "bal (m # us) \<Longrightarrow> us \<noteq> []"
proof (induction "m # us" arbitrary: us rule: bal.induct)
  case (app xs ys)
  have "xs @ ys = m # us" using app.hyps by simp
  then show ?case sorry
next
  case (one xs)
  show ?case by simp
qed

fun both :: "nat list \<Rightarrow> nat list \<Rightarrow> nat" where
  "both [] ys = 0"
| "both (x # xs) ys = Suc (both xs ys)"

lemma by_function: "both (rev as) bs \<le> length as"
proof (induction "rev as" bs arbitrary: as rule: both.induct)
  case (1 ys)
  have "[] = rev as" using 1 by simp
  show ?case sorry
next
  case (2 x xs ys)
  have "x # xs = rev as" using "2.hyps" by simp
  show ?case sorry
qed

end
