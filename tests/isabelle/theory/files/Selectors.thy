theory Selectors
  imports Main
begin

datatype 'a chain = End | Link (top: 'a) (rest: "'a chain")
  where "rest End = End"

lemma "rest (rest End) = End"
  using chain.sel(1) sorry

lemma "top (Link x c) = x \<and> rest (Link x c) = c"
  using chain.sel sorry

datatype shape = is_circle: Circle (radius: nat) | Square (side: nat) (colour: bool) | Dot
  where "side (Circle r) = 2 * r" | "side Dot = 0"

lemma "is_circle s \<Longrightarrow> side s = 2 * radius s"
  sorry

lemma "is_Square s \<or> is_circle s \<or> s = Dot"
  using shape.disc sorry

datatype two = One nat | Two (second: int) nat

lemma "is_One (One n) \<and> \<not> is_Two (One n) \<and> un_One (One n) = n \<and> un_Two2 (Two i n) = n"
  using two.sel two.disc sorry

datatype (discs_sels) either = Ours nat | Theirs bool

lemma "is_Ours e \<Longrightarrow> \<exists>n. e = Ours n"
  sorry

lemma "un_Theirs (Theirs b) = b"
  sorry

datatype plain = P nat | Q

lemma "is_P x = un_P x"
  sorry

datatype sole = Sole (amount: nat)

lemma "amount (Sole n) = n"
  using sole.sel sorry

datatype ('k, 'v) entry = isno: None_at | Entry (key: 'k) (datum: "'v option")
  where "datum None_at = None"

lemma "isno (None_at :: ('k, 'v) entry) \<and> datum (None_at :: ('k, 'v) entry) = None"
  using entry.disc sorry

end
