"""The page that goes through the paper says what docs/results says, and its words follow from the numbers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "research" / "experiments"))


def facts(**changes: Any) -> Any:
    """The page's judge over the committed numbers, with some of them changed."""
    from paper_page import Facts

    from isarstep.resources import benchmark_folder

    scores = json.loads((ROOT / "docs" / "results" / "scores.json").read_text(encoding="utf-8"))
    return Facts(scores | changes, benchmark_folder("embedded"))


def system(row: str, top1: float, top10: float = 99.0, bleu: float = 99.0) -> dict[str, Any]:
    values = {name: {"value": value} for name, value in (("top1", top1), ("top10", top10), ("bleu", bleu))}
    lengths = {"0 – 160": {"examples": 90, "top1": 50.0}, "641 – 800": {"examples": 10, "top1": top1}}
    budget = {"tokens": 10**9, "epochs": 9.5}
    kind = {"system": row, "row": row, "model": "HAT", "verdicts": None, "well_formed": {"value": 60.0}}
    return kind | values | {"lengths": lengths, "budget": budget}


def claim(key: str, difference: float, p: float) -> dict[str, Any]:
    return {"claim": key, "text": key, "difference": difference, "systems": ["one", "other"], "p": {"top1": p / 2},
            "holm": {"top1": p}}  # fmt: skip


def test_the_page_is_what_the_command_makes() -> None:
    import paper

    assert paper.page(ROOT / "docs" / "results") == PAGE, (
        "python research/experiments/paper.py page docs/results docs/paper.md"
    )


def test_it_names_real_commands_and_judges_every_row() -> None:
    from isarstep.cli import commands

    assert set(re.findall(r"`isarstep ([a-z]+)", PAGE)) <= set(commands())
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| paper |")]
    assert len(rows) > 40
    words = ("reproduced", "not reproduced: ", "different by design: ")
    assert [row for row in rows if not row.split(" | ")[-1].startswith(words)] == []
    assert "{{" not in PAGE


def test_scores_are_judged_by_the_paper_s() -> None:
    found = facts(systems=[system("hat-base", 22.8), system("hat-f5", 30.0, 37.1)])
    assert found.row("hat-base") == "22.8, 99.0, 99.0 (1,000M tokens, 9.5 epochs)"
    assert found.row_word("hat-base") == "reproduced"
    assert found.row_word("hat-f5") == "not reproduced: top-10 37.1 below 37.2"
    assert found.row_word("transformer-base") == "not reproduced: not run"


def test_claims_need_a_difference_and_a_small_p() -> None:
    found = facts(claims=[claim("sure", 2.0, 0.009), claim("unsure", 2.0, 0.01), claim("wrong", -2.0, 0.001)])
    assert found.claim_word("sure") == "reproduced"
    assert found.claim_word("sure", "unsure") == found.claim_word("wrong") == "not reproduced: one against other"
    assert found.claim("unsure") == "one against other: +2.0 points (p = 0.010)"


def test_long_sources_are_compared_beyond_640_tokens() -> None:
    twice = facts(systems=[system("hat-base", 20.0), system("transformer-base", 10.0)])
    assert twice.length() == "beyond 640 tokens: hat-base 20.0, transformer-base 10.0"
    assert twice.length_word() == "reproduced"
    less = facts(systems=[system("hat-base", 20.0), system("transformer-base", 10.1)])
    assert less.length_word() == "not reproduced: 1.98 times"


def test_references_are_judged_by_steps_and_say_what_f4_changes() -> None:
    def checked(steps: dict[str, int]) -> Any:
        every = {"direct_paper": 20, "bridged": 40, "checked": 300}
        return facts(references=[{"all": every, "steps": steps, "provers": "E"}])

    found = checked({"direct_paper": 20, "bridged": 40, "direct": 30, "checked": 100})
    assert found.references() == "20 and 40 of 300; of steps alone 20 and 40 of 100 (E)"
    assert found.references_word() == (
        "not reproduced: of steps, both gaps 40% (paper 46%), F.3 directly 20% (40%). One change: with F.4 given "
        "beside F.2 it is 30%"
    )
    assert checked({"direct_paper": 50, "bridged": 60, "direct": 70, "checked": 100}).references_word() == "reproduced"
    assert facts(references=[]).references_word() == "not reproduced: not checked"


def test_what_is_not_reproduced_is_explained_or_lists_what_was_ruled_out() -> None:
    rows = [line for line in PAGE.splitlines() if "| not reproduced: " in line]
    assert rows
    words = ("Explained", "Ruled out", "was ruled out", "One change")
    assert [row for row in rows if not any(word in row for word in words)] == []


def test_embeddings_and_probes() -> None:
    inside = {"theory": [30, 1], "partner": [60.0, 0.3], "pairs": 60,
              "sums": {"bounded + closed": [["T.closed", 0.9], ["T.bounded", 0.9], ["T.compact", 0.7], ["T.x", 0.1]]}}  # fmt: skip
    found = facts(embeddings={"hat": inside}, probes={"hat": {"even-square": 1, "member-subset": 2}})
    assert (found.close_word(), found.sum_word()) == ("reproduced", "reproduced")
    assert found.probe_word("even-square") == "reproduced"
    assert found.probe_word("even-square", "member-subset").startswith("not reproduced")
    assert facts(embeddings={"hat": inside | {"partner": [49.0, 0.3]}}).close_word().startswith("not reproduced")
    assert facts(embeddings={}, probes={}).probe_word("even-square") == "not reproduced: not run"
