theory SublocalesLater
  imports Main
begin

locale unital =
  fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e :: 'a
  assumes unit: "f e x = x"
begin

definition twice where "twice x = f x x"

definition pow (infixl \<open>\<up>\<close> 70) where "x \<up> y = f (twice x) y"

abbreviation thrice where "thrice x \<equiv> f (f x x) x"

lemma twice_e: "twice e = e"
  by (simp add: twice_def unit)

end

locale magma =
  fixes g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d :: 'a
  assumes swapped: "g x d = x"

locale imported = magma +
  fixes b
  assumes b: "b = d"

locale renamed = magma h c for h :: "'b \<Rightarrow> 'b \<Rightarrow> 'b" and c +
  fixes k :: "'b \<Rightarrow> 'b"

locale named = P: magma h c for h :: "'b \<Rightarrow> 'b \<Rightarrow> 'b" and c

locale two_levels = imported +
  fixes m :: nat

locale both = left: magma l c + right: magma r c for l r :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and c

locale optional = O?: magma h c for h :: "'b \<Rightarrow> 'b \<Rightarrow> 'b" and c

locale at_lists = magma "(@) :: 'a list \<Rightarrow> 'a list \<Rightarrow> 'a list" n for n

interpretation plus: magma "(+)" "0 :: nat"
  by unfold_locales simp

context imported
begin

lemma "Q.twice b = b"
  sorry

end

sublocale magma \<subseteq> Q: unital "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

context magma
begin

lemma "Q.twice d = d"
  using Q.twice_e sorry

end

context imported
begin

lemma "Q.twice b = b"
  using Q.twice_e b sorry

end

context imported
begin

lemma "Q.pow b x = x \<and> Q.thrice b = d"
  using Q.unit Q.pow_def sorry

end

context renamed
begin

lemma "Q.twice c = c"
  using Q.twice_e sorry

end

context named
begin

lemma "P.Q.twice c = c"
  using P.Q.twice_e sorry

end

context two_levels
begin

lemma "Q.twice (g b d) = d"
  using Q.twice_def swapped sorry

end

context both
begin

lemma "left.Q.twice c = right.Q.twice c"
  using left.Q.twice_e right.Q.twice_e sorry

end

context optional
begin

lemma "O.Q.twice c = Q.twice c"
  using O.Q.twice_e Q.twice_def sorry

end

context at_lists
begin

lemma "Q.twice xs = xs @ xs"
  using Q.twice_def sorry

end

lemma "plus.Q.twice x = x + x"
  using plus.Q.twice_def sorry

lemma "plus.Q.thrice 0 = 0"
  using plus.Q.unit sorry

context unital
begin

definition fourfold where "fourfold x = twice (twice x)"

lemma fourfold_e: "fourfold e = e"
  by (simp add: fourfold_def twice_e)

end

context two_levels
begin

lemma "Q.fourfold b = b"
  using Q.fourfold_e Q.fourfold_def sorry

end

context named
begin

lemma "P.Q.fourfold c = c"
  using P.Q.fourfold_e sorry

end

lemma "plus.Q.fourfold 0 = 0"
  using plus.Q.fourfold_e plus.Q.fourfold_def sorry

definition (in magma) left where "left x = g d x"

lemma (in magma) left_d: "left d = d"
  by (simp add: left_def swapped)

context imported
begin

lemma "left b = b"
  using left_d b sorry

end

context renamed
begin

lemma "left c = c"
  using left_d left_def sorry

end

context named
begin

lemma "P.left c = c"
  using P.left_d sorry

end

context named
begin

lemma "left c = c"
  using P.left_d sorry

end

lemma "plus.left x = 0 + x"
  using plus.left_def sorry

text \<open>The same instance once more has no names.\<close>

sublocale magma \<subseteq> R: unital "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

context imported
begin

lemma "R.twice b = b"
  sorry

end

locale again = S: unital "\<lambda>x y. g y x" d + magma g d for g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d

context again
begin

lemma "S.twice d = d"
  using S.twice_e sorry

end

context again
begin

lemma "Q.twice d = d"
  sorry

end

text \<open>Two locales that rest on each other.\<close>

locale one_way = fixes p :: "'a \<Rightarrow> 'a" assumes idem: "p (p x) = p x"
locale other_way = fixes q :: "'a \<Rightarrow> 'a" assumes same: "q (q x) = q x"
locale on_one = one_way p for p :: "'a \<Rightarrow> 'a" + fixes z :: 'a

sublocale one_way \<subseteq> B: other_way p
  by unfold_locales (rule idem)

sublocale other_way \<subseteq> A: one_way q
  by unfold_locales (rule same)

definition (in one_way) image where "image x = p x"

definition (in other_way) preimage where "preimage x = {y. q y = x}"

context on_one
begin

lemma "z \<in> B.preimage (image z)"
  using B.preimage_def image_def B.same sorry

end

context other_way
begin

lemma "A.image x = q x"
  using A.image_def sorry

end

context one_way
begin

lemma "B.A.image x = p x"
  sorry

end

text \<open>Names of its own hide those that come later; notation goes along where the parameters are the same.\<close>

locale small = fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e :: 'a
  assumes idle: "f e x = x"

locale larger = small f e for f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e + fixes t :: 'a
begin

lemma unit: "t = t"
  by simp

lemma "f e t = t"
  using unit sorry

end

sublocale small \<subseteq> unital f e
  by unfold_locales (rule idle)

context larger
begin

lemma "f e t = t"
  using unit twice_e sorry

end

context larger
begin

lemma "t \<up> e = thrice t"
  using pow_def sorry

end

context small
begin

lemma "x \<up> y = f (f x x) y"
  using unit twice_def sorry

end

text \<open>What is claimed only.\<close>

sublocale larger \<subseteq> C: magma f t
  sorry

context larger
begin

lemma "C.Q.twice t = t"
  using C.Q.twice_e sorry

end

text \<open>Inside the locale.\<close>

locale inner = magma g d for g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d +
  fixes i :: 'a
  assumes i: "g x i = x"
begin

definition j where "j = g i i"

lemma j: "g x j = x"
  by (simp add: j_def i)

sublocale J: unital "\<lambda>x y. g y x" j
  by unfold_locales (rule j)

lemma "J.twice x = g x x"
  using J.twice_def sorry

end

locale innermost = inner + assumes "i = d"
begin

lemma "J.twice j = j"
  using J.twice_e j_def sorry

end

context inner
begin

sublocale K: magma g i
  by unfold_locales (rule i)

end

context innermost
begin

lemma "K.Q.twice x = K.left x"
  using K.Q.twice_def K.left_d sorry

end

end
