"""Questions and verdicts of the Isabelle backend, with a made-up Isabelle that knows all answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.prover.small_benchmark import write_small_benchmark

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.prover.check.jobs import Work
from isarstep.prover.check.summary import summary
from isarstep.prover.outcomes.verdict import IllFormed, Proved, Refuted, TimedOut, Unknown, Unsupported, WellFormed
from isarstep.prover.replay.isabelle_questions import (
    SKIPPED,
    Answer,
    Inquiry,
    IsabelleLimits,
    Question,
    Report,
    _open_questions,
)
from isarstep.prover.replay.isabelle_run import (
    IsabelleSettings,
    TheoryRun,
    gap_of_isabelle,
    inquiry,
    run_isabelle,
    verdicts,
)

NONSENSE = "CONST HOL.Trueprop $ ( CONST HOL.eq"


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Example]]:
    folder = tmp_path_factory.mktemp("check") / "benchmark"
    return folder, write_small_benchmark(folder)


class Oracle:
    """Answers like Check.ML: nonsense is ill-formed, everything else is proved by its premises, if there are any."""

    def __init__(self, patience: int = 1000) -> None:
        self.patience = patience
        self.asked: list[str] = []

    @property
    def installation(self) -> object:
        class Bare:
            environment: dict[str, str] = {}

        return Bare()

    def ask(
        self,
        session: str,
        inquiries: Iterable[Inquiry],
        settings: IsabelleLimits,
        report: Report,
        news: Callable[[str], None],
    ) -> str:
        for item in inquiries:
            news(f"asking about {item.example.id}")
            answers: dict[str, Answer] = {}
            for question in item.questions:
                if self.patience == 0:
                    raise UserError("the oracle is tired")
                self.patience -= 1
                self.asked.append(question.key)
                keys = question.condition.split("|") if question.condition else []
                answer = answers[question.key] = (
                    self._answer(question) if not keys or any(answers[key].good for key in keys) else SKIPPED
                )
                report(item.example.id, question.key, answer)
        return "e"

    def _answer(self, question: Question) -> Answer:
        if question.effort == "type":
            return Answer("ill", why="no term") if question.goal == NONSENSE else Answer("typed")
        if not question.premises or question.goal.endswith("HOL.False"):
            return Answer("refuted", by="quickcheck", why="x = 0")
        return Answer("proved", by="try0: simp", seconds=0.5, facts=("F1", "List.rev_rev_ident"))


def table(folder: Path, out: Path, oracle: Oracle, *, resume: bool = False) -> list[dict[str, object]]:
    split = Benchmark(folder).split("test")
    work = [Work(position, (example.f1, NONSENSE)) for position, example in enumerate(split)]
    made = TheoryRun(out, IsabelleSettings(str(folder), "test", 5.0, 0, (0,)), work, resume=resume)
    news: list[str] = []
    assert sum(run_isabelle(made, oracle, IsabelleLimits(), 1, news.append)) > 0  # type: ignore[arg-type]
    assert all(line.startswith("asking about ") for line in news)
    assert news
    assert made.provers == "e"
    made.finish({})
    return list(pq.read_table(out).to_pylist())


def test_verdicts_from_answers(benchmark: tuple[Path, list[Example]], tmp_path: Path) -> None:
    folder, examples = benchmark
    rows = table(folder, tmp_path / "v.parquet", Oracle())
    assert len(rows) == 2 * len(examples)
    by_place = {(row["example"], row["rank"]): row for row in rows}
    for example in examples:
        good, bad = by_place[example.id, 0], by_place[example.id, 1]
        assert bad["verdict"] == "ill-formed"
        assert bad["why"] == "no term"
        assert good["verdict"] == "well-formed"
        assert good["exact"]
        assert good["second_result"] == "proved"
        assert good["second_library"] == 1  # F1 is a premise, the other a fact of the library
        assert good["first_result"] == ("proved" if example.f2 else "refuted")
        assert good["trivial_result"] == ("refuted" if example.f2 else None)
        assert good["gap_class"] == ("small" if example.f2 or example.f4 else "large")


def test_an_interrupted_run_goes_on(benchmark: tuple[Path, list[Example]], tmp_path: Path) -> None:
    folder, _ = benchmark
    whole = table(folder, tmp_path / "whole.parquet", Oracle())
    out = tmp_path / "parts.parquet"
    with pytest.raises(UserError, match="tired"):
        table(folder, out, Oracle(patience=5))
    assert not out.exists()
    assert table(folder, out, Oracle(), resume=True) == whole


def test_every_answer_has_its_gap() -> None:
    assert gap_of_isabelle(Answer("proved", "auto", 1.0, ("F1",))) == Proved("auto", 1.0, ("F1",), 0)
    assert gap_of_isabelle(Answer("refuted", "quickcheck", why="x = 1")) == Refuted("quickcheck", "x = 1")
    assert gap_of_isabelle(Answer("timeout", seconds=30.0)) == TimedOut(30.0)
    assert gap_of_isabelle(Answer("unknown", why="no such proof")) == Unknown("no such proof")
    assert gap_of_isabelle(SKIPPED) == Unknown("not asked")


def test_what_a_step_introduces_need_only_exist() -> None:
    """`obtain h where "bij_betw h A {0..<card A}"`: of an arbitrary h it is false, and the embedded backend asks for
    some h, with all that the step says of it."""
    about = "CONST HOL.Trueprop $ ( CONST Fun.bij_betw $ FREE <X1> $ FREE <X0> $ CONST Set.empty )"
    finite = "CONST HOL.Trueprop $ ( CONST Finite_Set.finite $ FREE <X0> )"
    rule = "CONST HOL.Trueprop $ ( CONST Finite_Set.finite $ VAR <V0> )"
    example = Example(
        id="da5a4d9c60e1", f1=about, f2=(finite,), f3=finite, f4=(rule,), f5=(), types={}, session="S", theory="S.T",
        target_command="obtain", introduced=(1,), consequence_command="lemma", introduced_after=(0,),
    )  # fmt: skip
    local = example.f1.replace("Fun.bij_betw", "Fun.inj_on")
    later = local.replace("<X0>", "<X2>")
    example = replace(example, f4=(*example.f4, local, later))
    library = dict.fromkeys(example.f4[:-2], ("some.lemma",))
    asked = {question.key: question for question in inquiry(example, (example.f1,), library).questions}
    for key in ("0 first", "0 trivial"):
        assert (asked[key].witnesses, asked[key].same_values) == (("<X1>",), (local,))
    assert {key for key, question in asked.items() if question.witnesses} == {"0 first", "0 trivial"}
    given = replace(example, f2=(local,))  # F.2 speaks of it: it is there already
    assert all(not question.witnesses for question in inquiry(given, (example.f1,), library).questions)
    obtained = replace(example, consequence_command="obtain", introduced_after=(3,))
    asked = {question.key: question for question in inquiry(obtained, (example.f1,), library).questions}
    assert [asked[key].witnesses for key in ("0 second", "direct", "direct_paper")] == [("<X3>",)] * 3
    fixed = replace(example, target_command="fix")
    assert all(not question.witnesses for question in inquiry(fixed, (example.f1,), library).questions)


def test_a_summary_says_who_proved(benchmark: tuple[Path, list[Example]], tmp_path: Path) -> None:
    table(benchmark[0], tmp_path / "v.parquet", Oracle())
    made = pq.read_table(tmp_path / "v.parquet")
    assert "not by Isabelle's kernel" in summary(made, "e")
    by_isabelle = summary(made, "Isabelle with e", kernel=True)
    assert "by Isabelle's kernel" in by_isabelle
    assert "not by" not in by_isabelle


def test_an_example_whose_consequence_does_not_type_is_unsupported(benchmark: tuple[Path, list[Example]]) -> None:
    folder, examples = benchmark
    asked = inquiry(examples[0], (examples[0].f1,), {}).questions
    answers = {question.key: SKIPPED for question in asked}
    signature = Benchmark(folder).signature
    answers["consequence"] = Answer("ill", why="another version")
    [verdict] = verdicts(examples[0], (examples[0].f1,), answers, signature)
    assert isinstance(verdict, Unsupported)
    assert "another version" in verdict.why
    answers |= {"consequence": Answer("typed"), "0 type": Answer("ill", why="clash")}
    assert isinstance(verdicts(examples[0], (examples[0].f1,), answers, signature)[0], IllFormed)
    answers |= {"0 type": Answer("typed"), "0 first": Answer("proved", "simp"), "0 second": Answer("proved", "simp")}
    [verdict] = verdicts(examples[0], (examples[0].f1,), answers, signature)
    assert isinstance(verdict, WellFormed)
    assert verdict.bridged


def test_what_is_left_after_a_process_died(benchmark: tuple[Path, list[Example]]) -> None:
    example = replace(benchmark[1][0], id="e")
    questions = (
        Question("a", "type", ""),
        Question("b", "prove", "", condition="a"),
        Question("c", "prove", "", condition="b"),
        Question("d", "prove", "", condition="a|b"),
        Question("f", "prove", "", condition="g|b"),
        Question("g", "prove", ""),
    )
    answers = {("e", "a"): Answer("typed"), ("e", "b"): Answer("timeout")}
    left = _open_questions(
        {"T": [Inquiry(example, questions)]}, answers, lambda place, answer: answers.update({place: answer})
    )
    [kept] = left["T"]
    assert [(q.key, q.condition) for q in kept.questions] == [("d", ""), ("f", "g"), ("g", "")]
    assert answers["e", "c"] == SKIPPED


def test_no_isabelle_is_said_plainly(
    benchmark: tuple[Path, list[Example]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("ISABELLE_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = [
        "check",
        "--benchmark",
        str(benchmark[0]),
        "--isabelle",
        str(tmp_path),
        "--out",
        str(tmp_path / "v.parquet"),
    ]
    assert run(command) == 2
    assert "no Isabelle found" in capsys.readouterr().err
    (tmp_path / "src" / "Pure").mkdir(parents=True)  # what the option meant before
    assert run(command) == 2
    assert "is an Isabelle: set ISABELLE_HOME to it" in capsys.readouterr().err
    assert run([*command, "--explain", "0"]) == 2
