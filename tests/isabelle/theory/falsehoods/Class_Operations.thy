theory Class_Operations imports Main
begin

class sized = fixes len :: "'a \<Rightarrow> nat"

instantiation nat :: sized
begin
definition "len_nat n = (n :: nat) + 1"
instance ..
end

lemma "len (0 :: nat) = 0" sorry
lemma "len (x :: 'a :: sized) = 0" sorry
lemma "len (3 :: nat) = 3" sorry

class backwards = ord + assumes turned: "x < y \<Longrightarrow> y < x"
lemma (in backwards) "\<not> x < y" sorry
lemma (in backwards) "x < y \<Longrightarrow> False" sorry
lemma (in ord) "x \<le> x" sorry
lemma (in ord) "x < y \<Longrightarrow> \<not> y < x" sorry
lemma (in plus) "x + y = y + x" sorry
lemma (in semigroup_add) "a + b = b + a" sorry
lemma (in monoid_mult) "x * y = y * x" sorry

end
