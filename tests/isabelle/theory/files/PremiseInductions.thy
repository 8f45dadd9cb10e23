theory PremiseInductions
  imports Main
begin

datatype exp = Num nat | Add exp exp

fun leaves :: "exp \<Rightarrow> nat" where
  "leaves (Num n) = 1"
| "leaves (Add e f) = leaves e + leaves f"

text \<open>Premises of the statement are premises of every case and of every hypothesis.\<close>

lemma heads: "xs \<noteq> [] \<Longrightarrow> n < (m::nat) \<Longrightarrow> hd xs \<in> set xs"
proof (induction xs)
  case Nil
  then show ?case sorry
next
  case (Cons x xs)
  show ?case sorry
qed

lemma growing: "i \<le> a \<Longrightarrow> i \<le> a + (n::nat)"
proof (induct n arbitrary: i)
  case 0
  thus ?case sorry
next
  case (Suc n)
  note IH = Suc(1) and given = Suc(2)
  show ?case sorry
qed

text \<open>The rule of a datatype, by its name.\<close>

lemma several:
  assumes large: "k < leaves e"
  shows "Suc k \<le> leaves e"
  using large
proof (induction e arbitrary: k rule: exp.induct)
  case (Num n)
  then show ?case sorry
next
  case (Add e f)
  show ?case sorry
qed

text \<open>What a pattern stands for is known behind the proof.\<close>

lemma small: "x = 1 \<or> x = 2 \<Longrightarrow> x < (3::nat)"
proof -
  assume a: "x = 1 \<or> x = 2"
  then have "x = 1 \<or> 2 = x" (is "?one | ?two") by auto
  moreover
  { assume ?one
    have "x < 3" sorry }
  moreover have ?thesis if ?two sorry
  ultimately show ?thesis sorry
qed

end
