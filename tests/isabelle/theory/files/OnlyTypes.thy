theory OnlyTypes imports Main
begin

typedef small = "{0, 1 :: nat}" by auto

lift_definition flip :: "small \<Rightarrow> small" is "\<lambda>n. 1 - n" by auto

function collatz :: "nat \<Rightarrow> nat" where
  "collatz n = (if n \<le> 1 then 0 else if even n then collatz (n div 2) else collatz (3 * n + 1))"
  by auto

coinductive forever :: "(nat \<Rightarrow> nat) \<Rightarrow> bool" where
  "f 0 < f 1 \<Longrightarrow> forever (\<lambda>n. f (Suc n)) \<Longrightarrow> forever f"

lemma "flip (flip x) = x" sorry
lemma "collatz 1 = 0" sorry
lemma "forever Suc" sorry
lemma "Abs_small 0 = x" sorry

end
