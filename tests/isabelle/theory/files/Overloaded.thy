theory Overloaded imports Main
begin

consts weight :: "'a \<Rightarrow> nat"

overloading weight_nat \<equiv> "weight :: nat \<Rightarrow> nat"
begin
definition "weight_nat n = (n :: nat)"
end

lemma "weight (3 :: nat) = 3" sorry

end
