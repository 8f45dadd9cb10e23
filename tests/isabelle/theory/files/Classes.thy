theory Classes imports Main
begin

class shape =
  fixes area :: "'a \<Rightarrow> nat" and grown :: "'a \<Rightarrow> 'a"  ("\<up>_" [80] 80)
  assumes larger: "area x < area (\<up>x)"
begin
definition twice :: "'a \<Rightarrow> 'a" where "twice x = \<up>(\<up>x)"
lemma area_twice: "area x < area (twice x)" sorry
end

lemma (in shape) "area (twice x) \<noteq> area x" sorry
lemma "area (x :: 'b :: shape) \<le> area (twice x)" sorry

end
