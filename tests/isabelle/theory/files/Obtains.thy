theory Obtains imports Main
begin

lemma fixes a b :: nat assumes "a dvd b" shows "\<exists>k. b = a * k"
proof -
  obtain k where k: "b = a * k" using assms sorry
  show ?thesis using k sorry
qed

lemma fixes n :: nat shows "n = 0 \<or> n \<ge> 1"
proof -
  consider (zero) "n = 0" | (pos) m where "n = Suc m" sorry
  then show ?thesis sorry
qed

end
