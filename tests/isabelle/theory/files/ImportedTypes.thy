theory ImportedTypes imports Main
begin

locale base =
  fixes f :: "'a \<Rightarrow> 'b" and A :: "'a set"

locale with_bottom = base +
  fixes bottom :: "'a"
  assumes inside: "bottom \<in> A"

lemma (in with_bottom) "f bottom \<in> f ` A"
proof -
  have "bottom \<in> A" sorry
  then show ?thesis sorry
qed

locale acting = base +
  fixes act :: "'a \<Rightarrow> 'c \<Rightarrow> 'b" and B
  assumes all: "x \<in> A \<Longrightarrow> act x y \<in> B"

lemma (in acting) "x \<in> A \<Longrightarrow> act x y \<in> B"
proof -
  assume "x \<in> A"
  have "f x = f x" sorry
  have "act x y \<in> B" sorry
  then show ?thesis sorry
qed

locale open_types =
  fixes g and C
  assumes closed: "x \<in> C \<Longrightarrow> g x \<in> C"

locale over_open = open_types +
  fixes h :: "'a \<Rightarrow> 'b" and z :: 'a
  assumes start: "z \<in> C"

lemma (in over_open) "g z \<in> C"
proof -
  have "h z = h z" sorry
  have "h (g z) = h (g z)" sorry
  then show ?thesis sorry
qed

locale again = over_open +
  fixes k :: "'b \<Rightarrow> 'c"

lemma (in again) "k y = k y"
proof -
  have "g z \<in> C" sorry
  have "h (g z) = h z" sorry
  show ?thesis sorry
qed

locale elsewhere = open_types +
  fixes e :: 'b and E :: "'b set"
  assumes apart: "e \<in> E"

lemma (in elsewhere) "e \<in> E"
proof -
  have "x \<in> C \<Longrightarrow> g x \<in> C" for x sorry
  show ?thesis sorry
qed

locale poset_on =
  fixes P :: "'b set"
  fixes P_lesseq :: "'b \<Rightarrow> 'b \<Rightarrow> bool" (infix "\<sqsubseteq>" 60)
  assumes reflex: "x \<in> P \<Longrightarrow> x \<sqsubseteq> x"

locale bot_poset_on = poset_on +
  fixes bot :: "'b" ("\<zero>")
  assumes bot_closed: "\<zero> \<in> P"
  and bot_first: "x \<in> P \<Longrightarrow> \<zero> \<sqsubseteq> x"

lemma (in bot_poset_on) "\<zero> \<sqsubseteq> \<zero>"
proof -
  have "\<zero> \<in> P" by (rule bot_closed)
  then have "\<zero> \<sqsubseteq> \<zero>" by (rule bot_first)
  then show ?thesis sorry
qed

locale two_sorts = bot_poset_on +
  fixes weight :: "'b \<Rightarrow> 'c::linorder" and least :: 'c
  assumes least: "x \<in> P \<Longrightarrow> least \<le> weight x"

lemma (in two_sorts) "least \<le> weight \<zero>"
proof -
  have "\<zero> \<in> P" sorry
  then show ?thesis using least sorry
qed

locale of_numbers = bot_poset_on +
  fixes w :: "nat"
  assumes numbers: "w \<in> P"

lemma (in of_numbers) "\<zero> \<sqsubseteq> w \<and> \<zero> \<le> w"
proof -
  have "\<zero> \<sqsubseteq> w" sorry
  show ?thesis sorry
qed

locale with_constant =
  fixes Q :: "'b set"
begin

definition inside :: "'b \<Rightarrow> bool" where "inside x \<longleftrightarrow> x \<in> Q"

end

locale over_constant = with_constant +
  fixes q :: 'a
  assumes q: "inside q"

lemma (in over_constant) "q \<in> Q"
proof -
  have "inside q" by (rule q)
  then show ?thesis sorry
qed

locale group_like =
  fixes carrier :: "'a set" and more :: 'b

locale acts = group_like +
  fixes action :: "'a \<Rightarrow> 'b \<Rightarrow> 'b" (infixl "\<odot>" 60)
  assumes closed: "g \<in> carrier \<Longrightarrow> g \<odot> x = x"

definition (in acts) orbit :: "'b \<Rightarrow> 'b set" where "orbit x = {y. \<exists>g \<in> carrier. y = g \<odot> x}"

lemma (in acts) "orbit x \<subseteq> {x}"
proof -
  have "g \<in> carrier \<Longrightarrow> g \<odot> x = x" for g by (rule closed)
  have "more = more" sorry
  then show ?thesis sorry
qed

interpretation on_numbers: acts "{} :: nat set" "()" "\<lambda>n (xs :: bool list). drop n xs"
  sorry

lemma "on_numbers.orbit x \<subseteq> {x}"
proof -
  show ?thesis sorry
qed

end
