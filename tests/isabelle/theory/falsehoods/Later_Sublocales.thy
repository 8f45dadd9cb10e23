theory Later_Sublocales
  imports Main
begin

locale above = fixes x :: nat
locale below = above + fixes y :: nat

definition (in above) same where "same = x"

lemma (in below) same_x: "same = x"
  by (simp add: same_def)

lemma (in below) "(1 :: nat) = 2"
  sorry

lemma (in below) "same = y"
  sorry

interpretation above 3 .

definition (in above) other where "other = x"

lemma other_3: "other = 3"
  by (simp add: other_def)

lemma "(1 :: nat) = 2"
  sorry

lemma "other = 4"
  sorry

lemma (in below) "other = 3"
  sorry

locale unital =
  fixes f :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and e :: 'a
  assumes unit: "f e x = x"
begin

definition twice where "twice x = f x x"

end

locale magma = fixes g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d :: 'a
  assumes swapped: "g x d = x"

locale more = magma g d for g :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and d + fixes b :: 'a
locale two = left: magma l c + right: magma r c for l r :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and c

sublocale magma \<subseteq> Q: unital "\<lambda>x y. g y x" d
  by unfold_locales (rule swapped)

lemma (in more) "g b x = x"
  sorry

lemma (in more) "g d x = x"
  sorry

lemma (in more) "Q.twice b = b"
  sorry

lemma (in two) "left.Q.twice x = right.Q.twice x"
  sorry

lemma (in two) "l c x = x"
  sorry

locale claimed = fixes h :: "'a \<Rightarrow> 'a \<Rightarrow> 'a" and c :: 'a
locale on_claimed = claimed + fixes z :: nat
locale deeper = on_claimed

sublocale claimed \<subseteq> S: magma h c
  sorry

lemma (in on_claimed) "h x c = x"
  sorry

lemma (in deeper) "S.Q.twice c = c"
  sorry

lemma (in magma) later: "g (g x d) d = x"
  by (simp add: swapped)

lemma (in deeper) "h (h x c) c = x"
  sorry

lemma (in magma) wrong: "g d x = x"
  sorry

lemma (in more) "g d b = b"
  sorry

locale given_up = fixes p :: "nat \<Rightarrow> bool"
locale on_given_up = given_up + fixes n :: nat
locale all_hold = fixes q :: "nat \<Rightarrow> bool" assumes all: "q k"

sublocale given_up \<subseteq> all_hold p
  oops

lemma (in on_given_up) "p n"
  sorry

locale in_turn = fixes s :: "nat \<Rightarrow> nat"
locale of_turn = fixes t :: "nat \<Rightarrow> nat"

sublocale in_turn \<subseteq> A: of_turn "\<lambda>n. s n + 1" .
sublocale of_turn \<subseteq> B: in_turn t .

definition (in of_turn) at where "at = t 0"

lemma (in in_turn) "s 0 = s 0 + 1"
  sorry

lemma (in of_turn) "at = t 1"
  sorry

lemma "at = 0"
  sorry

locale unread_above = fixes x :: nat
locale unread_below = fixes y :: nat

sublocale unread_below \<subseteq> unread_above y rewrites "y = y"
  by unfold_locales auto

definition (in unread_above) moved where "moved = x"

lemma (in unread_below) moved_y: "moved = y"
  by (simp add: moved_def)

lemma (in unread_below) "(1 :: nat) = 2"
  sorry

lemma (in unread_above) "moved = x + 1"
  sorry

interpretation unread_above 3 rewrites "(1 :: nat) = 1"
  by unfold_locales auto

definition (in unread_above) moved_again where "moved_again = x"

lemma moved_3: "moved_again = 3"
  by (simp add: moved_again_def)

lemma "(0 :: nat) = 2"
  sorry

end
