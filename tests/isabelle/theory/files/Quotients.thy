theory Quotients imports Main
begin

quotient_type parity = "nat" / "\<lambda>m n. even m = even n"
  by (auto intro!: equivpI reflpI sympI transpI)

lift_definition odd_one :: parity is "1 :: nat" .

lemma "x = (y :: parity) \<or> x = odd_one \<or> y = odd_one" sorry
lemma "abs_parity 1 = odd_one" sorry

end
