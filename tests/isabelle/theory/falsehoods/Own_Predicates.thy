theory Own_Predicates imports Main
begin

inductive wrong where
  "\<not> wrong x \<Longrightarrow> wrong (Suc x)"

lemma "wrong (Suc (Suc 0))" sorry
lemma "False" using wrong.intros sorry

inductive hidden where
  "list_all (\<lambda>y. \<not> hidden y) [x] \<Longrightarrow> hidden (x :: nat)"

lemma "hidden 0 \<noteq> hidden 0" sorry

inductive even_n and odd_n where
  "even_n (0 :: nat)" | "even_n n \<Longrightarrow> odd_n (Suc n)" | "odd_n n \<Longrightarrow> even_n (Suc n)"

lemma "odd_n 0" sorry
lemma "even_n n \<Longrightarrow> odd_n n" sorry

inductive_set near :: "('a \<Rightarrow> 'a) \<Rightarrow> ('a \<times> 'a) set" for f where
  "(x, f x) \<in> near f" | "(x, y) \<in> near f \<Longrightarrow> (y, x) \<in> near f"

lemma "(x, x) \<in> near f" sorry
lemma "(x, y) \<in> near f \<Longrightarrow> y = f x" sorry

locale walk = fixes step :: "'s \<Rightarrow> 's \<Rightarrow> bool"
begin
inductive far where "far x x" | "step x y \<Longrightarrow> far y z \<Longrightarrow> far x z"
lemma "far x y" sorry
lemma "far x y \<Longrightarrow> far y x" sorry
end

lemma "walk.far (\<lambda>x y. False) 0 (1 :: nat)" sorry

end
