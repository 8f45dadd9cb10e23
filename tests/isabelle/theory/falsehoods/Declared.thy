theory Declared imports Main
begin

inductive p :: "nat \<Rightarrow> bool" where "\<not> p n \<Longrightarrow> p (n + 1)"
inductive ev :: "nat \<Rightarrow> bool" where "ev 0" | "ev n \<Longrightarrow> ev (n + 2)"
datatype empty = Empty empty
datatype bad = Bad "bad \<Rightarrow> bool"
definition self :: nat where "self = self + 1"
definition extra :: "nat \<Rightarrow> nat" where "extra n = m"
definition poly :: bool where "poly \<longleftrightarrow> (\<forall>x y :: 'a. x = y)"
datatype (members: 'a) bag = None' | Put 'a "'a bag"
consts free :: nat
record point = xcoord :: nat
definition xcoord2 :: "nat" where "xcoord2 = 1"
class c = fixes size' :: "'a \<Rightarrow> nat"

lemma "False" sorry
lemma "x \<in> members (Put y b)" sorry
lemma "set_bag b = {}" sorry
lemma "p 1" sorry
lemma "ev 1" sorry
lemma "ev n" sorry
lemma "Empty x \<noteq> x" sorry
lemma "inj Bad" sorry
lemma "self = 0" sorry
lemma "extra 0 = 1" sorry
lemma "free = 0" sorry
lemma "size' x = 0" sorry
lemma "xcoord x = 0" sorry

end
