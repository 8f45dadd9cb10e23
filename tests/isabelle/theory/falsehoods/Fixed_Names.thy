theory Fixed_Names imports Main
begin

locale L =
  fixes Suc :: "nat \<Rightarrow> nat" and length :: "'a list \<Rightarrow> nat" and plus :: "nat \<Rightarrow> nat \<Rightarrow> nat"
  assumes zero: "plus 0 0 = 0"
begin
lemma "Suc n \<noteq> n" sorry
lemma "Suc 0 = 1" sorry
lemma "length [x] = 1" sorry
lemma "plus 1 1 = 2" sorry
end
lemma (in L) "length xs = length (rev xs)" sorry
lemma fixes max :: "nat \<Rightarrow> nat \<Rightarrow> nat" shows "max 1 2 = 2" sorry
lemma fixes even :: "nat \<Rightarrow> bool" shows "even 2" sorry
lemma "True"
proof -
  fix length :: "nat list \<Rightarrow> nat"
  have "length [] = 0" sorry
  obtain rev :: "nat list \<Rightarrow> nat list" where "rev [] = []" by auto
  have "rev [1] = [1]" sorry
  define set where "set xs = {n :: nat. n < length xs \<and> False}" for xs :: "nat list"
  have "1 \<in> set [1]" sorry
  show ?thesis ..
qed
lemma fixes x :: nat assumes "x > 3" shows "x > 2"
proof -
  have "x > 4" sorry
  show ?thesis using assms by simp
qed

end
