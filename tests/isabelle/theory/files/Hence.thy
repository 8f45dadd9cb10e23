theory Hence imports Main
begin

lemma fixes n :: nat shows "even n \<Longrightarrow> even (n * m)"
proof -
  assume "even n"
  hence "\<exists>k. n = 2 * k" sorry
  then obtain k where k: "n = 2 * k" sorry
  hence "n * m = 2 * (k * m)" sorry
  thus "even (n * m)" sorry
qed

end
