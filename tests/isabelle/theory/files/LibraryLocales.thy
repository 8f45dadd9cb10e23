theory LibraryLocales imports "HOL-Algebra.Group"
begin

lemma (in group) "x \<in> carrier G \<Longrightarrow> x \<otimes> \<one> = x" sorry

context monoid
begin
definition square where "square x = x \<otimes> x"
lemma "x \<in> carrier G \<Longrightarrow> square x \<otimes> x = x \<otimes> square x" sorry
end

lemma assumes "group H" shows "\<one>\<^bsub>H\<^esub> \<in> carrier H" sorry

lemma fixes K (structure) assumes "group K" shows "\<one> \<in> carrier K" sorry

end
