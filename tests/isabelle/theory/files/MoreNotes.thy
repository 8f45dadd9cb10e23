theory MoreNotes imports Main
begin

lemma fixes a b c :: nat assumes ab: "a < b" and bc: "b < c" shows "a < c"
proof -
  note both = ab bc
  from both have "a < c" sorry
  note less_trans [OF ab bc]
  then have "a < c" sorry
  show ?thesis using both(1) both(2) sorry
qed

end
