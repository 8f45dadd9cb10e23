theory Typedefs
  imports Main
begin

typedef small = "{n :: nat. n < 10}"
  by (rule exI [of _ 0]) simp

lemma "Rep_small s < 10"
  using Rep_small [of s] sorry

lemma "Abs_small (Rep_small s) = s"
  using Rep_small_inverse sorry

lemma
  assumes "n < 10"
  shows "Rep_small (Abs_small n) = n"
  using Abs_small_inverse Abs_small_inject Rep_small_inject sorry

typedef 'a chosen = "{xs :: 'a list. xs \<noteq> []}" morphisms items wrap
  by auto

definition first :: "'a chosen \<Rightarrow> 'a" where "first c = hd (items c)"

lemma "first (wrap [x]) = x"
  using wrap_inverse [of "[x]"] unfolding first_def sorry

lemma "items c = items d \<Longrightarrow> c = d"
  using items_inject items sorry

typedef nothing = "{} :: nat set"
  sorry

lemma "Rep_nothing x = 0"
  using Rep_nothing sorry

end
