theory Shadowed_Instances
  imports Main
begin

locale l = fixes n :: nat
begin
definition same where "same = n"
end

interpretation I: l 3 .

lemma "I.same = 4"
  sorry

lemma "True"
proof -
  interpret I: l 9 .
  have "I.same = 3" sorry
  show ?thesis ..
qed

lemma "True"
proof -
  interpret l 9 .
  have "same = 4" sorry
  show ?thesis ..
qed

locale below = l + fixes m :: nat
sublocale below \<subseteq> J: l m .

lemma (in below) "J.same = same"
  sorry

end
