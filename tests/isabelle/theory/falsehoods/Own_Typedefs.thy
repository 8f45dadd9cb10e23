theory Own_Typedefs imports Main
begin

typedef small = "{n :: nat. n < 10}" by (rule exI [of _ 0]) simp

lemma "Rep_small (Abs_small 12) = 12" sorry
lemma "Rep_small x = 0" sorry
lemma "Rep_small x > 10" sorry
lemma "Abs_small 1 = Abs_small 2" sorry

typedef nothing = "{} :: nat set" sorry

lemma "False" sorry
lemma "(1 :: nat) = 2" sorry

end
