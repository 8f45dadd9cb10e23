theory Trees
  imports Main
begin

datatype 'a tree = Leaf | Node "'a tree" 'a "'a tree"

fun size_t :: "'a tree \<Rightarrow> nat" where
  "size_t Leaf = 0"
| "size_t (Node l x r) = size_t l + size_t r + 1"

fun mirror :: "'a tree \<Rightarrow> 'a tree" where
  "mirror Leaf = Leaf"
| "mirror (Node l x r) = Node (mirror r) x (mirror l)"

lemma mirror_mirror: "mirror (mirror t) = t"
  sorry

lemma size_mirror [simp]: "size_t (mirror t) = size_t t"
  sorry

fun inorder :: "'a tree \<Rightarrow> 'a list" where
  "inorder Leaf = []"
| "inorder (Node l x r) = inorder l @ x # inorder r"

lemma length_inorder: "length (inorder t) = size_t t"
  sorry

lemma inorder_mirror: "inorder (mirror t) = rev (inorder t)"
  sorry

definition balanced :: "'a tree \<Rightarrow> bool" where
  "balanced t \<longleftrightarrow> (\<forall>l x r. t = Node l x r \<longrightarrow> size_t l = size_t r)"

lemma balanced_mirror: assumes "balanced t" shows "balanced (mirror t)"
proof (cases t)
  case Leaf
  then show ?thesis using assms by simp
next
  case (Node l x r)
  then have "size_t l = size_t r" using assms
    sorry
  then show ?thesis
    sorry
qed

lemma set_inorder_mirror: "set (inorder (mirror t)) = set (inorder t)"
  sorry

inductive subtree :: "'a tree \<Rightarrow> 'a tree \<Rightarrow> bool" where
  refl: "subtree t t"
| left: "subtree s l \<Longrightarrow> subtree s (Node l x r)"
| right: "subtree s r \<Longrightarrow> subtree s (Node l x r)"

lemma subtree_size: "subtree s t \<Longrightarrow> size_t s \<le> size_t t"
  sorry

lemma subtree_trans: "subtree s t \<Longrightarrow> subtree t u \<Longrightarrow> subtree s u"
  sorry

lemma wrong: "subtree s t \<Longrightarrow> size_t s < size_t t"
  sorry
end
