theory Coerced imports Complex_Main
begin

lemma
  fixes u v :: nat
  assumes "(u + v) / 2 = 64"
  shows "u + v = 128" sorry

lemma fixes n :: nat and x :: real shows "n * x = x * n" sorry

end
