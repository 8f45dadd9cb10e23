theory LocalDefinitions imports Main
begin

lemma fixes x :: int assumes "x = 3" shows "x * x = 9"
proof -
  define y where "y = x * x"
  define g :: "int \<Rightarrow> int" where "g z = z + y" for z
  let ?y = "y + 0"
  have "?y = 9" unfolding y_def using assms sorry
  then show ?thesis using y_def sorry
qed

end
