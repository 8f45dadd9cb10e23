theory MoreInductions
  imports Main
begin

datatype 'a tree = Tip | Node "'a tree" 'a "'a tree"

inductive ev :: "nat \<Rightarrow> bool" where
  zero: "ev 0"
| two: "ev n \<Longrightarrow> ev (Suc (Suc n))"

lemma "P xs \<Longrightarrow> Q xs \<Longrightarrow> length xs = n"
proof (induct xs)
  case Nil
  then show ?case sorry
next
  case (Cons x xs)
  then show ?case sorry
qed

lemma "P xs \<Longrightarrow> Q m \<Longrightarrow> length xs = m"
proof (induction xs arbitrary: m)
  case Nil
  then show ?case sorry
next
  case (Cons x xs)
  then have "Q m" sorry
  then show ?case using Cons.IH Cons.prems sorry
qed

lemma
  assumes irrelevant: "B \<or> C" and relevant: "P (n::nat)"
  shows "Q n"
  using assms
proof (induct n)
  case 0
  then show ?case sorry
next
  case (Suc n)
  then show ?case sorry
qed

lemma
  assumes "R y" and "ev n" and "S n"
  shows "even n"
  using assms(2,1,3)
proof induct
  case zero
  then show ?case sorry
next
  case (two n)
  then show ?case sorry
qed

lemma
  assumes "ev n"
  shows "even n"
  using assms
proof (induct n)
  case zero
  then show ?case sorry
next
  case (two n)
  then show ?case sorry
qed

lemma "size (t :: 'a tree) = n"
proof (induct t arbitrary: n rule: tree.induct)
  case Tip
  then show ?case sorry
next
  case (Node l x r)
  then show ?case sorry
qed

lemma
  assumes "length xs = length ys"
  shows "length (zip xs ys) = length ys"
  using assms
proof (induct xs ys rule: list_induct2)
  case Nil
  then show ?case sorry
next
  case (Cons x xs y ys)
  then show ?case sorry
qed

lemma "(n::nat) > 0 \<Longrightarrow> P n"
proof (induct n rule: nat_less_induct)
  case (1 n)
  then show ?case sorry
qed

lemma
  assumes "ev n" "n \<noteq> 0"
  shows "\<exists>m. n = Suc (Suc m) \<and> ev m"
  using assms
proof (cases rule: ev.cases)
  case zero
  then show ?thesis using assms sorry
next
  case (two m)
  then show ?thesis sorry
qed

lemma
  assumes "ev n"
  shows "n = 0 \<or> n > 1"
  using assms
proof cases
  case zero
  then show ?thesis sorry
next
  case (two m)
  then show ?thesis sorry
qed

lemma "xs = [] \<or> (\<exists>ys y. xs = ys @ [y])"
proof (cases xs rule: rev_cases)
  case Nil
  then show ?thesis sorry
next
  case (snoc ys y)
  then show ?thesis sorry
qed

lemma "\<And>k. length xs + k = n"
proof (induct xs)
  case Nil
  then show ?case sorry
next
  case (Cons x xs)
  then show ?case sorry
qed

lemma
  shows "P (xs::nat list)" and "Q xs \<Longrightarrow> R xs"
proof (induct xs)
  case Nil
  {
    case 1
    then show ?case sorry
  next
    case 2
    then show ?case sorry
  }
next
  case (Cons x xs)
  {
    case 1
    then show ?case using Cons sorry
  next
    case 2
    then show ?case using Cons.hyps sorry
  }
qed

lemma
  fixes a :: 'a
  assumes "wf (r :: ('a \<times> 'a) set)"
  shows "P a"
  using assms
proof (induct a rule: wf_induct_rule)
  case (less x)
  then show ?case sorry
qed

lemma
  assumes "list_all2 R xs ys"
  shows "length xs = length ys"
  using assms
proof (induct xs arbitrary: ys)
  case Nil
  then show ?case sorry
next
  case (Cons x xs)
  then show ?case sorry
qed

lemma
  assumes "finite A" "A \<subseteq> B"
  shows "card A \<le> n"
  using assms
proof (induct A)
  case empty
  then show ?case sorry
next
  case (insert x A)
  then show ?case sorry
qed

lemma
  assumes "r\<^sup>*\<^sup>* x y" "P x"
  shows "P y"
  using assms
proof (induct rule: rtranclp_induct)
  case base
  then show ?case sorry
next
  case (step y z)
  then show ?case sorry
qed

lemma
  assumes "r\<^sup>*\<^sup>* x y"
  shows "P x \<longrightarrow> P y"
  using assms
proof (induction)
  case base
  then show ?case sorry
next
  case (step y z)
  then show ?case sorry
qed

lemma "n \<ge> k \<Longrightarrow> P (n::nat)"
proof (induct n rule: dec_induct)
  case base
  then show ?case sorry
next
  case (step m)
  then show ?case sorry
qed

end
