theory Interpreted imports Main
begin

locale shifted = fixes amount :: nat
begin
definition "shift n = n + amount"
end

interpretation two: shifted 2 .
lemma "two.shift 1 = 3" sorry

interpretation shifted 3 .
lemma "shift 1 = 4" sorry
lemma "shifted.shift 3 1 = 4" sorry

end
