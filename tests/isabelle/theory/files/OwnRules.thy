theory OwnRules imports Main begin
lemma evens_induct [case_names none one step]:
  fixes P :: "nat \<Rightarrow> bool"
  assumes "P 0" and "P 1" and "\<And>n. P n \<Longrightarrow> P (n + 2)"
  shows "P n"
  by (induct n rule: less_induct) (metis assms)

lemma big_induct [consumes 1, case_names base up]:
  assumes "k \<le> (n::nat)" and "P k" and "\<And>m. k \<le> m \<Longrightarrow> P m \<Longrightarrow> P (Suc m)"
  shows "P n"
  using assms by (rule nat_induct_at_least)

lemma pairs_induct [case_names nil some, induct type: list]:
  fixes xs :: "'a option list"
  assumes "P []" and "\<And>x xs. P xs \<Longrightarrow> P (x # xs)"
  shows "P xs"
  using assms by (rule list.induct)

lemma "even (n::nat) \<Longrightarrow> n * n \<noteq> k"
proof (induction n arbitrary: k rule: evens_induct)
  case none
  then show ?case sorry
next
  case one
  then show ?case sorry
next
  case (step m j)
  from step.IH step.prems show ?case sorry
qed

lemma assumes "2 \<le> (n::nat)" and "n < q" shows "n * 2 < q + r"
  using assms
proof (induct rule: big_induct)
  case base
  then show ?case sorry
next
  case (up m)
  from up.hyps have "2 \<le> m" sorry
  with up show ?case sorry
qed

lemma "length (xs :: nat option list) \<le> k"
proof (induct xs)
  case nil
  show ?case sorry
next
  case (some x xs)
  then show ?case sorry
qed

lemma "length (xs :: nat list) \<le> k"
proof (induct xs)
  case Nil
  show ?case sorry
next
  case (Cons x xs)
  then show ?case sorry
qed

lemma "sum f A = sum g (A :: nat set)"
proof (induct A rule: infinite_finite_induct)
  case (infinite B)
  then show ?case sorry
next
  case empty
  then show ?case sorry
next
  case (insert x F)
  then show ?case sorry
qed

lemma "finite A \<Longrightarrow> A \<noteq> {} \<Longrightarrow> card (A :: nat set) \<noteq> 0"
proof (induct rule: finite_ne_induct)
  case (singleton x)
  then show ?case sorry
next
  case (insert x F)
  then show ?case sorry
qed

lemma "(i :: nat) \<le> j \<Longrightarrow> f i \<le> (f j :: nat)"
proof (induct rule: inc_induct)
  case base
  then show ?case sorry
next
  case (step n)
  then show ?case sorry
qed

lemma other [case_names a]:
  assumes "\<And>n. \<forall>m<n. P m \<Longrightarrow> P (n :: nat)"
  shows "P n"
  using assms less_induct by blast

lemma "n = (n :: nat)"
proof (induct n rule: other)
  case (a k)
  then show ?case sorry
qed

end
