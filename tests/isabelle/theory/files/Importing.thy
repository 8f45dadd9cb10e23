theory Importing imports Base
begin

definition top :: nat where "top = base - 1"

lemma "top = 9" sorry
lemma "Digit top \<noteq> Digit base" sorry

end
