theory Datatypes imports Main
begin

datatype colour = Red | Green | Blue
datatype 'a tree = is_leaf: Leaf | Node (left: "'a tree") (val: 'a) (right: "'a tree")
datatype expression = Number int | Sum expression expression ("_ \<oplus> _" [65, 66] 65)
datatype 'a rose = Rose 'a "'a rose list"
datatype even_list = Nothing | OddCons nat odd_list and odd_list = EvenCons nat even_list

datatype (members: 'a) bag = Empty | Put 'a "'a bag"

primrec mirror :: "'a tree \<Rightarrow> 'a tree" where
  "mirror Leaf = Leaf"
| "mirror (Node l x r) = Node (mirror r) x (mirror l)"

lemma "Red \<noteq> Green" sorry
lemma "Node Leaf x Leaf = Node Leaf y Leaf \<Longrightarrow> x = y" sorry
lemma "val (Node l x r) = x" sorry
lemma "\<not> is_leaf (Node l x r)" sorry
lemma "Number 1 \<oplus> Number 2 \<noteq> Number 3" sorry
lemma "(case Node Leaf x Leaf of Leaf \<Rightarrow> y | Node _ z _ \<Rightarrow> z) = x" sorry
lemma "Rose x [] \<noteq> Rose x [Rose x []]" sorry
lemma "x \<in> members (Put x b)" sorry
lemma "mirror (mirror t) = t"
proof (induct t)
  case Leaf
  show ?case sorry
next
  case (Node l x r)
  then show ?case sorry
qed

end
