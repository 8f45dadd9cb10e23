theory Steps imports Main
begin

lemma
  fixes a b c :: int
  assumes ab: "a \<le> b" and bc: "b \<le> c"
  shows "a \<le> c + 1"
proof -
  have "a \<le> c" using ab bc sorry
  then have step: "a < c + 1" sorry
  from step show ?thesis sorry
qed

lemma "\<exists>x. P x \<Longrightarrow> \<exists>y. P y"
proof -
  assume "\<exists>x. P x"
  then obtain z where z: "P z" sorry
  with z show "\<exists>y. P y" sorry
qed

lemma "(\<forall>x. P x \<longrightarrow> Q x) \<Longrightarrow> P a \<Longrightarrow> Q a"
proof -
  assume *: "\<forall>x. P x \<longrightarrow> Q x" and "P a"
  note this
  have "Q a" using * \<open>P a\<close> sorry
  then show "Q a" .
qed

end
