theory InClasses imports Main
begin

context ab_group_add
begin
lemma "a + b - b = a" sorry
end

lemma (in linorder) between: "x < y \<Longrightarrow> \<not> y < x"
proof
  assume "x < y" "y < x"
  then have "x < x" sorry
  then show False by simp
qed

lemma (in order) "finite A \<Longrightarrow> card A = card (A :: 'a set)" sorry

end
