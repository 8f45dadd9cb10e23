theory InstanceProofs imports Main
begin

datatype 'a box = Box 'a

instance box :: (finite) finite
proof
  show "finite (UNIV :: 'a box set)" sorry
qed

lemma "finite (A :: bool box set)" sorry

end
