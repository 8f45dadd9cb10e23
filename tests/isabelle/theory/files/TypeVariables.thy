theory TypeVariables imports Main
begin

lemma (in semigroup_add) "a + b + c = a + (b + c)"
proof -
  have "length [a, b] = 2" sorry
  show ?thesis sorry
qed

lemma (in ord) fixes f :: "'b \<Rightarrow> 'a" shows "f x < f y \<longrightarrow> x \<noteq> y" sorry

end
