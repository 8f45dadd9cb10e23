theory SyntaxForms
  imports Main
begin

type_synonym ('a, 'b) partial = "'a \<Rightarrow> 'b option" (infixr \<open>|->\<close> 0)
type_notation partial (infixr \<open>\<mapsto>\<close> 0)

definition first :: "['a |-> 'b, 'a \<mapsto> 'b] \<Rightarrow> 'a |-> 'b" where
  "first p q = (\<lambda>x. case p x of None \<Rightarrow> q x | Some y \<Rightarrow> Some y)"

lemma "first p (q :: nat |-> 'b) x = (if p x = None then q x else p x)"
  using first_def sorry

definition after :: "('s \<Rightarrow> ('a \<times> 's) option) \<Rightarrow> ('a \<Rightarrow> 's \<Rightarrow> ('b \<times> 's) option) \<Rightarrow> 's \<Rightarrow> ('b \<times> 's) option"
  where "after f g s = (case f s of None \<Rightarrow> None | Some (x, t) \<Rightarrow> g x t)"

definition give :: "'a \<Rightarrow> 's \<Rightarrow> ('a \<times> 's) option" where "give x s = Some (x, s)"

syntax "_after" :: "[pttrn, 'a, 'b] \<Rightarrow> 'c"  (\<open>(2 _ \<leftarrow> _; _)\<close> [5, 8, 8] 8)
syntax_consts "_after" \<rightleftharpoons> after
translations "x \<leftarrow> f; g" \<rightleftharpoons> "CONST after f (\<lambda>x. g)"

lemma "(x \<leftarrow> give a; g x) = g a"
  sorry

lemma "(x \<leftarrow> f; give x) = f"
  using after_def sorry

lemma "(x \<leftarrow> f; (y \<leftarrow> g x; h y)) = (y \<leftarrow> (x \<leftarrow> f; g x); h y)"
  sorry

lemma "((x, y) \<leftarrow> give (a, b); give (x + y)) s = Some (a + b :: nat, s)"
  sorry

lemma "(_ \<leftarrow> give a; g) = g"
  sorry

lemma "(x \<leftarrow> f; g x y) = after f (\<lambda>z. g z y)"
  sorry

definition all_none :: "('a |-> 'b) \<Rightarrow> bool" where "all_none p = (\<forall>x. p x = None)"

syntax "_all_none" :: "('a |-> 'b) \<Rightarrow> bool"  (\<open>\<emptyset>\<^sub>p\<close>)
syntax_consts "_all_none" \<rightleftharpoons> all_none
translations "\<emptyset>\<^sub>p f" \<rightleftharpoons> "CONST all_none f"

lemma "\<emptyset>\<^sub>p (\<lambda>x. None)"
  using all_none_def sorry

lemma "\<emptyset>\<^sub>p p \<Longrightarrow> first p q = q"
  sorry

definition turned :: "('a \<Rightarrow> 'b \<Rightarrow> 'c) \<Rightarrow> 'b \<Rightarrow> 'a \<Rightarrow> 'c" where "turned f x y = f y x"

syntax "_turned" :: "('a \<Rightarrow> 'b \<Rightarrow> 'c) \<Rightarrow> 'b \<Rightarrow> 'a \<Rightarrow> 'c"  (\<open>T\<^sub>p\<close>)
syntax_consts "_turned" \<rightleftharpoons> turned
translations "T\<^sub>p f" \<rightleftharpoons> "CONST turned f"

lemma "T\<^sub>p f x y = f y x"
  using turned_def sorry

lemma "T\<^sub>p (T\<^sub>p f) = f"
  sorry

lemma "map \<emptyset>\<^sub>p [] = []"
  sorry

end
