theory MoreFunInductions imports Main
begin

function search :: "(nat \<Rightarrow> nat list) \<Rightarrow> nat list \<Rightarrow> nat list \<Rightarrow> nat list" where
  "search g [] ys = ys"
| "search g (x # xs) ys = (if length ys > 9 then ys else if x \<in> set ys then search g xs ys else search g (g x @ xs) (x # ys))"
  by pat_completeness auto
termination
  by (relation "inv_image (less_than <*lex*> less_than) (\<lambda>(g, xs, ys). (10 - length ys, length xs))") auto

lemma "set ys \<subseteq> set (search g xs ys)"
proof (induct g xs ys rule: search.induct)
  case (1 g ys)
  then show ?case sorry
next
  case (2 g x xs ys)
  have "length ys > 9 \<or> x \<in> set ys" sorry
  from 2 show ?case sorry
qed

fun walk :: "nat list \<Rightarrow> nat \<times> nat \<Rightarrow> nat" where
  "walk [] p = fst p"
| "walk (x # xs) p = (let (a, b) = p; c = a + b in case xs of [] \<Rightarrow> walk xs (a, c) | y # ys \<Rightarrow> walk ys (x, y))"

lemma "walk xs p \<ge> 0"
proof (induction xs p rule: walk.induct)
  case (1 p)
  then show ?case sorry
next
  case (2 x xs p)
  from "2.IH"(1) have "fst p \<ge> 0" sorry
  from "2.IH"(2) have "snd p \<ge> 0" sorry
  show ?case sorry
qed

fun even_steps :: "nat \<Rightarrow> bool" where
  "even_steps 0 = True"
| "even_steps (Suc n) = (n > 0 \<longrightarrow> (case n of 0 \<Rightarrow> True | Suc m \<Rightarrow> even_steps m))"

lemma "even_steps n \<or> n > 0"
proof (induct n rule: even_steps.induct)
  case 1
  then show ?case sorry
next
  case (2 n)
  from 2 have "n = n" sorry
  show ?case sorry
qed

end
