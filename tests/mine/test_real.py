"""The real thing on Pure: needs ISABELLE_HOME (Isabelle2025-1) with Poly/ML and an image of Pure; skipped otherwise."""

import itertools
import json
import re

import pytest

from isarstep.mine import release
from isarstep.mine.graph import read_graph
from isarstep.mine.isabelle import Sessions
from isarstep.mine.process import MLProcess, Start
from isarstep.mine.session_job import Limits
from isarstep.mine.terminal import run_mining

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
  apply (tactic \<open>fn st => (OS.Process.sleep (seconds 1000.0); Seq.single st)\<close>)
  done

lemma after: "PROP A \<Longrightarrow> PROP A" .

end
"""

SECOND = r"""
theory Second imports First begin
lemma uses: "PROP A \<Longrightarrow> PROP B" by (rule impossible)
end
"""


@pytest.mark.parametrize("prove", [False, True])
def test_theories_on_pure(installation, tmp_path, prove):
    folder = tmp_path / "theories"
    folder.mkdir()
    (folder / "ROOT").write_text("session Tiny = Pure + theories Second")
    (folder / "First.thy").write_text(FIRST)
    (folder / "Second.thy").write_text(SECOND)
    out = tmp_path / "out"
    run_mining(
        ["Tiny"],
        out=out,
        jobs=1,
        cluster=None,
        resume=False,
        isabelle=None,
        directories=[folder],
        heaps=tmp_path / "heaps",
        limits=Limits(proof=10),
        prove=prove,
    )
    first = read_graph(out / "Tiny" / "First.jsonl.zst")
    assert [proof.name for proof in first.proofs] == ["First.both", "First.after"]
    # The failed proof is reported, its statement is trusted, and the theory above goes on.
    failure, timeout = first.failures
    assert failure.startswith("line 10: lemma skipped: ")
    assert str(tmp_path) not in failure
    assert timeout.startswith("line 14: lemma skipped: Timeout")
    second = read_graph(out / "Tiny" / "Second.jsonl.zst")
    [proof] = second.proofs
    assert [second.lemmas[use.lemma].name for use in proof.facts[0].uses if use.lemma is not None] == [
        "First.impossible"
    ]
    summary = json.loads((out / "summary.json").read_text())
    assert summary["total"]["theories"] == 2
    assert [entry["theory"] for entry in summary["failures"]] == ["Tiny.First", "Tiny.First"]


def test_the_process_is_started_as_isabelle_starts_it(installation):
    """Against the release's own ml_process.scala: the same evaluations in the same order, the same environment."""
    scala = (installation.home / "src" / "Pure" / "ML" / "ml_process.scala").read_text()
    with_images = scala[scala.index("PolyML.SaveState.loadHierarchy") :]
    variables = re.findall(r'bash_env\.put\("(\w+)"', scala)
    assert len(variables) == 6
    names = ", ".join(f'"{name}"' for name in variables)
    start = Start(
        images=(installation.image("Pure"),),
        uses=(),
        main=f'List.app (fn a => TextIO.print (a ^ "=" ^ getenv_strict a ^ "\\n")) [{names}]',
        loaded=release.PURE_THEORIES,
        sessions=("Pure",),
    )
    process = MLProcess(installation, Sessions(installation), start)
    with process:
        command = process._command_line()
        process.wait(120)
        said = process.log_tail(4000)
    assert all(f"{name}=" in said for name in variables)
    assert command[1] == "-q"
    evaluated = [text for flag, text in itertools.pairwise(command) if flag == "--eval"]
    assert evaluated[0].startswith("(PolyML.SaveState.loadHierarchy [")
    assert evaluated[0].endswith("; PolyML.print_depth 0)")
    positions = [with_images.index(f'"{text}"') for text in evaluated[1:-1]]
    assert len(positions) == 2
    assert positions == sorted(positions)
