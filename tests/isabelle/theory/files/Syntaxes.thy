theory Syntaxes imports Main
begin

record point =
  across :: nat
  up :: nat

syntax "_next" :: "nat \<Rightarrow> nat" ("NEXT _")
translations "NEXT x" == "CONST Suc x"

lemma "across p = 0" sorry
lemma fixes p :: point shows "p = p" sorry
lemma "NEXT x = 3" sorry
lemma "Suc x = 3" sorry
lemma fixes x :: nat shows "x + x = 2 * x" sorry

translations "{x} \<union> A" <= "CONST insert x A"

lemma "{x} \<union> A = insert x A" sorry

end
