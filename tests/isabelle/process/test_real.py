"""The real thing on Pure: needs ISABELLE_HOME (Isabelle2025-1) with Poly/ML and an image of Pure; skipped otherwise."""

import itertools
import json
import re

import pytest
from tests.needs import image_of

from isarstep.isabelle.process import release
from isarstep.isabelle.process.installation import Sessions
from isarstep.isabelle.process.ml_process import MLProcess, Start, allow_starts
from isarstep.isabelle.process.proof_graph import read_graph
from isarstep.isabelle.process.session_job import MiningLimits
from isarstep.isabelle.process.terminal import run_mining

FIRST = r"""
theory First imports Pure begin

lemma both: "(PROP A \<Longrightarrow> PROP B \<Longrightarrow> PROP C) \<Longrightarrow> PROP B \<Longrightarrow> PROP A \<Longrightarrow> PROP C"
proof -
  assume rule: "PROP A \<Longrightarrow> PROP B \<Longrightarrow> PROP C" and b: "PROP B" and a: "PROP A"
  from a b show "PROP C" by (rule rule)
qed

lemma impossible: "PROP A \<Longrightarrow> PROP B"
  apply (rule no_such_fact)
  done

lemma endless: "PROP A \<Longrightarrow> PROP B"
  apply (tactic \<open>let fun loop n = loop (n + size (string_of_int n)) in loop 0 end\<close>)
  done

lemma after: "PROP A \<Longrightarrow> PROP A" .

end
"""

SECOND = r"""
theory Second imports First begin
lemma uses: "PROP A \<Longrightarrow> PROP B" by (rule impossible)
end
"""

NOTATIONS = r"""
theory Notations imports Pure begin
typedecl i
typedecl o
judgment T :: "o \<Rightarrow> prop" ("_" 5)
type_synonym pred = "i \<Rightarrow> o"
nonterminal things
consts
  plus :: "i \<Rightarrow> i \<Rightarrow> i" (infixl "+" 65)
  some :: "(i \<Rightarrow> o) \<Rightarrow> i" (binder "\<epsilon>" 10)
  pile :: "i \<Rightarrow> i \<Rightarrow> i"
  power :: "i \<Rightarrow> i \<Rightarrow> i" ("_ \<otimes>\<^bsup>_\<^esup>" [75] 75)
notation (input) plus (infixl "\<oplus>" 65)
notation (output) pile ("pile _/ _")
syntax "_pile" :: "i \<Rightarrow> i \<Rightarrow> i" ("\<lbrace>_, _\<rbrace>")
translations "\<lbrace>x, y\<rbrace>" \<rightleftharpoons> "CONST pile x y"
hide_const (open) pile
locale magma =
  fixes mult :: "i \<Rightarrow> i \<Rightarrow> i" (infix "\<cdot>" 70)
begin
definition square :: "i \<Rightarrow> i" ("sq _") where "square x \<equiv> x \<cdot> x"
end
end
"""

LATER = r"""
theory Later imports Notations begin
no_notation plus (infixl "+" 65)
end
"""


def mine_tiny(tmp_path, theories, *, above=None, proof=10, prove=False):
    """Mine these theories on Pure, `above` all others; the folder of their graphs."""
    folder = tmp_path / "theories"
    folder.mkdir()
    (folder / "ROOT").write_text(f"session Tiny = Pure + theories {above or list(theories)[-1]}")
    for name, text in theories.items():
        (folder / f"{name}.thy").write_text(text)
    run_mining(
        ["Tiny"],
        out=tmp_path / "out",
        jobs=1,
        resume=False,
        isabelle=None,
        directories=[folder],
        heaps=tmp_path / "heaps",
        limits=MiningLimits(proof=proof),
        prove=prove,
    )
    return tmp_path / "out" / "Tiny"


def summary_of(graphs):
    return json.loads((graphs.parent / "summary.json").read_text())


def test_notation(installation, tmp_path):
    """The record as a whole: only what the theory itself adds or takes away."""
    graphs = mine_tiny(tmp_path, {"Notations": NOTATIONS, "Later": LATER})
    notations, later = (read_graph(graphs / f"{name}.jsonl.zst") for name in ("Notations", "Later"))
    [magma] = notations.notation["locales"]
    assert magma == {
        "name": "Notations.magma",
        "parameters": [["mult", "(fun Notations.i (fun Notations.i Notations.i))"]],
        "constants": [["local.square", "CONST Notations.magma.square $ FREE mult"]],
        "productions": [
            ["logic", ["sq", 1, ["logic", 0]], r"\<^const>local.square", 1000, 1],
            ["logic", [["logic", 71], 1, r"\<cdot>", 1, ["logic", 71]], r"\<^fixed>mult", 70, 1],
            ["logic", [r"(\<cdot>)"], r"\<^fixed>mult", 1000, 1],
        ],
    }
    plus = r"\<^const>Notations.plus"
    added = [
        ["logic", [["logic", 65], 1, "+", 1, ["logic", 66]], plus, 65, 1],
        ["logic", ["(+)"], plus, 1000, 1],
    ]
    assert {key: value for key, value in notations.notation.items() if key != "locales"} == {
        "productions": [
            ["prop", [["logic", 0]], r"\<^const>Notations.T", 5, 1],
            [
                "logic",
                [["logic", 75], 1, r"\<otimes>\<^bsup>", ["logic", 0], r"\<^esup>"],
                r"\<^const>Notations.power",
                75,
                1,
            ],
            ["logic", [r"\<epsilon>", ["idts", 0], ".", 1, ["logic", 10]], r"\<^binder>Notations.some", 10, 1],
            *added,
            ["logic", [["logic", 65], 1, r"\<oplus>", 1, ["logic", 66]], plus, 65, 0],
            ["logic", [r"(\<oplus>)"], plus, 1000, 0],
            ["logic", [r"\<lbrace>", ["logic", 0], ",", 1, ["logic", 0], r"\<rbrace>"], "_pile", 1000, 1],
        ],
        "prints": [[r"\<^const>Notations.pile", ["pile", 1, [0], 1, [0]], 1000]],
        "rules": [[["_pile", "?x", "?y"], [r"\<^const>Notations.pile", "?x", "?y"]]],
        "parse_code": [r"\<^binder>Notations.some"],
        "print_code": [r"\<^const>Notations.some"],
        "synonyms": [["Notations.pred", [], "(fun Notations.i Notations.o)"]],
        "nonterminals": ["Notations.things"],
        "names": [["Notations.magma.square", "100", 0], ["Notations.pile", "10", 0]],
        "hidden": [["Notations.pile", 1]],
    }
    assert later.notation == {"no_productions": added[::-1]}


@pytest.mark.parametrize("prove", [False, True])
def test_theories_on_pure(installation, tmp_path, prove):
    graphs = mine_tiny(tmp_path, {"First": FIRST, "Second": SECOND}, prove=prove)
    first = read_graph(graphs / "First.jsonl.zst")
    assert [proof.name for proof in first.proofs] == ["First.both", "First.after"]
    # The failed proof is reported, its statement is trusted, and the theory above goes on.
    failure, timeout = first.failures
    assert failure.startswith("line 10: lemma skipped: ")
    assert str(tmp_path) not in failure
    assert timeout.startswith("line 14: lemma skipped: Timeout")
    second = read_graph(graphs / "Second.jsonl.zst")
    [proof] = second.proofs
    assert [second.lemmas[use.lemma].name for use in proof.facts[0].uses if use.lemma is not None] == [
        "First.impossible"
    ]
    summary = summary_of(graphs)
    assert summary["total"]["theories"] == 2
    assert [entry["theory"] for entry in summary["failures"]] == ["Tiny.First", "Tiny.First"]


SLOW_COMMAND = r"""
theory Slow imports Pure keywords "nothing" :: diag begin

ML \<open>OS.Process.sleep (Time.fromSeconds 3);
  Outer_Syntax.command \<^command_keyword>\<open>nothing\<close> "does nothing" (Scan.succeed (Toplevel.keep (K ())))\<close>

nothing

end
"""
CANNOT_END = r"""
theory Endless imports Pure keywords "nothing" :: diag begin

ML \<open>val _ = error "no such tool"\<close>

end
"""


def test_a_command_has_the_time_of_its_theory_and_a_theory_that_cannot_end_says_why(installation, tmp_path):
    graphs = mine_tiny(tmp_path, {"Slow": SLOW_COMMAND, "Endless": CANNOT_END}, above="Slow Endless", proof=1)
    assert read_graph(graphs / "Slow.jsonl.zst").failures == ()
    [failed] = summary_of(graphs)["failures"]
    assert failed["theory"] == "Tiny.Endless"
    assert 'Missing outer syntax command(s) "nothing"' in failed["reason"]
    assert "before it line 4: ML left out: no such tool" in failed["reason"]


def test_the_process_is_started_as_isabelle_starts_it(installation):
    """Against the release's own ml_process.scala: the same evaluations in the same order, the same environment."""
    scala = (installation.home / "src" / "Pure" / "ML" / "ml_process.scala").read_text()
    with_images = scala[scala.index("PolyML.SaveState.loadHierarchy") :]
    variables = re.findall(r'bash_env\.put\("(\w+)"', scala)
    assert len(variables) == 6
    names = ", ".join(f'"{name}"' for name in variables)
    start = Start(
        images=(image_of(installation, "Pure"),),
        uses=(),
        main=f'List.app (fn a => TextIO.print (a ^ "=" ^ getenv_strict a ^ "\\n")) [{names}]',
        loaded=release.PURE_THEORIES,
        sessions=("Pure",),
    )
    allow_starts()  # a run of mining before this one has ended with a ban
    process = MLProcess(installation, Sessions(installation), start)
    with process:
        command = process._command_line()
        process.wait(120)
        said = process.log_tail(4000)
    assert all(f"{name}=" in said for name in variables)
    assert command[1] == "-q"
    evaluated = [text for flag, text in itertools.pairwise(command) if flag == "--eval"]
    assert "PolyML.SaveState.loadHierarchy [" in evaluated[0]
    assert "PolyML.print_depth 0" in evaluated[0]
    positions = [with_images.index(f'"{text}"') for text in evaluated[1:-1]]
    assert len(positions) == 2
    assert positions == sorted(positions)
