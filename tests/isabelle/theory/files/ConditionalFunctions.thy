theory ConditionalFunctions
  imports Main
begin

function sign :: "int \<Rightarrow> int" where
  "sign x = 1" if "x > 0"
| "sign x = -1" if "x < 0"
| "sign x = 0" if "x = 0"
  by fastforce+
termination by lexicographic_order

lemma "sign 3 = 1"
  using sign.simps(1) sorry

lemma "sign 0 = 0"
  using sign.simps sorry

function down :: "nat \<Rightarrow> nat \<Rightarrow> nat" (infixl \<open>\<down>\<close> 65) where
  "n > 0 \<Longrightarrow> m > n \<Longrightarrow> m \<down> n = (m - n) \<down> n"
| "\<not> (n > 0 \<and> m > n) \<Longrightarrow> m \<down> n = m"
  by auto
termination by (relation "measure fst") auto

lemma "5 \<down> 2 = 1"
  using down.simps(1) [of 2 5] down.simps(2) sorry

locale ordered =
  fixes A :: "'a set" and le :: "'a \<Rightarrow> 'a \<Rightarrow> bool" (infix \<open>\<preceq>\<close> 50)
  assumes refl: "x \<in> A \<Longrightarrow> x \<preceq> x"
begin

function below :: "'a \<Rightarrow> 'a set" where
  "below x = {y \<in> A. y \<preceq> x}" if "x \<in> A"
| "below x = undefined" if "x \<notin> A"
  by auto
termination by lexicographic_order

lemma "x \<in> A \<Longrightarrow> x \<in> below x"
  using below.simps(1) refl sorry

end

locale bounded = ordered + fixes b
  assumes b: "b \<in> A"
begin

lemma "b \<in> below b"
  using below.simps(1) [OF b] sorry

end

function in_doubt :: "nat \<Rightarrow> nat" where
  "in_doubt n = 1" if "n > 0"
| "in_doubt n = 2" if "n < 5"
  sorry
termination by lexicographic_order

lemma "in_doubt 3 = 1"
  using in_doubt.simps(1) sorry

end
