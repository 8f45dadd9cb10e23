theory Defines imports Main
begin

lemma
  fixes xs :: "'a list"
  defines "n \<equiv> length xs"
  assumes "xs \<noteq> []"
  shows "0 < n"
proof -
  have "n = length xs" using n_def sorry
  then show ?thesis using assms sorry
qed

end
