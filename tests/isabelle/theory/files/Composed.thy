theory Composed imports Main
begin

lemma
  fixes a b c d :: nat and A B :: "nat set"
  shows True
proof -
  have "a dvd b" sorry
  also have "b dvd c" sorry
  finally have "a dvd c" sorry
  have "a = 2 * b" sorry
  also have "b = c + 1" sorry
  finally have "a = 2 * (c + 1)" sorry
  have "a \<in> {b, c}" sorry
  also have "{b, c} = A" sorry
  also have "A \<subseteq> {0..d}" sorry
  finally have "a \<in> {0..d}" sorry
  have "A \<subset> B" sorry
  also have "B \<subseteq> {0..d}" sorry
  finally have "A \<subset> {0..d}" sorry
  have "a = b" sorry
  also have "b dvd d" sorry
  finally have "a dvd d" sorry
  have "a = b * 2" sorry
  also have "b = b * 3" sorry
  finally have "a = b * 3 * 2" sorry
  have "a \<le> 2 * b" sorry
  also have "b \<le> c" sorry
  finally have "a \<le> 2 * c" sorry
  have "a = b" sorry
  also have "\<dots> = c" sorry
  also have "\<dots> < d" sorry
  also have "\<dots> \<le> 2 * d" sorry
  finally show True sorry
qed

end
