theory Own_Forms
  imports Main
begin

type_synonym ('a, 'b) left = "'b \<Rightarrow> 'a" (infixr \<open>|->\<close> 0)

lemma "(f :: nat |-> bool) = g"
  sorry

lemma "card (UNIV :: (bool |-> unit) set) = 1"
  sorry

definition after :: "('s \<Rightarrow> ('a \<times> 's) option) \<Rightarrow> ('a \<Rightarrow> 's \<Rightarrow> ('b \<times> 's) option) \<Rightarrow> 's \<Rightarrow> ('b \<times> 's) option"
  where "after f g s = (case f s of None \<Rightarrow> None | Some (x, t) \<Rightarrow> g x t)"

definition give :: "'a \<Rightarrow> 's \<Rightarrow> ('a \<times> 's) option" where "give x s = Some (x, s)"

syntax "_after" :: "[pttrn, 'a, 'b] \<Rightarrow> 'c"  (\<open>(2 _ \<leftarrow> _; _)\<close> [5, 8, 8] 8)
syntax_consts "_after" \<rightleftharpoons> after
translations "x \<leftarrow> f; g" \<rightleftharpoons> "CONST after f (\<lambda>x. g)"

lemma "(x \<leftarrow> f; g) = g"
  sorry

lemma "(x \<leftarrow> give a; give b) = give a"
  sorry

lemma "(x \<leftarrow> f; g x) = (x \<leftarrow> f; g y)"
  sorry

definition turned :: "('a \<Rightarrow> 'b \<Rightarrow> 'c) \<Rightarrow> 'b \<Rightarrow> 'a \<Rightarrow> 'c" where "turned f x y = f y x"

syntax "_turned" :: "('a \<Rightarrow> 'b \<Rightarrow> 'c) \<Rightarrow> 'b \<Rightarrow> 'a \<Rightarrow> 'c"  (\<open>T\<^sub>p\<close>)
syntax_consts "_turned" \<rightleftharpoons> turned
translations "T\<^sub>p f" \<rightleftharpoons> "CONST turned f"

lemma "T\<^sub>p f x y = f x y"
  sorry

lemma "T\<^sub>p f = f"
  sorry

syntax "_never" :: "'a \<Rightarrow> bool"  (\<open>N\<^sub>p\<close>)

lemma "N\<^sub>p x"
  sorry

end
