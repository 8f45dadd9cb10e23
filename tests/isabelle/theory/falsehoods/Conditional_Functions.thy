theory Conditional_Functions
  imports Main
begin

function sign :: "int \<Rightarrow> int" where
  "sign x = 1" if "x > 0"
| "sign x = -1" if "x < 0"
| "sign x = 0" if "x = 0"
  by fastforce+
termination by lexicographic_order

lemma "sign x = 1"
  sorry

lemma "sign 0 = 1"
  sorry

lemma "x > 0 \<Longrightarrow> sign x = -1"
  sorry

function claimed :: "nat \<Rightarrow> nat" where
  "claimed n = 1" if "n > 0"
| "claimed n = 2" if "n < 5"
  sorry
termination by lexicographic_order

lemma "claimed 3 = 2"
  sorry

lemma "(1 :: nat) = 2"
  sorry

function both :: "nat \<Rightarrow> nat" where
  "both n = 1"
| "both n = 2"
  sorry
termination by lexicographic_order

lemma "both 3 = 1 \<and> both 3 = 2"
  sorry

function given_up :: "nat \<Rightarrow> nat" where
  "given_up n = 1" if "n > 0"
| "given_up n = 2" if "n = 0"
  oops

lemma "given_up 3 = 1"
  sorry

function endless :: "nat \<Rightarrow> nat" where
  "endless n = Suc (endless n)" if "n > 0"
| "endless n = 0" if "n = 0"
  by auto

lemma "endless 1 = Suc (endless 1)"
  sorry

function unproved_end :: "nat \<Rightarrow> nat" where
  "unproved_end n = Suc (unproved_end n)" if "n > 0"
| "unproved_end n = 0" if "n = 0"
  by auto
termination sorry

lemma "unproved_end 1 = Suc (unproved_end 1)"
  sorry

locale ordered = fixes A :: "nat set"
begin

function least :: "nat \<Rightarrow> nat" where
  "least x = 0" if "x \<in> A"
| "least x = 1" if "x \<notin> A"
  by auto
termination by lexicographic_order

lemma "least x = 0"
  sorry

lemma "x \<in> A \<Longrightarrow> least x = 1"
  sorry

end

lemma "ordered.least {} x = 0"
  sorry

end
