theory Premises imports Main
begin

inductive path :: "('a \<times> 'a) set \<Rightarrow> 'a \<Rightarrow> 'a \<Rightarrow> bool" for r where
  base: "path r x x"
| more: "path r x y \<Longrightarrow> (y, z) \<in> r \<Longrightarrow> path r x z"

lemma "path r a b \<Longrightarrow> (a, b) \<in> r\<^sup>*"
proof (induct rule: path.induct)
  case (base u)
  show ?case sorry
next
  case (more u v w)
  then show ?case sorry
qed

end
