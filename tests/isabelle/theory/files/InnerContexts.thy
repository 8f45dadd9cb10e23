theory InnerContexts imports Main
begin

locale counted = fixes size_of :: "'a \<Rightarrow> nat"
begin
context fixes bound :: nat assumes bounded: "size_of x < bound"
begin
definition "left x = bound - size_of x"
lemma positive: "0 < left x" sorry
end
lemma "left b x = b - size_of x" sorry
end

context
begin
definition "hidden n = n + (1 :: nat)"
lemma "hidden 0 = 1" sorry
end

end
