theory Made_Beside
  imports Main
begin

text \<open>Constants that commands make beside what they name: as variables they would make facts of these lemmas that hold
  of anything. The statements below are about a variable instead.\<close>

locale shifted =
  fixes f :: "nat \<Rightarrow> nat"
begin

definition next_one :: "nat \<Rightarrow> nat" where
  "next_one x = f x + 1"

end

global_interpretation twice: shifted Suc
  defines jump = twice.next_one
  .

lemma jump: "jump x = x + 2"
  by (simp add: twice.next_one_def)

lemma "k x = (x :: nat) + 2"
  using jump sorry

lemma "Suc x = x + 2"
  using jump[of x] jump sorry

function down :: "nat \<Rightarrow> nat" where
  "down x = (if x = 0 then 0 else down (x - 1))"
  by pat_completeness auto
termination
  by (relation "measure id") auto

lemma down_sum: "down_sumC x = down x"
  by (simp add: down_def)

lemma "k x = down x"
  using down_sum sorry

lemma "down x = Suc x"
  using down_sum sorry

lemma down_dom: "down_dom x"
  by (rule down.termination)

lemma "k (x :: nat)"
  using down_dom sorry

fun up :: "nat \<Rightarrow> nat" where
  "up 0 = 1"
| "up (Suc n) = up n + 1"

lemma up_sum: "up_sumC x = up x"
  by (simp add: up_def)

lemma "k x = up x"
  using up_sum sorry

locale low =
  fixes a :: nat
  assumes a: "0 < a"

locale high = low +
  fixes b :: nat
  assumes b: "a < b"

lemma higher: "high_axioms a b = (a < b)"
  by (simp add: high_axioms_def)

lemma "(a \<le> b) = (a < (b :: nat))"
  using higher[of a b] higher sorry

lemma "k a b = (a < (b :: nat))"
  using higher sorry

codatatype 'a stream_of = Put (first: 'a) (others: "'a stream_of")

lemma same: "map_stream_of (\<lambda>x. x) s = s"
  by (simp add: stream_of.map_ident)

lemma "filter (\<lambda>x. x) s = s"
  using same sorry

lemma "k (\<lambda>x. x) s = s"
  using same sorry

codatatype 'a row_of = Cell (cell: 'a) (beyond: "'a row_of") for map: over

lemma kept: "over (\<lambda>x. x) s = s"
  by (simp add: row_of.map_ident)

lemma "filter (\<lambda>x. x) s = s"
  using kept sorry

datatype shape = Dot | Line nat | Box (wide: nat) (high: nat)

lemma line: "is_Line x = (\<exists>n. x = Line n)"
  by (cases x) auto

lemma "k x = (\<exists>n. x = Line n)"
  using line sorry

typedef small = "{n :: nat. n < 3}"
  by (rule exI[of _ 0]) simp

setup_lifting type_definition_small

lemma represented: "cr_small x y = (x = Rep_small y)"
  by (simp add: cr_small_def)

lemma "k x y = (x = Rep_small y)"
  using represented sorry

end
