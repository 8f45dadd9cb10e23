theory Own_Syntax imports Main
begin

lemma "(3 :: nat) \<le> 2" sorry

syntax "_turned" :: "nat \<Rightarrow> nat \<Rightarrow> bool" ("TURNED _ _")
translations "TURNED x y" == "CONST less y x"

lemma "TURNED 2 (3 :: nat)" sorry

lemma "(3 :: nat) < 2" sorry

translations "x \<le> y" => "CONST HOL.Not (CONST less x y)"

lemma "\<not> (2 :: nat) \<le> 2" sorry

lemma "(2 :: nat) \<le> 3" sorry

syntax "_times" :: "nat \<Rightarrow> nat \<Rightarrow> nat" (infixl "*" 70)

lemma "2 * 3 = (7 :: nat)" sorry

end
