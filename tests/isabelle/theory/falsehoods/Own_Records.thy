theory Own_Records imports Main
begin

record point = across :: nat up :: nat
record 'c coloured = point + tint :: 'c
record other = left :: nat right :: nat

lemma "across \<lparr>across = 1, up = 2\<rparr> = 2" sorry
lemma "p\<lparr>across := 1\<rparr> = p" for p :: point sorry
lemma "p\<lparr>across := 1\<rparr>\<lparr>across := 2\<rparr> = p\<lparr>across := 1\<rparr>" for p :: point sorry
lemma "point.truncate p = point.truncate q \<Longrightarrow> p = q" for p :: "nat coloured" sorry
lemma "across p = across q \<Longrightarrow> up p = up q \<Longrightarrow> p = q" for p :: "'c coloured" sorry
lemma "across p = up p" for p :: "'z point_scheme" sorry
lemma "\<lparr>left = 1, right = 2\<rparr> = \<lparr>left = 2, right = 1\<rparr>" sorry
lemma "tint \<lparr>across = 1, up = 2, tint = c\<rparr> = d" sorry

end
