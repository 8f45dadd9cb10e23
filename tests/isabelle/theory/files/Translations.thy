theory Translations
  imports Main
begin

nonterminal ups and up

definition put :: "nat \<Rightarrow> 'a \<Rightarrow> (nat \<Rightarrow> 'a) \<Rightarrow> nat \<Rightarrow> 'a" where
  "put k v f = (\<lambda>n. if n = k then v else f n)"

definition always :: "(nat \<Rightarrow> bool) \<Rightarrow> bool" where
  "always P = (\<forall>n. P n)"

definition on :: "'a set \<Rightarrow> ('a \<Rightarrow> bool) \<Rightarrow> bool" where
  "on A P = (\<forall>x\<in>A. P x)"

definition cell :: "'a \<Rightarrow> 'a list \<Rightarrow> 'a list" where
  "cell x xs = x # xs"

syntax
  "_up" :: "['a, 'a] \<Rightarrow> up" (\<open>_ /:-/ _\<close>)
  "" :: "up \<Rightarrow> ups" (\<open>_\<close>)
  "_ups" :: "[up, ups] \<Rightarrow> ups" (\<open>_,/ _\<close>)
  "_Put" :: "['a, ups] \<Rightarrow> 'b" (\<open>_/\<lblot>_\<rblot>\<close> [900, 0] 900)
  "_box" :: "'a \<Rightarrow> bool" (\<open>(\<box>_)\<close> [90] 90)
  "_On" :: "pttrn \<Rightarrow> 'a set \<Rightarrow> bool \<Rightarrow> bool" (\<open>(3ON _ : _./ _)\<close> [0, 0, 10] 10)
  "_row" :: "args \<Rightarrow> 'a list" (\<open>\<lbrace>_\<rbrace>\<close>)
syntax (ASCII)
  "_box" :: "'a \<Rightarrow> bool" (\<open>([]_)\<close> [90] 90)
syntax (output)
  "_box" :: "'a \<Rightarrow> bool" (\<open>(ALWAYS _)\<close> [90] 90)

translations
  "_Put f (_ups b bs)" \<rightleftharpoons> "_Put (_Put f b) bs"
  "_Put f (_up k v)" \<rightleftharpoons> "CONST put k v f"
  "_box" \<rightleftharpoons> "CONST always"
  "ON x : A. P" \<rightleftharpoons> "CONST on A (\<lambda>x. P)"
  "\<lbrace>x, xs\<rbrace>" == "CONST cell x \<lbrace>xs\<rbrace>"
  "\<lbrace>x\<rbrace>" == "CONST cell x []"
  "ALL x. P" <= "CONST All (\<lambda>x. P)"

lemma "f\<lblot>1 :- a, 2 :- b\<rblot> = put 2 b (put 1 a f)"
  sorry

lemma "\<box>(\<lambda>n. 0 \<le> n) \<longleftrightarrow> always (\<lambda>n. 0 \<le> n)"
  sorry

lemma "ON x : A. x \<in> A"
  sorry

lemma "\<lbrace>a, b, c\<rbrace> = [a, b, c]"
  sorry

no_syntax
  "_box" :: "'a \<Rightarrow> bool" (\<open>(\<box>_)\<close> [90] 90)

lemma "\<box>(\<lambda>n. True)"
  sorry

syntax
  "_alone" :: "'a \<Rightarrow> 'b" (\<open>(ALONE _)\<close>)

lemma "ALONE x"
  sorry

translations
  "ALONE x" \<rightharpoonup> "CONST Suc y"

lemma "ALONE x = x"
  sorry

datatype ('a, 'b) two = Left 'a | Right 'b

type_notation two (infixr "\<boxplus>" 10)

lemma
  fixes x :: "nat \<boxplus> bool"
  shows "x = Left 1 \<or> x \<noteq> Left 1"
  sorry

no_type_notation two (infixr "\<boxplus>" 10)

lemma
  fixes x :: "nat \<boxplus> bool"
  shows "x = x"
  sorry

end
