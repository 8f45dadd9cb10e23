theory Statements
  imports Main
begin

lemma conditional:
  fixes P Q :: "nat \<Rightarrow> bool"
  assumes pq: "\<And>n. P n \<Longrightarrow> Q n" and p: "P 3"
  shows "Q 3"
proof -
  have step: "Q n" if pn: "P n" for n
    using that by (rule pq)
  show ?thesis using p by (rule step)
qed

lemma long_form:
  fixes x y :: int
  assumes "x < y"
  obtains z where "x \<le> z" and "z < y"
proof
  show "x \<le> x" by simp
  show "x < y" by (rule assms)
qed

lemma short_form: "Q a" if "\<And>x. Q x" for a
  using that .

lemma two_at_once:
  shows first: "x = x" and second: "y = y"
  by (rule refl)+

lemma presumed: "A \<longrightarrow> A"
proof -
  presume "A \<Longrightarrow> A"
  then show "A \<longrightarrow> A" by simp
next
  assume "A"
  then show "A" .
qed

lemma given_again:
  assumes "A"
  shows "A \<and> A"
proof -
  have "A" using assms .
  with assms show ?thesis by simp
qed

end
