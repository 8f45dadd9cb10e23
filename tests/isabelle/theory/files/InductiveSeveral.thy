theory InductiveSeveral
  imports Main
begin

inductive even_n and odd_n where
  even_zero: "even_n (0::nat)"
| odd_Suc: "even_n n \<Longrightarrow> odd_n (Suc n)"
| even_Suc: "odd_n n \<Longrightarrow> even_n (Suc n)"

lemma "even_n (Suc (Suc 0))"
  using odd_Suc even_zero even_Suc sorry

lemma "odd_n n \<longleftrightarrow> (\<exists>m. n = Suc m \<and> even_n m)"
  using odd_n.simps [of n] sorry

inductive rel_star for r where
  refl [simp]: "rel_star r x x"
| step: "\<lbrakk>r x y; rel_star r y z\<rbrakk> \<Longrightarrow> rel_star r x z"

lemma rel_star_trans:
  assumes "rel_star r x y" "rel_star r y z"
  shows "rel_star r x z"
  using assms
proof (induction rule: rel_star.induct)
  case (refl x)
  then show ?case sorry
next
  case (step x y w)
  then have "rel_star r y z" sorry
  with step show ?case sorry
qed

inductive safe for R :: "'a \<Rightarrow> 'a \<Rightarrow> bool" where
  safeI: "(\<And>y. R x y \<Longrightarrow> safe R y) \<Longrightarrow> safe R x"

lemma "(\<And>y. R x y \<Longrightarrow> False) \<Longrightarrow> safe R x"
  using safe.intros sorry

inductive listed where
  "listed []" | "\<lbrakk>listed xs; \<forall>y \<in> set ys. listed y\<rbrakk> \<Longrightarrow> listed (concat (xs # ys))"

lemma "listed xs \<Longrightarrow> listed (xs @ [])"
  using listed.intros(1) sorry

locale graph =
  fixes edge :: "'v \<Rightarrow> 'v \<Rightarrow> bool" and start :: 'v and other :: nat
  assumes loops: "edge x x"
begin

inductive path where
  nil: "path x x []"
| cons: "edge x y \<Longrightarrow> path y z p \<Longrightarrow> path x z (y # p)"

inductive_set found :: "'v set" where
  first: "start \<in> found"
| later: "x \<in> found \<Longrightarrow> edge x y \<Longrightarrow> y \<in> found"

inductive plain :: "nat \<Rightarrow> bool" where
  "plain 0"

lemma path_append:
  assumes "path x y p" "path y z q"
  shows "path x z (p @ q)"
  using assms
proof (induction rule: path.induct)
  case (nil x)
  then show ?case sorry
next
  case (cons x y w p)
  then have "path y z (p @ q)" sorry
  then show ?case using cons path.cons sorry
qed

lemma "x \<in> found \<Longrightarrow> \<exists>p. path start x p"
  using found.intros found.simps sorry

lemma "plain n \<Longrightarrow> n = 0"
  using plain.simps sorry

end

lemma "graph.path e x y [] \<Longrightarrow> x = y"
  sorry

lemma "graph.found e s = {x. \<exists>p. graph.path e s x p}"
  sorry

lemma "graph.plain n"
  sorry

inductive_set steps :: "('a \<Rightarrow> 'a) \<Rightarrow> ('a \<times> nat \<times> 'a) set" for f where
  none: "(x, 0, x) \<in> steps f"
| one: "\<lbrakk>(x, n, y) \<in> steps f; z = f y\<rbrakk> \<Longrightarrow> (x, Suc n, z) \<in> steps f"

lemma
  assumes "(x, n, y) \<in> steps f"
  shows "y = (f ^^ n) x"
  using assms
proof (induction rule: steps.induct)
  case (none x)
  then show ?case sorry
next
  case (one x n y z)
  then show ?case sorry
qed

lemma (in graph)
  assumes "x \<in> found" "edge x y" "Q y"
  shows "y \<in> found"
  using assms
proof (induct arbitrary: y)
  case first
  then show ?case sorry
next
  case (later u v w)
  then show ?case sorry
qed

lemma (in graph) "x \<in> found \<Longrightarrow> \<exists>y. y \<in> found"
proof (induct rule: found.induct)
  case first
  then show ?case sorry
next
  case (later u v)
  then have "u \<in> found" sorry
  then show ?case sorry
qed

end
