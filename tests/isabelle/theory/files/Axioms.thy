theory Axioms imports Main
begin

typedecl item
axiomatization weight :: "item \<Rightarrow> nat" and lightest :: item
  where least: "weight lightest \<le> weight x"
    and positive [simp]: "0 < weight x"

lemma "weight lightest \<le> weight y" sorry

end
