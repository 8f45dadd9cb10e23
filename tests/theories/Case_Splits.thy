theory Case_Splits
  imports Main
begin

text \<open>The same statement in two cases: facts of one never justify a step of the other.\<close>

lemma siblings:
  fixes n :: nat
  shows "n = 0 \<or> 0 < n"
proof (cases "n = 0")
  case True
  have "n = 0 \<or> 0 < n" using True by simp
  then show ?thesis .
next
  case False
  have "n = 0 \<or> 0 < n" using False by simp
  then show ?thesis .
qed

lemma induction_step: "rev (rev xs) = xs"
proof (induct xs)
  case Nil
  show ?case by simp
next
  case (Cons x xs)
  have "rev (rev (x # xs)) = x # rev (rev xs)" by simp
  also have "\<dots> = x # xs" using Cons by simp
  finally show ?case .
qed

lemma several_premises:
  fixes n m :: nat
  shows "n \<le> m \<Longrightarrow> n * n \<le> m * m"
proof (induction n arbitrary: m)
  case 0
  show ?case by simp
next
  case (Suc n)
  from Suc.prems show ?case by (rule mult_le_mono) (rule Suc(2))
qed

lemma considered:
  assumes "A \<or> B" and "A \<Longrightarrow> C" and "B \<Longrightarrow> C"
  shows "C"
proof -
  from assms(1) consider (left) "A" | (right) "B" by blast
  then show ?thesis
  proof cases
    case left
    then show ?thesis by (rule assms(2))
  next
    case right
    then show ?thesis by (rule assms(3))
  qed
qed

end
