theory ByCoercion imports Complex_Main
begin

lemma fixes B :: "int set" and p :: nat shows "x \<in> B \<Longrightarrow> x * p < 0 \<or> 0 \<le> x * p" sorry
lemma fixes u v :: nat shows "(u + v) / 2 = 64" sorry
lemma fixes n :: nat and r :: real shows "n < r \<longrightarrow> n + 1 < r + 1" sorry

end
