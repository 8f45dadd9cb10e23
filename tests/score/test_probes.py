"""Probes are well-typed questions with right answers."""

from pathlib import Path

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.writing.sample import sample_signature
from isarstep.isabelle.terms.tokens import decode
from isarstep.score.analysis.probes import (
    PACKAGE,
    probe_of,
    probe_table,
    probes,
    read_answers,
    read_probes,
    tokens_of_probes,
    write_answers,
)

ALL = probes()


def test_there_are_the_paper_s_four_and_twenty_of_ours() -> None:
    assert [probe.name for probe in ALL if probe.about == "paper"] == [
        "member-subset", "member-subset-swapped", "dimension-of-span", "even-square"
    ]  # fmt: skip
    assert len(ALL) >= 23
    assert len({probe.name for probe in ALL}) == len(ALL)


def test_the_tokens_are_those_of_the_text() -> None:
    assert PACKAGE.joinpath("probes.jsonl").read_text("utf-8") == tokens_of_probes()


@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.name)
def test_each_is_typed_together_with_each_of_its_answers(probe: object) -> None:
    signature = sample_signature()
    source = [decode(text) for _, text in probe.example.source()]  # type: ignore[attr-defined]
    for answer in probe.answers:  # type: ignore[attr-defined]
        infer([*source, decode(answer)], signature)


def test_an_answer_counts_in_any_form_of_its_term() -> None:
    probe = ALL[0]
    glued = probe.answers[0].replace("( ", "(")
    assert probe.place(["FREE x", glued]) == 2
    assert probe.place(["FREE x"]) == 0


def test_answers_survive_their_file_and_make_a_table(tmp_path: Path) -> None:
    answers = [[(probe.answers[0], -0.5)] if i % 2 else [] for i, probe in enumerate(ALL)]
    write_answers(tmp_path / "p.jsonl", ALL, answers)
    lists = read_answers(tmp_path / "p.jsonl", ALL)
    table = probe_table(ALL, {"model": lists})
    assert table.rows[0] == ("right at once", f"of {len(ALL)}", str(len(ALL) // 2))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("F.3  x₀ = x₁", "name in brackets"),
        ("[p]\nF.9  x₀", "p.txt:2"),
        ("[p]\nF.3  x₀ = x₁\nwhy  because", "an answer"),
        ("[p]\nF.3  x₀ =", "p.txt:2"),
    ],
)
def test_mistakes_are_named(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        [probe_of(draft) for draft in read_probes(text, "p.txt")]
