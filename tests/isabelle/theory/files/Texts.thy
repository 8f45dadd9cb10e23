theory Texts imports Main
begin

section \<open>A heading with lemma "x" sorry inside\<close>
text \<open>lemma "False" sorry\<close>
(* lemma "False" sorry (* nested *) sorry *)
lemma "True" \<comment> \<open>a comment with "quotes" and sorry\<close> sorry
term "x + y"
lemma \<open>True \<and> True\<close> sorry

end
