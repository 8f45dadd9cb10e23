"""`isarstep fill`: methods from what provers used, diffs, and files that are whole or unchanged."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from isarstep.apps.engine import Engine
from isarstep.apps.filling import (
    SUGGESTED,
    FilledGap,
    FilledTheory,
    difference,
    filled_gap,
    filled_gaps,
    replace_file,
    with_facts_in_order,
)
from isarstep.benchmark.problems.task import Task
from isarstep.cli import run
from isarstep.common.cancellation import check_deadline
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.hol import dest_trueprop
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.theory.document import SorryGap, TheoryDocument
from isarstep.isabelle.theory.proofs.proof_block import ProofState
from isarstep.prover.check.prover_session import Limits
from isarstep.prover.isar.sketch import Link, Sketch
from isarstep.prover.outcomes.verdict import Gap, Proved, ShownStep, Unknown

THEORY = """theory T imports Main begin
definition two :: nat where "two = 2"
fun f :: "nat ⇒ nat" where "f 0 = 1" | "f (Suc n) = f n"
lemma assumes a: "x < (y :: nat)" and "y < z" shows "x < z"
  using a sorry
lemma "f 0 = 1 ∧ two = 2" sorry
lemma "class_is_unread +" sorry
end
"""


def filled(engine: Engine, *answers: Gap) -> list[FilledGap]:
    """All gaps of the theory, provers having said this about each in turn."""
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=THEORY)
    waiting = iter(answers)

    def sketched(task: Task, _left: float) -> Sketch:
        goal = task.example.f3
        assert goal is not None
        return Sketch(task, (Link(goal, decode(goal), task.text(goal), next(waiting)),), 0.0, 1, 0.1)

    return list(filled_gaps(document, engine, sketched, document.gaps()))


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (
            Proved("cvc5", 0.1, ("F.2(1)", "F.2(2)"), 0),
            Proved("simp", 0.1, ("T.f.simps(1)", "T.two_def"), 0),
            [
                "using assms(2) by (linarith | (auto; fail) | metis)",
                "by ((simp add: two_def; fail) | (auto simp add: two_def; fail) | metis two_def f.simps(1))",
            ],
        ),
        (
            Proved("E", 0.1, ("F.2(1)", "Orderings.order_class.less_trans"), 3),
            Proved("E", 0.1, ("T.f.simps(1)", "T.two_def", "definition of two"), 0),
            [
                "by (metis Orderings.order_class.less_trans | (simp add: Orderings.order_class.less_trans; fail) | "
                "(auto intro: Orderings.order_class.less_trans; fail) | "
                "(auto simp add: Orderings.order_class.less_trans; fail))",
                "by ((auto simp add: f.simps(1) two_def; fail) | metis f.simps(1) two_def | "
                "fastforce simp add: f.simps(1) two_def)",
            ],
        ),
        (Proved("E", 0.1, ("?",), 0), Unknown("nothing"), ["", ""]),
    ],
)
def test_methods_name_what_was_used(engine: Engine, first: Gap, second: Gap, texts: list[str]) -> None:
    found = filled(engine, first, second)
    assert [each.proof for each in found] == [*texts, ""]
    assert found[2].why.startswith("T.thy:7:")


def test_nothing_but_the_gaps_changes() -> None:
    text = "a sorry b sorry c"
    gaps = [SorryGap(2, 7, 1), SorryGap(10, 15, 1)]
    filled = (FilledGap(gaps[0], proof="by simp"), FilledGap(gaps[1], comment="(* open *)"))
    new = FilledTheory(Path("T.thy"), text, 2, filled).text
    assert new == f"a by simp {SUGGESTED} b sorry (* open *) c"
    assert FilledTheory(Path("T.thy"), text, 2, (FilledGap(gaps[0], why="not read"),)).text == text


def test_a_diff_names_the_file() -> None:
    assert difference(Path("x/T.thy"), "a\nb\n", "a\nc\n").splitlines() == [
        "--- a/T.thy", "+++ b/T.thy", "@@ -1,2 +1,2 @@", " a", "-b", "+c",
    ]  # fmt: skip


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "T.thy"
    path.write_bytes(b"a sorry\r\nb\r\n")
    replace_file(path, "a sorry\nb\n", [(2, 7, "by simp")])
    assert path.read_bytes() == b"a by simp\r\nb\r\n"
    with pytest.raises(UserError, match="changed meanwhile"):
        replace_file(path, "a sorry\nb\n", [(2, 7, "oops")])
    assert path.read_bytes() == b"a by simp\r\nb\r\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_write_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "T.thy"
    path.write_text("old")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, "old", [(0, 3, "new")])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_every_line_keeps_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "T.thy"
    path.write_bytes(b"a\r\nsorry b\r\nc\nsorry d\nsorry e\r\nsorry")
    old = path.read_bytes().decode().replace("\r\n", "\n")
    places = [place for place in range(len(old)) if old.startswith("sorry", place)]
    replace_file(path, old, [(place, place + 5, "proof\nqed") for place in places])
    assert path.read_bytes() == (
        b"a\r\nproof\r\nqed b\r\nc\nproof\nqed d\nproof\r\nqed e\r\nproof\r\nqed"
    )  # fmt: skip


def test_a_file_is_written_through_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "T.thy", tmp_path / "Link.thy"
    path.write_text("a sorry")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_file(link, "a sorry", [(2, 7, "by simp")])
    assert link.is_symlink()
    assert path.read_text() == "a by simp"
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kind", ["read-only", "hard links"])
def test_a_file_that_cannot_be_written_is_refused_before_the_search(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "T.thy"
    path.write_text(THEORY)
    if kind == "read-only":
        path.chmod(0o444)
    else:
        (tmp_path / "Other.thy").hardlink_to(path)
    assert run(["fill", str(path), "--write"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(path) in said
    assert kind in said
    with pytest.raises(UserError, match=kind):
        replace_file(path, THEORY, [(0, 1, "x")])
    assert path.read_text() == THEORY


def test_doors_say_where_it_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "T.thy"
    path.write_text(THEORY)
    assert run(["fill", str(path), "--line", "2"]) == 2
    assert f"{path}: there is no sorry at line 2" in capsys.readouterr().err
    assert run(["propose", f"{path}:7"]) == 2
    assert f"{path}:7:" in capsys.readouterr().err
    assert path.read_text() == THEORY


def test_propose_at_a_line_knows_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`max` is the file's own, and the problem that is shown says so."""
    path = tmp_path / "T.thy"
    text = 'theory T imports Main begin\ndefinition max :: "nat ⇒ nat ⇒ nat" where "max a b = a"\n'
    path.write_text(text + 'lemma fixes a :: nat assumes "a < 3" shows "max a 2 = 2"\n  sorry\nend\n')
    assert run(["propose", f"{path}:3", "--beam", "2", "--no-check"]) == 0
    assert "so that  max a 2 = 2" in capsys.readouterr().out


def test_facts_of_numbered_cases_are_written_in_quotation_marks(engine: Engine) -> None:
    text = (
        'theory T imports Main begin\nfun f :: "nat ⇒ nat" where "f 0 = 0" | "f (Suc n) = f n"\n'
        'lemma "f n = 0"\nproof (induction n rule: f.induct)\n  case (2 m)\n  show ?case sorry\nqed simp\nend\n'
    )
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    gap = document.gaps()[0]
    state = document.state_before(gap.start)
    task = with_facts_in_order(engine.read_state(state))
    assert task.example.f3 is not None
    gap_proved = Proved("metis", 0.1, ("F.2(1)", "T.f.simps(2)"), 8)
    sketch = Sketch(task, (Link(task.example.f3, task.term(task.example.f3), "", gap_proved),), 0.0, 1, 0.1)
    assert '"2.IH"' in filled_gap(gap, state, sketch).proof


def test_facts_of_a_class_have_their_short_names(engine: Engine) -> None:
    """`c.twice` is the fact of the locale, which says of its parameters that they are a class."""
    text = (
        'theory T imports Main begin\nclass c = fixes f :: "\'a ⇒ \'a" assumes again: "f (f x) = f x"\nbegin\n'
        'lemma twice: "f (f (f x)) = f x" by (simp add: again)\nlemma "f (f (f (f x))) = f x"\n  sorry\nend\nend\n'
    )
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    gap = document.gaps()[0]
    state = document.state_before(gap.start)
    task = with_facts_in_order(engine.read_state(state))
    assert task.example.f3 is not None
    (name,) = [name for name, _, _ in task.theory_context.own_facts if name.endswith("twice")]
    sketch = Sketch(task, (Link(task.example.f3, state.goal, "", Proved("E", 0.1, (name,), 0)),), 0.0, 1, 0.1)
    assert filled_gap(gap, state, sketch).proof.startswith("by (metis twice |")


@pytest.mark.parametrize(("where", "name"), [("(in order) ", "order.trans"), ("", "Orderings.order_class.order.trans")])
def test_inside_a_class_facts_of_classes_have_their_short_names(engine: Engine, where: str, name: str) -> None:
    """`order_class.order.trans` is about types of the class; inside it the type has no sort yet."""
    text = f'theory T imports Main begin\nlemma {where}same: "x ≤ x"\n  sorry\nend\n'
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    [gap] = document.gaps()
    state = document.state_before(gap.start)
    task = with_facts_in_order(engine.read_state(state))
    proved = Proved("E", 0.1, ("Orderings.order_class.order.trans",), 1)
    sketch = Sketch(task, (Link(task.example.f3 or "", state.goal, "", proved),), 0.0, 1, 0.1)
    assert filled_gap(gap, state, sketch).proof.startswith(f"by (metis {name} |")


IN_A_LOCALE = """theory T imports Main begin
locale eyes = fixes blue :: 'c and guru :: 'p
begin
definition seen :: "('p ⇒ 'c) ⇒ 'p ⇒ bool" where "seen w p = (w p = blue ∧ p ≠ guru)"
lemma "seen w p ⟹ xs = [] ⟹ w p = blue"
proof -
  assume "seen w p" "xs = []"
  fix xs :: "nat list"
  have "w p = blue" sorry
qed
end
end
"""


def test_facts_without_a_name_are_written_as_isabelle_reads_them_there(engine: Engine) -> None:
    """A constant of the locale without its parameters; nothing of a variable that another one hides."""
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=IN_A_LOCALE)
    [gap] = document.gaps()
    state = document.state_before(gap.start)
    task = with_facts_in_order(engine.read_state(state))
    texts = []
    for number in range(1, len(task.example.f2) + 1):
        proved = Proved("cvc5", 0.1, (f"F.2({number})",), 0)
        sketch = Sketch(task, (Link(task.example.f3 or "", state.goal, "", proved),), 0.0, 1, 0.1)
        texts.append(filled_gap(gap, state, sketch).proof.partition(" by ")[0])
    assert sorted(filter(None, texts)) == ["using \\<open>seen w p\\<close>", "using seen_def"]


def test_facts_of_a_locale_are_written_by_the_name_that_they_have_inside(engine: Engine) -> None:
    text = """theory T imports Main begin
locale weighted = fixes w :: "nat ⇒ nat"
begin
fun total :: "nat list ⇒ nat" where "total [] = 0" | "total (x # xs) = w x + total xs"
end
locale more = weighted + fixes k :: nat
begin
lemma "total [k] = w k" sorry
end
end
"""
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    [gap] = document.gaps()
    state = document.state_before(gap.start)
    task = with_facts_in_order(engine.read_state(state))
    names = tuple(f"F.2({number})" for number in range(1, len(task.example.f2) + 1))
    sketch = Sketch(task, (Link(task.example.f3 or "", state.goal, "", Proved("metis", 0.1, names, 0)),), 0.0, 1, 0.1)
    assert "total.simps(2)" in filled_gap(gap, state, sketch).proof
    assert "weighted" not in filled_gap(gap, state, sketch).proof


def test_what_rewriting_can_do_with_the_facts_that_a_prover_used_is_printed_as_simp(engine: Engine) -> None:
    """`good_def2` is no simp rule, so that only provers find it."""
    text = (
        'theory T imports Main begin\nconsts good :: "nat ⇒ bool"\naxiomatization where\n'
        '  good_def2: "good n = (0 < n)"\nlemma "good (Suc m)" sorry\nend\n'
    )
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    [gap] = document.gaps()
    task = with_facts_in_order(engine.read_state(document.state_before(gap.start)))
    assert task.example.f3 is not None
    with engine.proving(1.0, 32) as proving:
        found, _ = proving.follows(task, task.example.f3, (), Limits(1.0, 32, fewest=True))
    assert isinstance(found, Proved)
    assert found.by == "simp"
    assert "T.good_def2" in found.facts


def state_and_task(engine: Engine, text: str) -> tuple[SorryGap, ProofState, Task]:
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text)
    gap = document.gaps()[0]
    state = document.state_before(gap.start)
    return gap, state, with_facts_in_order(engine.read_state(state))


def test_a_closed_chain_is_an_inner_proof(engine: Engine) -> None:
    gap, state, task = state_and_task(engine, THEORY)
    goal, count = task.example.f3 or "", len(task.example.f2)
    step = task.example.f2[-1]
    first = Link(step, task.term(step), "", Proved("E", 0.1, (f"F.2({count})",), 0))
    used = Proved("E", 0.1, ("F.2(1)", f"F.2({count + 7})", "Orderings.order_class.less_trans"), 3)
    sketch = Sketch(task, (first, Link(goal, task.term(goal), "", used)), 0.0, 1, 0.1)
    begin, have, show, end = filled_gap(gap, state, sketch).proof.splitlines()
    assert (begin, end) == ("proof -", "qed")
    assert have.startswith('  have s1: "y < z" using assms(2) by ')
    assert show.startswith("  show ?thesis using a s1 by (metis Orderings.order_class.less_trans |")  # a is not chained
    unnamed = Link(step, task.term(step), "", Proved("E", 0.1, ("?",), 0))
    other = Sketch(task, (unnamed, Link(goal, task.term(goal), "", used)), 0.0, 1, 0.1)
    assert filled_gap(gap, state, other).comment.startswith("(* closed: have ")


def test_arithmetic_with_steps_is_an_inner_proof(engine: Engine) -> None:
    gap, state, task = state_and_task(engine, THEORY)
    formula = dest_trueprop(task.typed(task.example.f2[-1]))
    assert formula is not None
    shown = ShownStep(formula, "simp", (f"F.2({len(task.example.f2)})",), (), True)
    proved = Proved("cvc5-ground", 0.1, ("F.2(1)", f"F.2({len(task.example.f2)})"), 0, "linarith", (), (shown,))
    sketch = Sketch(
        task, (Link(task.example.f3 or "", state.goal, "", replace(proved, given=("F.2(1)",))),), 0.0, 1, 0.1
    )
    assert filled_gap(gap, state, sketch).proof.splitlines() == [
        "proof -",
        '  have a1: "y < z"',
        "    using assms(2) by simp",
        "  show ?thesis using a a1 by (linarith | (auto; fail) | metis)",
        "qed",
    ]


def test_the_budget_is_one_for_the_state_and_the_search(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reading the proof of a gap takes is no longer there for the search; the file before it is read once."""
    text = 'theory T imports Main begin\nlemma "x = x" sorry\nlemma "y = y" sorry\nend\n'
    document = TheoryDocument(Path("T.thy"), engine.theory_contexts, text=text, edited=True)
    given: list[float] = []
    sketch = SimpleNamespace(contradiction=None, closed=False, steps=[None], crashed=None)

    def sketched(_task: Task, left: float) -> Sketch:
        given.append(left)
        return sketch  # type: ignore[return-value]

    assert len(list(filled_gaps(document, engine, sketched, document.gaps(), 50.0))) == 2
    assert all(0 < left < 50 for left in given)
    monkeypatch.setattr(document, "state_before", lambda _: check_deadline())
    late = list(filled_gaps(document, engine, sketched, document.gaps(), 0.0))
    assert [gap.why for gap in late] == ["what stands before it was not read within 0 seconds"] * 2
    assert len(given) == 2
