theory Goals_Of_Commands
  imports Main
begin

class pointed_top = order +
  fixes peak :: 'a
  assumes peak: "x \<le> peak"

instantiation bool :: pointed_top
begin

definition "peak = True"

instance
proof
  fix x :: bool
  show "x \<le> peak" unfolding peak_bool_def by simp
qed

end

instance unit :: finite
  by standard

function down :: "nat \<Rightarrow> nat" where
  "down n = (if n = 0 then 0 else down (n - 1))"
  by pat_completeness auto

termination
proof (relation "measure id")
  show "wf (measure id)" by (rule wf_measure)
qed auto

notepad
begin
  fix A B :: bool
  assume a: "A" and ab: "A \<longrightarrow> B"
  from ab a have "B" ..
end

typedef pebble = "{n :: nat. n < 3}"
proof
  show "0 \<in> {n :: nat. n < 3}" by simp
qed

schematic_goal found: "?x = (0 :: nat)"
  by (rule refl)

end
