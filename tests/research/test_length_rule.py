"""Older lists get the order that new ones are written in, once; the rule is measured on validation lists."""

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from isarstep.model.decode.predictions import read_meta, read_predictions, read_scored, write_predictions
from isarstep.model.decode.ranking import COMPARED_ORDER

SHORT = "CONST HOL.Trueprop $ CONST HOL.True"
LONG = "CONST HOL.Trueprop $ ( CONST HOL.eq $ FREE <X0> $ FREE <X1> )"
RULE = "log p / length^0, at most 200 tokens"


@pytest.fixture
def length_rule(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "research" / "experiments"))
    import length_rule

    return length_rule


def written(path: Path, **about: str) -> Path:
    meta = {"split": "validation", "length_rule": RULE, "constraints": "none"} | about
    write_predictions(path, [("a", [(SHORT, -1.0), (LONG, -1.2)]), ("b", [(LONG, -1.0)]), ("c", [])], meta)
    return path


def test_a_list_is_ordered_once_and_says_so(length_rule: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "predictions" / "validation.beam5.jsonl")
    length_rule.main(["order", str(tmp_path)])
    ordered = read_scored(path)
    assert [tokens for tokens, _ in ordered["a"]] == [LONG, SHORT]
    assert ordered["a"][1][1] == pytest.approx(COMPARED_ORDER.worth(SHORT, -1.0), abs=1e-4)
    assert read_meta(path)["length_rule"] == f"{RULE}; {COMPARED_ORDER}"
    assert read_predictions(path, ["a", "b", "c"]).missing == 1
    before = path.read_bytes()
    length_rule.main(["order", str(tmp_path)])
    assert path.read_bytes() == before


@pytest.mark.parametrize("about", [{"constraints": "grammar+types"}, {"length_rule": "none"}, {"length_rule": ""}])
def test_lists_of_another_making_are_left_alone(length_rule: Any, tmp_path: Path, about: dict[str, str]) -> None:
    path = written(tmp_path / "predictions" / "test.beam10.jsonl", **about)
    before = path.read_bytes()
    assert not length_rule.order(path)
    assert path.read_bytes() == before


def test_a_checked_list_is_left_alone(length_rule: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "predictions" / "test.beam5.jsonl")
    path.with_name("test.beam5.verdicts.parquet").touch()
    assert not length_rule.order(path)


def test_a_packed_list_stays_packed(length_rule: Any, tmp_path: Path) -> None:
    plain = written(tmp_path / "predictions" / "test.beam5.jsonl")
    path = plain.with_name("test.beam5.jsonl.zst")
    path.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    plain.unlink()
    assert length_rule.order(path)
    assert not plain.exists()
    assert read_scored(path)["a"][0][0] == LONG


def test_penalties_are_compared_by_bleu_top1_and_length(length_rule: Any, tmp_path: Path) -> None:
    written(tmp_path / "predictions" / "validation.beam5.jsonl")
    rows = length_rule.measured(tmp_path, {"a": LONG, "b": LONG, "c": LONG})
    by_penalty = {row["penalty"]: row for row in rows}
    assert by_penalty[0.0]["top1"] == pytest.approx(100 / 3)
    assert by_penalty[0.9]["top1"] == pytest.approx(200 / 3)
    assert by_penalty[0.9]["bleu"] > by_penalty[0.0]["bleu"]
    assert by_penalty[0.9]["length"] == pytest.approx(2 / 3)
    json.dumps(rows)
