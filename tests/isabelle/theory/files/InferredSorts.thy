theory InferredSorts
  imports Main
begin

lemma
  assumes "x < y" and "P x"
  shows "sorted [x, y]"
proof -
  {
    fix z :: 'a
    assume "x < z"
    then have "x \<le> z" sorry
  }
  show ?thesis sorry
qed

lemma "sorted (f x) \<Longrightarrow> g y = x"
proof -
  fix u v :: 'a and w :: 'b and k :: 'c
  have "u \<le> v \<or> v \<le> u" sorry
  have "w = x \<or> k = y" sorry
  show "sorted (f x) \<Longrightarrow> g y = x" sorry
qed

syntax "_both" :: "['a, 'a] => bool" (\<open>BOTH _ \<and> _\<close> [10, 10] 10)
translations "BOTH x \<and> y" == "CONST conj x y"

lemma "BOTH p \<and> q"
  sorry

definition below :: "nat \<Rightarrow> nat set" (\<open>(\<open>indent=1 notation=\<open>mixfix set interval\<close>\<close>{!<_})\<close>)
  where "{!<u} = {x. x < u}"

syntax (latex output)
  "_both" :: "['a, 'a] \<Rightarrow> bool" (\<open>(3\<^latex>\<open>$\<close>_ \<and> _)\<close> [10, 10] 10)

lemma "{!<u} = {x. x < u} \<and> (BOTH p \<and> q)"
  sorry

context ord
begin
context fixes k :: 'a assumes small: "k < k"
begin
definition odd_one where "odd_one = k"
end
end

lemma "k < (m :: nat)"
  sorry

lemma "odd_one k"
  sorry

abbreviation somewhere :: "('t \<Rightarrow> nat \<Rightarrow> bool) \<Rightarrow> nat \<Rightarrow> bool" (binder "SOMEWHERE " [8] 9)
  where "SOMEWHERE x. p x \<equiv> (\<lambda>n. \<exists>x. p x n)"

lemma "(SOMEWHERE x. P x) n"
  sorry

abbreviation opposite :: "(bool \<Rightarrow> nat \<Rightarrow> bool) \<Rightarrow> bool \<Rightarrow> nat \<Rightarrow> bool"
  where "opposite p \<equiv> \<lambda>x w. \<not> p x w"

lemma "\<not> (a = (b :: int)) \<and> opposite q c 1"
  sorry

end
