"""Names that proofs cite above a place, and the library's facts among them."""

from __future__ import annotations

from pathlib import Path

from isarstep.benchmark.problems.file_context import FileContext, task_of_state
from isarstep.benchmark.problems.problem_reader import ProblemReader
from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.theory.document import TheoryDocument

BASE = """theory Base imports Main begin
lemma zs: "xs @ [] = xs" by (rule append_Nil2)
end
"""
TEXT = """theory T imports Base begin
lemma rev_rev_ident: "x = (x :: nat)" by (subst refl, rule refl)
lemma second: "rev (rev xs) = xs" using rev_append[of xs] unfolding rev_swap by (simp add: rev_rev_ident zs)
lemma third: "xs @ (ys @ zs) = (xs @ ys) @ zs"
proof -
  note append_assoc and rev_append
  have "True" by (blast intro: TrueI)
  have "(xs @ ys) @ zs = xs @ (ys @ zs)"
    by (simp only: append_assoc map_append(1))
  then show ?thesis
    sorry
qed
lemma fourth: "length xs = length (rev xs)" by (simp add: length_rev)
end
"""
LINE = 1 + TEXT[: TEXT.index("then show")].count("\n")


def test_facts_count_once_a_command_by_where_they_are_cited(tmp_path: Path, benchmark: Benchmark) -> None:
    (tmp_path / "Base.thy").write_text(BASE)
    state = TheoryDocument(tmp_path / "T.thy", benchmark.theory_contexts, text=TEXT).state_at(LINE)
    above = task_of_state(state, ProblemReader(FileContext(state.context))).example.used_above
    names = benchmark.facts["name"]

    def named(uses: object) -> dict[str, int]:
        assert isinstance(uses, dict)
        return {names[number].as_py(): times for number, times in uses.items()}

    assert named(above.proof) == {
        "List.append_assoc": 2, "List.rev_append": 1, "HOL.TrueI": 1, "List.map_append": 1,
    }  # fmt: skip
    assert named(above.theory) == {"HOL.refl": 1, "List.rev_append": 1, "List.rev_swap": 1}
    assert named(above.entry) == {"List.append_Nil2": 1}


def test_facts_of_the_file_hide_those_of_the_library_and_what_follows_does_not_count(benchmark: Benchmark) -> None:
    text = TEXT.replace("imports Base", "imports Main").replace("rev_rev_ident zs", "rev_rev_ident")
    state = TheoryDocument(Path("T.thy"), benchmark.theory_contexts, text=text).state_at(LINE)
    cited = {*state.cited.proof, *state.cited.theory}
    assert "rev_rev_ident" in cited
    assert "subst" not in cited
    assert "length_rev" not in cited
    assert not state.cited.files


def cited(text: str, benchmark: Benchmark) -> set[str]:
    """The ends of the names of library facts that are cited above the last `sorry` of a file."""
    document = TheoryDocument(
        Path("T.thy"), benchmark.theory_contexts, text=f"theory T imports Main begin\n{text}\nend\n"
    )
    state = document.state_before(document.gaps()[-1].start)
    above = task_of_state(state, ProblemReader(FileContext(state.context))).example.used_above
    names = benchmark.facts["name"]
    return {names[number].as_py().rpartition(".")[2] for uses in (above.proof, above.theory) for number in uses}


def test_facts_of_a_locale_hide_those_of_the_library_inside(benchmark: Benchmark) -> None:
    text = """locale l = fixes c :: nat begin
lemma refl: "c = c" by (rule sym) (rule HOL.refl)
lemma trans: "c = c" using refl
  sorry
end"""
    assert cited(text.replace("refl:", "other:"), benchmark) == {"sym", "refl"}
    assert cited(text.replace("HOL.refl", "TrueI"), benchmark) == {"sym", "TrueI"}


def test_what_is_taken_away_is_not_used_and_neither_is_what_a_comment_says(benchmark: Benchmark) -> None:
    text = r"""lemma "x = (x :: nat)" (* by (rule impI) *)
  apply (simp add: add_assoc mult_1(2) [symmetric] del: add_0 (* notI *) append_assoc split: nat.split
    , rule exI [of _ x, OF conjI])
  using neq_finite_2_a⇩1_iff TrueI[THEN disjI1, of "allE"] HOL.mp \<comment> \<open>using notE\<close> and sym unfolding Let_def
  by (metis (no_types, lifting) \<open>refl = x\<close> rev_rev_ident)+
lemma "y = (y :: nat)"
  sorry"""
    assert cited(text, benchmark) == {
        "add_assoc", "mult_1", "split", "exI", "conjI", r"neq_finite_2_a\<^sub>1_iff", "TrueI", "disjI1", "mp", "sym",
        "Let_def", "rev_rev_ident",
    }  # fmt: skip
