theory Records
  imports Main
begin

record point =
  xpos :: nat
  ypos :: nat

record 'c cpoint = point +
  col :: 'c

record ('a, 'b) pairs = snd_part :: "'b list"
  fst_part :: 'a

definition origin :: point where "origin = \<lparr>xpos = 0, ypos = 0\<rparr>"

definition shifted :: "'z point_scheme \<Rightarrow> 'z point_scheme" where
  "shifted p = p\<lparr>xpos := xpos p + 1, ypos := 2\<rparr>"

lemma at_origin: "xpos origin = 0"
  sorry

lemma
  fixes p :: "nat cpoint"
  assumes "col p = 3"
  shows "shifted p = \<lparr>xpos = xpos p + 1, ypos = 2, col = 3\<rparr>"
proof -
  have "xpos (shifted p) = Suc (xpos p)" sorry
  moreover have "point.more p = \<lparr>col = 3\<rparr>" sorry
  moreover have "point.truncate p = point.make (xpos p) (ypos p)" sorry
  moreover have "cpoint.more p = ()" sorry
  ultimately show ?thesis sorry
qed

lemma "fst_part \<lparr>snd_part = [x], fst_part = y, \<dots> = z\<rparr> = y"
  sorry

lemma
  fixes q :: "\<lparr>xpos :: nat, ypos :: nat, \<dots> :: 'd\<rparr>"
  shows "q\<lparr>ypos := 1\<rparr>\<lparr>ypos := 2\<rparr> = q(|ypos := 2|)"
  using point.surjective [of q] sorry

lemma "\<lparr>xpos = a, ypos = b\<rparr> = \<lparr>xpos = c, ypos = d\<rparr> \<longleftrightarrow> a = c \<and> b = d"
  using point.iffs sorry

record 'a shop = carrier :: "'a set"
  join :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" (infixl "\<odot>\<index>" 70)
  unit_of :: 'a ("\<zero>\<index>")

locale shops = fixes S (structure)
  assumes closed: "\<lbrakk>x \<in> carrier S; y \<in> carrier S\<rbrakk> \<Longrightarrow> x \<odot> y \<in> carrier S"
    and unit: "\<zero> \<in> carrier S"
begin

lemma twice: "x \<in> carrier S \<Longrightarrow> x \<odot> \<zero> \<in> carrier S"
  using closed [OF _ unit] sorry

definition double where "double x = x \<odot> x"

lemma "x \<in> carrier S \<Longrightarrow> double x \<odot>\<^bsub>S\<^esub> x \<in> carrier S"
  using closed unfolding double_def sorry

end

lemma "point.extend origin n = \<lparr>xpos = 0, ypos = 0, \<dots> = n\<rparr>"
  sorry

lemma "ypos (xpos_update f r) = ypos r"
  by (cases r) simp

lemma
  fixes p :: point
  shows "\<exists>n. p = \<lparr>xpos = n, ypos = ypos p\<rparr>"
proof (cases p)
  case (fields m k)
  then have "ypos p = k" sorry
  with fields show ?thesis sorry
qed

lemma
  fixes p :: "'a cpoint" and r :: "'b point_scheme"
  shows "\<exists>n. ypos p = n" "xpos r = xpos r"
proof -
  show "\<exists>n. ypos p = n"
  proof (cases p)
    case (fields m k c)
    then show ?thesis sorry
  qed
  show "xpos r = xpos r"
  proof (cases r)
    case (fields m k more)
    then show ?thesis sorry
  qed
qed

lemma "\<lparr>ypos = 1, xpos = 2\<rparr> = origin"
  sorry

end
