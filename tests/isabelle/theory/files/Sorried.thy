theory Sorried imports Main
begin

lemma wrong [simp]: "(0 :: nat) = 1" sorry
lemma also_wrong: "(1 :: nat) = 2" using wrong by simp
lemma given_up: "False" oops
lemma fine: "(2 :: nat) = 2" by simp

lemma "(0 :: nat) = 3" sorry
lemma "(0 :: nat) = 3" using wrong sorry
lemma "False" using given_up sorry

end
