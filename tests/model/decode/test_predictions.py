"""Every way a predictions file can fail to line up has its refusal."""

import json
import re
from pathlib import Path

import pytest

from isarstep.common.errors import UserError
from isarstep.model.decode.predictions import lists_by_id, read_predictions, read_scored, write_predictions

IDS = ("a1", "b2", "c3")


def write(path: Path, records: list[object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def answer(example: str, *tokens: str) -> dict[str, object]:
    return {"id": example, "predictions": [{"tokens": t, "score": -float(i)} for i, t in enumerate(tokens)]}


def test_jsonl_is_aligned_by_id_and_not_by_position(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [answer("c3", "z"), answer("a1", "x", "y"), answer("b2", "w", "w")])
    predictions = read_predictions(path, IDS)
    assert predictions.lists == (("x", "y"), ("w", "w"), ("z",))
    assert (predictions.missing, predictions.duplicated, predictions.width) == (0, 1, 2)


def test_lists_that_are_in_no_file_are_aligned_by_id_too() -> None:
    predictions = lists_by_id({"c3": ["FREE  z"], "a1": ["FREE x", "FREE y"]}, IDS)
    assert predictions.lists == (("FREE x", "FREE y"), (), ("FREE z",))
    assert (predictions.missing, predictions.meta) == (1, {})
    with pytest.raises(UserError, match="zz is not in this split"):
        lists_by_id({"zz": [], "a1": []}, IDS)


def test_an_unanswered_example_is_counted_not_skipped(tmp_path: Path) -> None:
    predictions = read_predictions(write(tmp_path / "p.jsonl", [answer("b2", "x")]), IDS)
    assert predictions.missing == 2
    assert predictions.lists[0] == ()


def test_an_example_that_stands_twice_may_be_answered_twice_or_once(tmp_path: Path) -> None:
    twice = write(tmp_path / "p.jsonl", [answer("a1", "x"), answer("b2", "y"), answer("a1", "z")])
    assert read_predictions(twice, ("a1", "b2", "a1")).lists == (("x",), ("y",), ("z",))
    once = write(tmp_path / "q.jsonl", [answer("a1", "x"), answer("b2", "y")])
    assert read_predictions(once, ("a1", "b2", "a1")).lists == (("x",), ("y",), ("x",))


def test_tokens_may_be_a_list(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [{"id": "a1", "predictions": [["CONST", "x"], {"tokens": ["BOUND", "0"]}]}])
    assert read_predictions(path, IDS).lists[0] == ("CONST x", "BOUND 0")


def test_glued_brackets_get_tokens_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [answer("a1", "CONST f $ (CONST g $ (CONST h $ BOUND 0))")])
    assert read_predictions(path, IDS).lists[0] == ("CONST f $ ( CONST g $ ( CONST h $ BOUND 0 ) )",)


@pytest.mark.parametrize("glued", ["( CONST f $ BOUND 0)", "(CONST f $ BOUND 0 )"])
def test_one_glued_bracket_is_enough(tmp_path: Path, glued: str) -> None:
    path = write(tmp_path / "p.jsonl", [answer("a1", glued)])
    assert read_predictions(path, IDS).lists[0] == ("( CONST f $ BOUND 0 )",)


def test_what_is_written_is_counted_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "p.jsonl"
    lines = [("a1", [("x y", -0.12345), ("z", -2.0)]), ("b2", [])]
    assert write_predictions(path, lines, {"beam": 2}) == 2
    assert write_predictions(tmp_path / "none.jsonl", [], {}) == 0
    assert read_scored(path) == {"a1": [("x y", -0.1235), ("z", -2.0)], "b2": []}
    predictions = read_predictions(path, IDS)
    assert predictions.lists == (("x y", "z"), (), ())
    assert (predictions.missing, predictions.meta) == (2, {"beam": 2})
    assert predictions.at([0]).lists == (("x y", "z"),)
    assert predictions.at([0]).missing == 0


def test_line_format_takes_k_lines_an_example(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("FREE  b\r\nc\n\nd\ne\nf\n", encoding="utf-8", newline="")
    assert read_predictions(path, IDS).lists == (("FREE b", "c"), ("d",), ("e", "f"))


def test_a_unicode_line_separator_does_not_shift_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("FREE a\u2028b\nx\ny\n", encoding="utf-8")
    assert len(read_predictions(path, IDS).lists) == 3


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"one\ntwo\n", "2 lines for 3 examples"),
        (b"1\n2\n3\n4\n", "4 lines for 3 examples"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"id": "a1"', "not a JSON object"),
        (b'{"id": "a1"}\n', "must be a list"),
        (b'{"predictions": []}\n', 'wants {"id"'),
        (b'{"id": "zz", "predictions": []}\n', "zz is not in this split"),
        (b'{"id": "a1", "predictions": []}\n{"id": "a1", "predictions": []}\n', ":2: example a1 was answered before"),
        (b'{"id": "a1", "predictions": [7]}\n', "tokens as a string"),
        (b'{"id": "a1", "predictions": [{"tokens": "a", "score": -2}, {"tokens": "b", "score": -1}]}\n', "best first"),
    ],
)
def test_what_does_not_line_up_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "p"
    path.write_bytes(content)
    with pytest.raises(UserError, match=re.escape(complaint)):
        read_predictions(path, IDS)


def test_a_byte_order_mark_is_no_token(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_bytes("\ufeffx\ny\nz\n".encode())
    assert read_predictions(tmp_path / "p.txt", IDS).lists == (("x",), ("y",), ("z",))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        read_predictions(tmp_path / "nowhere.jsonl", IDS)


def test_meta_is_read_from_beside_and_refused_when_broken(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [answer("a1", "x")])
    (tmp_path / "p.meta.json").write_text('{"beam": 10}')
    assert read_predictions(path, IDS).meta == {"beam": 10}
    (tmp_path / "p.meta.json").write_text("{")
    with pytest.raises(UserError, match=re.escape("p.meta.json")):
        read_predictions(path, IDS)


def test_lines_for_a_split_without_examples_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("x\n")
    with pytest.raises(UserError, match="1 lines for 0 examples"):
        read_predictions(path, [])
