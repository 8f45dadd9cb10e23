theory Own_Rules
  imports Main
begin

lemma evens_induct [case_names none one step]:
  fixes P :: "nat \<Rightarrow> bool"
  assumes "P 0" and "P 1" and "\<And>n. P n \<Longrightarrow> P (n + 2)"
  shows "P n"
  by (induct n rule: less_induct) (metis assms)

lemma "n < (5 :: nat)"
proof (induct n rule: evens_induct)
  case (step m)
  then show ?case sorry
qed

lemma "m \<le> k \<Longrightarrow> n < (k :: nat)"
proof (induction n arbitrary: m rule: evens_induct)
  case (step j l)
  then have "j < l" sorry
  show ?case sorry
next
  case one
  then show ?case sorry
qed

lemma broken_induct [case_names whole]:
  fixes P :: "nat \<Rightarrow> bool"
  assumes "P 0"
  shows "P n"
  sorry

lemma "n = (0 :: nat)"
proof (induct n rule: broken_induct)
  case whole
  show "n = 0" sorry
qed

lemma "sorted (f x) \<Longrightarrow> y = z"
proof -
  fix u v :: 'a and w :: 'b
  show "sorted (f x) \<Longrightarrow> y = z" sorry
  have "u \<le> v" sorry
qed

end
