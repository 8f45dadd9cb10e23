theory Instances imports Main
begin

class pointed = fixes point :: 'a

instantiation nat :: pointed
begin
definition "point_nat = (0 :: nat)"
instance ..
end

instantiation prod :: (pointed, pointed) pointed
begin
definition "point_prod = (point, point)"
instance ..
end

lemma "fst (point :: nat \<times> nat) = point" sorry

datatype colour = Red | Green

instantiation colour :: linorder
begin
definition "less_eq_colour x y \<longleftrightarrow> x = Red \<or> y = (Green :: colour)"
definition "less_colour x y \<longleftrightarrow> x = Red \<and> y = (Green :: colour)"
instance
proof
  fix x y :: colour
  show "x \<le> y \<or> y \<le> x" sorry
qed (auto simp: less_eq_colour_def less_colour_def)
end

lemma "Red \<le> x" sorry

end
