theory Own_Translations
  imports Main
begin

definition flip :: "nat \<Rightarrow> nat \<Rightarrow> nat" where
  "flip a b = b - a"

syntax
  "_less" :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix "\<prec>" 50)
  "_minus" :: "nat \<Rightarrow> nat \<Rightarrow> nat" (infixl "\<ominus>" 65)
  "_for" :: "pttrn \<Rightarrow> bool \<Rightarrow> bool" (\<open>(FOR _./ _)\<close> [0, 10] 10)
  "_pair" :: "'a \<Rightarrow> 'a \<Rightarrow> 'b" (\<open>\<lblot>_, _\<rblot>\<close>)
  "_length" :: "'a list \<Rightarrow> nat" (\<open>len _\<close> [100] 100)

translations
  "x \<prec> y" \<rightharpoonup> "y < x"
  "x \<ominus> y" \<rightleftharpoons> "CONST flip x y"
  "FOR x. P" \<rightharpoonup> "\<exists>x. P"
  "\<lblot>x, y\<rblot>" \<rightharpoonup> "CONST Pair y x"

lemma "(1::nat) \<prec> 2"
  sorry

lemma "(5::nat) \<ominus> 3 = 2"
  sorry

lemma "FOR x. x = (0::nat) \<and> x = 1"
  sorry

lemma "(FOR x. x = (0::nat)) \<Longrightarrow> (a::nat) = 0"
  sorry

lemma "fst \<lblot>1, 2\<rblot> = (1::nat)"
  sorry

lemma "len [] = 0"
  sorry

lemma "len [x] = 2"
  sorry

translations
  "x \<le> y" \<rightharpoonup> "y < x"

lemma "(1::nat) \<le> 2"
  sorry

no_notation plus (infixl "+" 65)

syntax
  "_plus" :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl "+" 65)

translations
  "x + y" \<rightharpoonup> "CONST times x y"

lemma "(2::nat) + 3 = 5"
  sorry

typedecl ('a, 'b) arrow

type_notation arrow (infixr "\<rightarrow>\<^sub>t" 5)

lemma "(x::bool \<rightarrow>\<^sub>t bool) = y \<or> x = z \<or> y = z"
  sorry

end
