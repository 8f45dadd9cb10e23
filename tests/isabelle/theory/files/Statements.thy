theory Statements imports Main
begin

lemma short: "x + y = y + (x :: nat)" sorry
lemma long:
  fixes x y :: int and z
  assumes "x < y" and le: "y \<le> z"
  shows "x < z" sorry
lemma with_if: "x < z" if "x < y" "y < z" for x y z :: nat sorry
theorem two: shows first: "P \<Longrightarrow> P" and second: "Q \<Longrightarrow> Q \<or> R" sorry
lemma obtained: fixes n :: nat obtains m where "m > n" sorry
corollary sorted: fixes x :: "'a :: linorder" shows "x \<le> y \<or> y \<le> x" sorry
proposition pattern: "a + b = b + a" (is "?l = ?r") for a b :: nat
proof -
  have "?r = ?l" sorry
  then show ?thesis sorry
qed

end
