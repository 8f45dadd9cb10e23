theory Ask_Tools
  imports Main
begin

text \<open>What Isabelle itself finds for an open goal: try0's methods with a second each, then Sledgehammer. Beside the theories of `fill.py`.\<close>

ML_file \<open>CHECK\<close>
ML_file \<open>PROVE\<close>

ML \<open>
fun isarstep_ask (name, seconds, out) state =
  let
    val {context, facts, goal} = Proof.goal (Toplevel.proof_of state);
    val SOME {answer, ...} = ! Isarstep_Check.prover;
    fun ask effort =
      answer seconds context
        {premises = map (pair "F1") facts, goal = #1 (Logic.dest_implies (Thm.prop_of goal)), effort = effort};
    fun proved (Isarstep_Check.Proved {by, ...}) = by
      | proved _ = "";
    val by =
      Isarstep_Driver.with_changed [("skip_proofs", "false"), ("quick_and_dirty", "false")]
        (fn () => (case proved (ask "methods") of "" => proved (ask "sledgehammer") | found => found)) ();
  in File.append (Path.explode out) (name ^ "\t" ^ by ^ "\n") end;
\<close>

end
