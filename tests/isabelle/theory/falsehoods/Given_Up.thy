theory Given_Up imports Main
begin

lemma nonsense: "(0 :: nat) = 1" oops
lemma unproved: "(2 :: nat) = 3" sorry
lemma from_it: "(3 :: nat) = 4" using unproved by simp
lemma simplified [simp]: "(5 :: nat) = 6" sorry
lemma after: "(6 :: nat) = 7" by simp
theorem deep: "(7 :: nat) = 8"
proof -
  have "(7 :: nat) = 9" sorry
  then show ?thesis by simp
qed

lemma "(0 :: nat) = 1" sorry
lemma "(3 :: nat) = 4" sorry
lemma "(6 :: nat) = 7" sorry
lemma "(7 :: nat) = 8" sorry
lemma "False" sorry
lemma later_one: "(10 :: nat) = 11" sorry
lemma later_two: "(10 :: nat) = 11" by (rule later_one)

end
