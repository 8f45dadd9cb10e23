theory AssumedRules
  imports Main
begin

lemma "(\<And>i::nat. f i < f (Suc i)) \<Longrightarrow> f 0 < (f 2 :: nat)"
proof -
  assume up: "f i < f (Suc i)" for i
  show ?thesis sorry
qed

lemma "(\<And>i::nat. 0 < i \<Longrightarrow> P i) \<Longrightarrow> P (Suc 0)"
proof -
  assume "P i" if "0 < i" for i :: nat
  then show "P (Suc 0)" sorry
qed

lemma "(A \<Longrightarrow> B) \<Longrightarrow> A \<Longrightarrow> B"
proof -
  assume ab: B if A
  assume a: A
  show B sorry
qed

lemma
  fixes i :: nat
  assumes zero: "i = 0"
  shows "(\<And>i::nat. Q i) \<Longrightarrow> Q i"
proof -
  assume all: "Q i" for i :: nat
  show "Q i" sorry
qed

end
