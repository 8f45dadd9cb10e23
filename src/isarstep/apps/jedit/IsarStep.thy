section \<open>Missing steps, proposed inside a proof\<close>

theory IsarStep
  imports Main
  keywords "isarstep" :: diag
begin

text \<open>
  \<^verbatim>\<open>isarstep [methods, provers, steps = 5, timeout = 20, server = "127.0.0.1:6174"] facts\<close>, anywhere in a proof, asks the server
  (\<^verbatim>\<open>isarstep serve\<close>) for statements between the chained facts and the goal. docs/isabelle.md explains.
\<close>

ML_file \<open>../../isabelle/process/Encode.ML\<close>
ML_file \<open>../../isabelle/process/Class_View.ML\<close>
ML_file \<open>client_http.ML\<close>
ML_file \<open>client_terms.ML\<close>
ML_file \<open>client_state.ML\<close>
ML_file \<open>client_command.ML\<close>

end
