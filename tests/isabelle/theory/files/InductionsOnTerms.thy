theory InductionsOnTerms imports Main
begin

lemma "length (rev xs) = length xs"
proof (induct "length xs" arbitrary: xs)
  case 0
  then show ?case sorry
next
  case (Suc n)
  have "Suc n = length xs" using Suc(2) sorry
  from Suc show ?case sorry
qed

lemma
  assumes "distinct xs"
  shows "card (set xs) = length xs"
  using assms
proof (induction "card (set xs)" arbitrary: xs)
  case 0
  from 0 have "set xs = {}" sorry
  then show ?case sorry
next
  case (Suc n ys)
  from Suc.prems have "ys = ys" sorry
  from Suc.hyps(1) have "ys \<noteq> []" sorry
  from Suc.hyps(2) have "True" sorry
  show ?case using Suc.hyps sorry
qed

lemma "length (rev xs) \<le> length xs"
proof (induct xs rule: rev_induct[case_names empty last])
  case empty
  then show ?case sorry
next
  case (last x xs)
  then show ?case sorry
qed

lemma "length xs = length xs"
proof (induct xs rule: measure_induct_rule[of length])
  case (less xs)
  then show ?case sorry
qed

lemma "sum_list xs \<ge> 0" for xs :: "nat list"
proof (induction xs rule: measure_induct_rule[where f = "\<lambda>xs. sum_list xs + length xs"])
  case (less xs)
  from less have "True" sorry
  show ?case using less.IH sorry
qed

lemma
  assumes "finite A" and "finite B"
  shows "card A \<le> card (A \<union> B)"
  using assms
proof (induction A rule: finite_psubset_induct)
  case (psubset A)
  from psubset.IH have "True" sorry
  from psubset.hyps psubset.prems show ?case sorry
qed

lemma
  fixes f :: "nat \<Rightarrow> nat"
  assumes "finite F" "F \<subseteq> A" "\<And>x. x \<in> A \<Longrightarrow> f x = 0"
  shows "sum f F = 0"
  using assms(1,2)
proof (induct F rule: finite_subset_induct)
  case empty
  then show ?case sorry
next
  case (insert a F)
  then show ?case sorry
qed

lemma
  fixes A :: "nat set"
  assumes "finite A" "A \<noteq> {}"
  shows "Max A \<in> A"
  using assms
proof (induct rule: finite_ne_induct)
  case (singleton x)
  then show ?case sorry
next
  case (insert x F)
  then show ?case sorry
qed

lemma
  fixes k i :: int
  assumes "k \<le> i"
  shows "k \<le> i + 1"
  using assms
proof (induct i rule: int_ge_induct)
  case base
  then show ?case sorry
next
  case (step i)
  then show ?case sorry
qed

lemma "n > 0 \<Longrightarrow> n \<le> n * n" for n :: nat
proof (induct n rule: nat_induct_non_zero)
  case 1
  then show ?case sorry
next
  case (Suc n)
  then show ?case sorry
qed

lemma
  assumes "r\<^sup>+\<^sup>+ a b" "\<And>x y. r x y \<Longrightarrow> x < y"
  shows "a < (b :: nat)"
  using assms(1)
proof (induct rule: converse_tranclp_induct)
  case (base y)
  then show ?case sorry
next
  case (step y z)
  then show ?case sorry
qed

lemma
  assumes "wfp r"
  shows "\<not> r a a"
  using assms
proof (induct a rule: wfp_induct_rule)
  case (less x)
  then show ?case sorry
qed

lemma "max a b + min a b = a + b" for a b :: nat
proof (induction a b rule: linorder_wlog)
  case (le a b)
  then show ?case sorry
next
  case (sym a b)
  then show ?case sorry
qed

lemma "a \<le> b \<or> b \<le> a" for a b :: int
proof (cases a b rule: linorder_cases)
  case less
  then show ?thesis sorry
next
  case equal
  then show ?thesis sorry
next
  case greater
  then show ?thesis sorry
qed

lemma "\<bar>z\<bar> \<ge> (0 :: int)"
proof (cases z rule: int_cases)
  case (nonneg n)
  then show ?thesis sorry
next
  case (neg n)
  then show ?thesis sorry
qed

lemma steps:
  assumes "x \<in> A \<union> B" and "x \<noteq> y"
  obtains (left) z where "z \<in> A" and "z = x" | (right) "x \<in> B" "y \<noteq> x"
  using assms by blast

lemma
  assumes "3 \<in> M \<union> (N :: nat set)"
  shows "3 \<in> N \<union> M"
proof -
  have "3 \<noteq> (4 :: nat)" sorry
  from assms this show ?thesis
  proof (cases rule: steps)
    case (left k)
    then show ?thesis sorry
  next
    case right
    then show ?thesis sorry
  qed
qed

lemma
  fixes f :: "nat \<Rightarrow> nat"
  assumes "finite F"
  shows "sum f F \<ge> 0"
proof -
  have "sum f F = sum f F" sorry
  then show ?thesis sorry
qed

end
