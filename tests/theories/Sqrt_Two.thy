theory Sqrt_Two
  imports Complex_Main
begin

text \<open>The square root of two is irrational: numerator and denominator in lowest terms would both be even.\<close>

theorem sqrt_two_irrational: "sqrt 2 \<notin> \<rat>"
proof
  assume "sqrt 2 \<in> \<rat>"
  then obtain a b :: int where fraction: "sqrt 2 = of_int a / of_int b" and b: "b > 0" and lowest: "coprime a b"
    by (rule Rats_cases')
  from fraction b have "sqrt 2 * of_int b = of_int a"
    by (simp add: field_simps)
  then have "(sqrt 2 * of_int b)\<^sup>2 = (of_int a)\<^sup>2"
    by (rule arg_cong)
  then have "of_int (2 * b\<^sup>2) = (of_int (a\<^sup>2) :: real)"
    by (simp add: power_mult_distrib)
  then have square: "2 * b\<^sup>2 = a\<^sup>2"
    by (simp only: of_int_eq_iff)
  then have "even a"
    by (metis dvd_triv_left even_mult_iff power2_eq_square)
  then obtain c where "a = 2 * c"
    by (rule dvdE)
  with square have "b\<^sup>2 = 2 * c\<^sup>2"
    by (simp add: power2_eq_square)
  then have "even (b\<^sup>2)"
    by (rule dvdI)
  then have "even b"
    by (simp add: power2_eq_square even_mult_iff)
  with lowest \<open>even a\<close> have "is_unit (2 :: int)"
    by (rule coprime_common_divisor)
  then show False
    by simp
qed

end
