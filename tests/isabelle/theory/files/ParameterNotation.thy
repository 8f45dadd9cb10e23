theory ParameterNotation imports Main
begin

locale ring_like =
  fixes add :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl "\<oplus>" 65)
    and neutral :: 'a ("\<zero>")
  assumes left: "\<zero> \<oplus> x = x"
begin
definition double ("\<langle>_\<rangle>") where "\<langle>x\<rangle> = x \<oplus> x"
lemma "\<langle>\<zero>\<rangle> = \<zero>" sorry
fun times :: "nat \<Rightarrow> 'a \<Rightarrow> 'a" where
  "times 0 x = \<zero>"
| "times (Suc n) x = x \<oplus> times n x"
lemma "times 1 x = x \<oplus> \<zero>" sorry
end

lemma (in ring_like) "\<zero> \<oplus> \<zero> = \<zero>" sorry
lemma "ring_like (+) (0 :: nat)" sorry

end
