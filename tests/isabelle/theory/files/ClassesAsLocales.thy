theory ClassesAsLocales imports Main
begin

locale happens_before = preorder weak strict
  for weak :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<preceq>" 50)
  and strict :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<prec>" 50) +
  fixes interp :: "'a \<Rightarrow> 'b \<Rightarrow> 'b"
begin

definition concurrent :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<parallel>" 50) where
  "x \<parallel> y \<equiv> \<not> (x \<prec> y) \<and> \<not> (y \<prec> x)"

lemma "x \<parallel> y \<Longrightarrow> y \<parallel> x"
proof -
  assume "x \<parallel> y"
  then have "\<not> x \<prec> y" sorry
  then show ?thesis sorry
qed

end

locale with_lattice = lattice "\<lambda>x y. y" le less sup
  for le :: "'c \<Rightarrow> 'c \<Rightarrow> bool" and less sup

lemma (in with_lattice) "le a (sup a b)"
proof -
  have "le a a" sorry
  then show ?thesis sorry
qed

context
  notes algebra_simps[simp] and add.commute[simp del]
begin

lemma "a + b = b + (a :: nat)"
proof -
  show ?thesis sorry
qed

end

context ClassesAsLocales.with_lattice
begin

lemma "le a (sup b a)"
proof -
  show ?thesis sorry
qed

end

locale counted = fixes count :: "'a \<Rightarrow> nat"
begin

definition twice :: "'a \<Rightarrow> nat" where "twice x = count x + count x"

lemma twice_even: "even (twice x)"
  by (simp add: twice_def)

end

global_interpretation lists: counted "length :: 'b list \<Rightarrow> nat"
  .

lemma "even (lists.twice xs)"
proof -
  have "lists.twice [] = 0" sorry
  show ?thesis sorry
qed

datatype 'a tree = Leaf 'a | Node "'a tree list"

fun all_of :: "('a \<Rightarrow> bool) \<Rightarrow> 'a tree \<Rightarrow> bool" where
  "all_of P (Leaf x) = P x"
| "all_of P (Node ts) = list_all (all_of P) ts"

lemma "all_of P (Node [])"
proof -
  have "list_all (all_of P) []" sorry
  then show ?thesis sorry
qed

end
