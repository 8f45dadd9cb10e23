theory More_Rules imports Main
begin

lemma "x > (5 :: int)"
proof (induct x rule: less_induct)
  case (less x)
  show ?case using less[of "x - 1"] sorry
qed

lemma "x > (5 :: int)"
proof (induct x rule: measure_induct_rule[of "\<lambda>x. x"])
  case (less x)
  show ?case using less[of "x - 1"] sorry
qed

lemma "length xs = 3"
proof (induct "length xs" arbitrary: xs)
  case 0
  then show ?case sorry
next
  case (Suc n)
  show ?case sorry
qed

lemma "length xs < 3"
proof (induction "length xs")
  case 0
  then show ?case by simp
next
  case (Suc n)
  show ?case using Suc.hyps sorry
qed

lemma "a \<le> (b :: nat)"
proof (cases a b rule: linorder_cases)
  case greater
  then show ?thesis sorry
next
  case less
  have "b < a" using less sorry
  show ?thesis using less by simp
next
  case equal
  then show ?thesis by simp
qed

lemma "a \<subseteq> (b :: nat set)"
proof (cases a b rule: linorder_cases)
  case less
  have "b \<subset> a" using less sorry
  show ?thesis using less by simp
next
  case greater
  then show ?thesis sorry
qed

lemma "k \<le> (i :: nat) \<Longrightarrow> k = i"
proof (induct i rule: nat_induct_at_least)
  case base
  then show ?case by simp
next
  case (Suc n)
  then show ?case sorry
qed

lemma "a - b = b - (a :: nat)"
proof (induct a b rule: linorder_wlog)
  case (le a b)
  then show ?case sorry
next
  case (sym a b)
  then show ?case by simp
qed

lemma by_side:
  assumes "x \<in> A \<union> B"
  obtains (left) "x \<in> A" | (right) "x \<in> B"
  using assms by blast

lemma "x \<in> A \<union> B \<Longrightarrow> x \<in> A"
proof -
  assume "x \<in> A \<union> B"
  then show ?thesis
  proof (cases rule: by_side)
    case left
    then show ?thesis .
  next
    case right
    then show ?thesis sorry
  qed
qed

lemma "length xs = length (x # xs)"
proof (induct xs rule: length_induct)
  case (1 xs)
  then show ?case sorry
qed

lemma "n > 7 \<longrightarrow> n < (9 :: int)"
proof (induct n rule: nat_less_induct)
  case (1 n)
  then show ?case sorry
qed

lemma
  fixes f :: "nat \<Rightarrow> nat"
  assumes "finite F"
  shows "sum f F = 0"
  sorry

end
