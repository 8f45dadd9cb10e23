theory Nested imports Main
begin

lemma
  fixes f :: "nat \<Rightarrow> nat"
  assumes mono: "\<And>x y. x \<le> y \<Longrightarrow> f x \<le> f y"
  shows "f 0 \<le> f n"
proof -
  have all: "f x \<le> f y" if "x \<le> y" for x y
  proof -
    have "f x \<le> f y" using mono that sorry
    then show ?thesis sorry
  qed
  show ?thesis using all sorry
qed

end
