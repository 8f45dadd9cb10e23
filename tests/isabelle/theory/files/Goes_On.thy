theory Goes_On imports Main
begin

syntax "_strange" :: "'a \<Rightarrow> 'a" ("STRANGE _" [10] 10)

lemma fixes n :: nat assumes pos: "0 < n" shows "n \<noteq> 0"
proof -
  have odd_one: "STRANGE n = n" sorry
  have "n \<ge> 1" using pos sorry
  moreover have "STRANGE n = n" sorry
  ultimately have "n > 0" sorry
  from odd_one have "n = n" sorry
  then show ?thesis using pos sorry
qed

end
