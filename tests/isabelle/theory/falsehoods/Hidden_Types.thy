theory Hidden_Types imports Complex_Main
begin

type_synonym real = int
datatype nat = Zero | Next nat
datatype 'a list = Nil | Cons 'a "'a list"
typedecl bool'

lemma fixes x :: real shows "x div 2 * 2 = x" sorry
lemma fixes n :: nat shows "n + 0 = n" sorry
lemma fixes n :: nat shows "n = Zero" sorry
lemma "Next n = n" sorry
lemma "Cons x xs = List.Cons x []" sorry
lemma fixes xs :: "'a list" shows "xs = Nil" sorry
lemma fixes p q :: bool' shows "p = q" sorry

end
