theory NotRead imports Main
begin

record point = xcoord :: int ycoord :: int
typedef small = "{0, 1 :: nat}" by auto
class shape = fixes area :: "'a \<Rightarrow> nat"
instantiation nat :: shape
begin
definition "area_nat n = (n :: nat)"
instance ..
end
syntax "_foo" :: "'a \<Rightarrow> 'a" ("FOO _" [10] 10)
ML \<open>val x = 1\<close>

lemma "xcoord \<lparr>xcoord = 1, ycoord = 2\<rparr> = 1" sorry
lemma "Rep_small x = 0 \<or> Rep_small x = 1" sorry
lemma "area (3 :: nat) = 3" sorry
lemma "FOO x = x" sorry
lemma "(1 :: nat) + 1 = 2" sorry

end
