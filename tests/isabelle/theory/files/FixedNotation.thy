theory FixedNotation imports Main
begin

unbundle lattice_syntax

definition below_all :: "'a::complete_lattice set \<Rightarrow> 'a" where
  "below_all A = \<Sqinter>A \<sqinter> (\<Squnion>x\<in>A. x) \<squnion> \<bottom>"

lemma "below_all A \<le> \<top>"
proof -
  have "below_all A \<sqinter> \<top> = below_all A" sorry
  then show ?thesis by simp
qed

lemma transitive_twice:
  fixes r :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<sqsubseteq>" 50)
  assumes trans: "\<And>x y z. x \<sqsubseteq> y \<Longrightarrow> y \<sqsubseteq> z \<Longrightarrow> x \<sqsubseteq> z"
  shows "a \<sqsubseteq> b \<Longrightarrow> b \<sqsubseteq> c \<Longrightarrow> c \<sqsubseteq> d \<Longrightarrow> a \<sqsubseteq> d"
proof -
  assume first: "a \<sqsubseteq> b" and second: "b \<sqsubseteq> c" and third: "c \<sqsubseteq> d"
  have "a \<sqsubseteq> c" using first second by (rule trans)
  with third show "a \<sqsubseteq> d" sorry
qed

lemma "(\<le>) a b \<Longrightarrow> b \<le> c \<Longrightarrow> c \<le> d \<Longrightarrow> (a :: nat) \<le> d"
  using transitive_twice[of "(\<le>)"] by simp

locale with_operation = fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
begin

lemma
  fixes e :: 'a ("\<one>") and g :: "'a \<Rightarrow> 'a" ("_\<^sup>-" [90] 90)
  assumes "\<And>x. f x \<one> = x"
  shows "f (f (a\<^sup>-) \<one>) \<one> = a\<^sup>-"
proof -
  have "f (a\<^sup>-) \<one> = a\<^sup>-" by (rule assms)
  then show ?thesis sorry
qed

end

definition permuted where
  "permuted eq imp all s t = (length s = length t \<and> (\<forall>i < length s. eq (s ! i) (imp (t ! i)) \<and> all))"

lemma "permuted (=) id True xs ys \<Longrightarrow> xs = ys"
proof -
  assume "permuted (=) id True xs ys"
  then show ?thesis sorry
qed

consts
  domain :: "nat \<Rightarrow> nat" ("dom _" [108] 109)
  codomain :: "nat \<Rightarrow> nat" ("cod _" [110] 111)

lemma "dom x = cod x"
proof -
  have "dom (cod x) = cod x" sorry
  show ?thesis sorry
qed

datatype 'f tm = Var nat ("\<^bold>#") | Fun 'f "'f tm list" ("\<^bold>\<dagger>")

primrec size_of ("\<lbrakk>_, _\<rbrakk>") where
  "\<lbrakk>_, _\<rbrakk> (\<^bold>#n) = n"
| "\<lbrakk>m, _\<rbrakk> (\<^bold>\<dagger>_ ts) = m + length ts"

lemma "\<lbrakk>a, b\<rbrakk> (\<^bold>\<dagger>f []) = a"
proof -
  have "length [] = 0" by simp
  then show ?thesis sorry
qed

end
