theory Locales imports Main
begin

locale magma =
  fixes op :: "'a \<Rightarrow> 'a \<Rightarrow> 'a"
  assumes assoc: "op (op x y) z = op x (op y z)"
begin
definition power2 where "power2 x = op x x"
lemma power2_op: "op (power2 x) y = op x (op x y)" sorry
end

lemma (in magma) "op x (power2 x) = op (power2 x) x" sorry

locale unital = magma +
  fixes e :: 'a
  assumes left_unit: "op e x = x"

lemma (in unital) "op e (op e x) = x" sorry

context unital
begin
lemma "power2 e = e" sorry
end

context fixes n :: nat assumes pos: "0 < n"
begin
definition below where "below m \<longleftrightarrow> m < n"
lemma zero_below: "below 0" using pos by (simp add: below_def)
lemma "n \<noteq> 0" sorry
end

lemma "below 5 4" sorry

end
