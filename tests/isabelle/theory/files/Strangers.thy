theory Strangers imports Main
begin

lemma "\<exists>n :: nat. n = n"
proof -
  obtain m where m: "m = (k :: nat)" sorry
  then have "m = k" sorry
  show ?thesis sorry
qed

end
