theory FormulasInRules imports Main
begin

type_synonym ('o, '\<sigma>) mon = "'\<sigma> \<Rightarrow> ('o \<times> '\<sigma>) option"

definition bind_mon :: "('o, '\<sigma>) mon \<Rightarrow> ('o \<Rightarrow> ('p, '\<sigma>) mon) \<Rightarrow> ('p, '\<sigma>) mon" where
  "bind_mon f g = (\<lambda>s. case f s of None \<Rightarrow> None | Some (out, s') \<Rightarrow> g out s')"

datatype '\<alpha> box = Box '\<alpha>

lemma "bind_mon (\<lambda>s. None) g = (\<lambda>s. None)"
proof -
  have "bind_mon (\<lambda>s. None) g s = None" for s sorry
  then show ?thesis sorry
qed

lemma "Box x = Box y \<Longrightarrow> x = y"
proof -
  show "Box x = Box y \<Longrightarrow> x = y" sorry
qed

lemma "length (rev xs) = length xs"
proof (induction xs rule: length_induct)
  case (1 xs)
  then have "xs = [] \<or> xs \<noteq> []" sorry
  show ?case sorry
qed

lemma "n \<le> n * n" for n :: nat
proof (induct n rule: nat_less_induct)
  case (1 n)
  from 1 show ?case sorry
qed

lemma "sum_list xs \<le> m \<longrightarrow> length (filter (\<lambda>x. x > 0) xs) \<le> (m :: nat)"
proof (induct xs rule: length_induct)
  case (1 ys)
  have "\<forall>zs. length zs < length ys \<longrightarrow> sum_list zs \<le> m \<longrightarrow> length (filter (\<lambda>x. x > 0) zs) \<le> m"
    using 1 sorry
  show ?case sorry
qed

end
