theory Prefixes
  imports Main
begin

locale op =
  fixes f :: "'v \<Rightarrow> 'v \<Rightarrow> 'v" (infixl "\<diamondop>" 70) and e :: 'v
  assumes unit: "f e x = x" and assoc: "f (f x y) z = f x (f y z)"
begin

definition twice where "twice x = x \<diamondop> x"

definition power3 (infix "\<star>" 60) where "power3 x y = (x \<diamondop> y) \<diamondop> x"

lemma twice_e: "twice e = e" sorry

end

locale two_ops = A: op f e + B: op g d
  for f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e g d +
  fixes h :: "'a \<Rightarrow> 'b"
  assumes hom: "h (f x y) = g (h x) (h y)" and at_e: "h e = d"
begin

lemma "h (A.twice x) = B.twice (h x)"
  unfolding A.twice_def B.twice_def using hom sorry

lemma "(x :: 'a) \<star> y = A.power3 x y"
  sorry

lemma "(x :: 'a) \<diamondop> y = x"
  sorry

lemma
  shows "A.twice e = e" and "f e x = x"
proof -
  show "A.twice e = e" using A.twice_e sorry
  have "g d y = y" for y using B.unit [of y] sorry
  show "f e x = x" using A.unit sorry
qed

end

lemma "two_ops f e g d h \<Longrightarrow> op.twice f e = e"
  sorry

locale kept = q: op + fixes t :: 'a
begin

lemma "t \<diamondop> e = t \<star> e"
  using q.unit sorry

end

locale longer = op +
  fixes w :: 'a and v :: 'v
  assumes "f w w = w" and "v = v"
begin

lemma "w \<diamondop> w = w \<and> v = v"
  sorry

lemma "twice x = x" for x :: 'a
  sorry

end

locale opt = p?: op add zero for add zero
begin

lemma "zero \<star> zero = zero"
  sorry

lemma "twice zero = zero \<and> p.twice zero = zero"
  using twice_e p.twice_e sorry

end

locale at_terms = nats: op "(+) :: nat \<Rightarrow> nat \<Rightarrow> nat" "0" + lists: op "\<lambda>xs ys. ys @ xs" "[]"
  for dummy :: bool
begin

lemma "nats.twice 3 = 6"
  using nats.assoc unfolding nats.twice_def sorry

lemma "(2 :: nat) \<star> y = nats.power3 2 y"
  sorry

lemma "lists.twice [x] = [x, x]"
  using lists.unit [of "[x]"] unfolding lists.twice_def sorry

end

locale named = op where e = "c" for c +
  assumes "f c c = c"
begin

lemma "twice c = c"
  using unit sorry

end

lemma "named g c \<Longrightarrow> g c c = c" sorry

lemma "opt a z \<Longrightarrow> at_terms" sorry

end
