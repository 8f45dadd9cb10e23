theory Read_In_Part imports Main
begin

typedef three = "{0, 1, 2 :: nat}" by auto
lemma "x = (y :: three)" sorry
lemma "finite (UNIV :: three set) \<and> card (UNIV :: three set) = 2" sorry

function (domintros) f :: "nat \<Rightarrow> nat" where "f n = f (n + 1) + 1" by auto
lemma "f 0 = 1" sorry
lemma "f n < f n" sorry

lemma fixes n :: nat assumes "n < 5" shows "n < 4"
proof -
  obtain k where "k = n" by simp
  have "STRANGE k" sorry
  then have "n < 4" sorry
  then show ?thesis by simp
qed

lemma obtains k where "k < (0 :: nat)" sorry

inductive upto :: "nat \<Rightarrow> bool" where
  zero: "upto 0"
| step: "upto n \<Longrightarrow> upto (Suc (Suc n))"

lemma "upto m \<Longrightarrow> m < 9"
proof (induct rule: upto.induct)
  case (step k)
  then show ?case sorry
qed simp

end
