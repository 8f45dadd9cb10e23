theory Shadowing imports Main
begin

text \<open>A name that is fixed again is another variable: nothing that was said before is about it.\<close>

lemma fixes x :: nat assumes a: "x = 0" shows "\<forall>x::nat. x = 0"
proof
  fix x :: nat
  show "x = 0" sorry
qed

lemma fixes x :: nat assumes a: "x = 0" shows "x = 0"
proof -
  have "x = 0" for x :: nat sorry
  then show ?thesis by simp
qed

lemma fixes x :: nat assumes a: "x = 0" shows "x = 0"
proof -
  from a have "x = 0" for x :: nat sorry
  then show ?thesis by simp
qed

lemma fixes x :: nat assumes a: "x = 0" shows "x = 0"
proof -
  have "x = 0" if "x < 2" for x :: nat using a sorry
  then show ?thesis using a by simp
qed

lemma fixes xs ys :: "nat list" assumes a: "xs = []" shows "P"
proof (induct ys)
  case Nil
  then show ?case sorry
next
  case (Cons y xs)
  have "xs = []" sorry
  then show ?case .
qed

lemma fixes n :: nat assumes a: "n = 0" shows "P n"
proof -
  obtain n :: nat where b: "0 < n" by auto
  show False sorry
qed

lemma fixes n :: nat assumes a: "n = 0" shows "P n"
proof -
  define n where "n = (1::nat)"
  have "n = 0" sorry
  then show False .
qed

lemma fixes n :: nat assumes a: "n = 0" shows "P n"
proof -
  {
    fix n :: nat
    assume "0 < n"
    with a have False sorry
  }
  then show "P n" by simp
qed

lemma fixes n m :: nat assumes a: "n = 0" shows "m < n"
proof -
  {
    fix n :: nat
    assume n: "m < n"
    have "m < n" using n .
  }
  then have "m < n" sorry
  then show ?thesis .
qed

lemma fixes n :: nat assumes a: "n = 0" shows "P"
proof -
  {
    fix m :: nat
    assume b: "m = n"
    fix n :: nat
    have "m = n" sorry
  }
  then show "P" by simp
qed

lemma fixes n :: nat assumes a: "n = 0" shows "P"
proof -
  let ?zero = "n"
  fix n :: nat
  have "n = ?zero" sorry
  then show P by simp
qed

lemma fixes n k :: nat assumes a: "k = 0" shows "k \<le> n + k"
proof (induct n arbitrary: k)
  case 0
  have "k = 0" sorry
  then show ?case by simp
next
  case (Suc n)
  have "k = 0" sorry
  then show ?case by simp
qed

locale fixing = fixes c :: nat assumes small: "c < 2"
begin

lemma fixes c :: nat shows "c < 2" sorry

lemma "\<forall>c::nat. c < 2"
proof
  fix c :: nat
  show "c < 2" using small sorry
qed

end

end
