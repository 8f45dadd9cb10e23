theory Primitive imports Main
begin

datatype 'a tree = Leaf | Node "'a tree" 'a "'a tree"

primrec mirror :: "'a tree \<Rightarrow> 'a tree" where
  "mirror Leaf = Leaf"
| "mirror (Node l x r) = Node (mirror r) x (mirror l)"

lemma "mirror (mirror t) = t"
proof (induct t)
  case (Node l x r)
  then show ?case sorry
qed simp

end
