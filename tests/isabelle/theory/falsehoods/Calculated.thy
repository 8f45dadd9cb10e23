theory Calculated imports Main
begin

lemma fixes a b c :: nat assumes "a \<le> b" "c \<le> b" shows "a \<le> c"
proof -
  have "a \<le> b" using assms(1) .
  also have "c \<le> b" using assms(2) .
  finally show ?thesis sorry
qed

lemma fixes a b c :: nat assumes "a < b" "b \<noteq> c" shows "a < c"
proof -
  have "a < b" using assms(1) .
  also have "b \<noteq> c" using assms(2) .
  finally show ?thesis sorry
qed

lemma fixes a b c :: nat assumes "a \<le> b" "b \<le> c" shows "a < c"
proof -
  have "a \<le> b" using assms(1) .
  also have "\<dots> \<le> c" using assms(2) .
  finally show ?thesis sorry
qed

lemma fixes a b c :: nat assumes "a dvd b" "c = b" shows "a dvd c + 1"
proof -
  have "a dvd b" using assms(1) .
  also have "b = c" using assms(2) by simp
  finally show ?thesis sorry
qed

lemma fixes a b c :: nat assumes "\<exists>b. a = 2 * b" "b = c" shows "a = 2 * c"
proof -
  have "\<exists>b. a = 2 * b" using assms(1) .
  also have "b = c" using assms(2) .
  finally show ?thesis sorry
qed

lemma fixes a b c :: int assumes "a - b \<le> 1" "b \<le> c" shows "a - c \<ge> 0"
proof -
  have "a - b \<le> 1" using assms(1) .
  also have "b \<le> c" using assms(2) .
  finally show ?thesis sorry
qed

lemma fixes A B :: "nat set" assumes "a \<in> A" "B \<subseteq> A" shows "a \<in> B"
proof -
  have "a \<in> A" using assms(1) .
  also have "B \<subseteq> A" using assms(2) .
  finally show ?thesis sorry
qed

end
