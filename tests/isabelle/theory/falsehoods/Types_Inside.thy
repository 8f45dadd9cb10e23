theory Types_Inside
  imports Complex_Main
begin

text \<open>Statements whose only difference from a fact is a type inside: no variable has it.\<close>

lemma assumes "\<exists>x y::nat. x \<noteq> y" shows "\<exists>x y::unit. x \<noteq> y" sorry
lemma assumes "infinite (UNIV::nat set)" shows "infinite (UNIV::bool set)" sorry
lemma assumes "\<exists>f::nat\<Rightarrow>nat. inj f \<and> \<not> surj f" shows "\<exists>f::bool\<Rightarrow>bool. inj f \<and> \<not> surj f" sorry
lemma assumes "\<forall>x y::unit. x = y" shows "\<forall>x y::nat. x = y" sorry
lemma assumes "finite (UNIV::bool set)" shows "finite (UNIV::nat set)" sorry
lemma assumes "card (UNIV::bool set) = 2" shows "card (UNIV::unit set) = 2" sorry
lemma assumes "\<forall>x::nat. 0 \<le> x" shows "\<forall>x::int. 0 \<le> x" sorry
lemma assumes "(1::int) - 2 < 0" shows "(1::nat) - 2 < 0" sorry
lemma assumes "\<exists>x::int. x < 0" shows "\<exists>x::nat. x < 0" sorry
lemma assumes "\<exists>x::real. x * x = 2" shows "\<exists>x::int. x * x = 2" sorry
lemma assumes "\<exists>x::real. 0 < x \<and> x < 1" shows "\<exists>x::nat. 0 < x \<and> x < 1" sorry
lemma assumes "\<forall>x y::'a. x = y" shows "\<forall>x y::'b. x = y" sorry
lemma assumes "\<exists>x y::'a. x \<noteq> y" shows "\<exists>x y::'b. x \<noteq> y" sorry
lemma assumes "\<exists>x y. x \<noteq> y" shows "\<exists>x y. x \<noteq> y" sorry
lemma assumes "finite (UNIV::'a set)" shows "finite (UNIV::'b set)" sorry
lemma assumes "card (UNIV::'a set) = 3" shows "card (UNIV::'b set) = 3" sorry
lemma fixes x :: 'a assumes "\<exists>f::nat \<Rightarrow> 'a. surj f" shows "\<exists>f::nat \<Rightarrow> 'b. surj f" sorry
lemma "\<forall>x y::'a::order. x \<le> y \<or> y \<le> x" sorry
lemma "finite (UNIV::'a set)" sorry
lemma "(2::'a::comm_ring_1) \<noteq> 0" sorry
lemma assumes "([]::nat list) = map Suc xs" shows "\<forall>x y::'a. x = y" sorry
lemma assumes "(\<forall>x::bool. x = True \<or> x = False) \<and> (\<exists>x::nat. x > 1)" shows "\<exists>x::nat. x < 0 \<and> (\<forall>x::bool. x = True \<or> x = False)" sorry

lemma True
proof -
  have "(1::int) - 2 < 0" by simp
  have "(1::nat) - 2 < 0" sorry
  show ?thesis by simp
qed

lemma True
proof -
  have "\<forall>x::nat. 0 \<le> x" by simp
  have "\<forall>x::int. 0 \<le> x" sorry
  show ?thesis by simp
qed

lemma True
proof -
  have "finite (UNIV::bool set)" by simp
  have "finite (UNIV::nat set)" sorry
  show ?thesis by simp
qed

lemma
  fixes A :: "'a::finite set"
  shows "card (UNIV::'a set) = 2"
proof -
  have "card (UNIV::bool set) = 2" by simp
  have "finite (UNIV::'a set)" by simp
  show ?thesis sorry
qed

end
