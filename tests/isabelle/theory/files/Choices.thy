theory Choices imports Main
begin

lemma obtains (zero) "n = (0 :: nat)" | (more) k where "n = Suc k"
proof -
  consider "n = 0" | "n > 0" sorry
  then show thesis using that sorry
qed

end
