theory Using imports Main
begin

definition five :: nat where "five = 5"
lemma five_pos: "0 < five" by (simp add: five_def)

lemma "five \<noteq> 0"
  using five_pos sorry

lemma "five + 1 = 6"
  unfolding five_def sorry

lemma "x < y \<Longrightarrow> x \<noteq> (y :: nat)"
  using less_irrefl[of x] sorry

end
