theory Interpreting
  imports Main
begin

locale above =
  fixes bound :: nat
  assumes positive: "0 < bound"
begin

lemma not_zero: "bound \<noteq> 0"
  using positive by simp

end

lemma through_interpret:
  fixes n :: nat
  assumes big: "3 < n"
  shows "n \<noteq> 0"
proof -
  interpret here: above n
    using big by unfold_locales simp
  show "n \<noteq> 0" by (rule here.not_zero)
qed

lemma nested_interpret:
  fixes m n :: nat
  assumes "0 < m" and "0 < n"
  shows "m \<noteq> 0 \<and> n \<noteq> 0"
proof -
  interpret left: above m using assms(1) by unfold_locales
  interpret right: above n using assms(2) by unfold_locales
  note both = left.not_zero right.not_zero
  from both show ?thesis by blast
qed

end
