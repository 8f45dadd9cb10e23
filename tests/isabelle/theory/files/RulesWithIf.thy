theory RulesWithIf
  imports Main
begin

type_synonym relation = "(nat \<times> nat) set"

inductive_set clos :: "relation \<Rightarrow> nat \<Rightarrow> relation"
  for r :: relation and n :: nat
where
  base: "(x, y) \<in> clos r n" if "(x, y) \<in> r"
| step: "(x, y) \<in> clos r n" if "(x, z) \<in> clos r n" and "(z, y) \<in> clos r n" and "z < n"

lemma "(x, y) \<in> clos r n \<Longrightarrow> (x, y) \<in> r\<^sup>+"
proof (induct rule: clos.induct)
  case (base x y)
  then show ?case
    sorry
next
  case (step x z y)
  then show ?case
    sorry
qed

inductive even' :: "nat \<Rightarrow> bool" where
  "even' 0"
| up: "even' (n + 2)" if "even' n" "n \<noteq> 7"

lemma "even' 2"
  using even'.intros sorry

inductive odd' :: "nat \<Rightarrow> bool" where
  "odd' 1"
| "odd' (n + m)" if "odd' n" "m = 2" for m

lemma "odd' 1"
  using odd'.intros sorry

end
