"""Reads anybody's n-best lists and lines them up with the examples they answer.

Two forms: JSONL, `{"id": ..., "predictions": [{"tokens": ..., "score": ...}]}`, aligned by id, and the line format, k
lines an example in the order of the split. What does not line up is refused; nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from isarstep.common.errors import UserError
from isarstep.common.file_reading import parse_json, read_json, read_json_lines, read_text
from isarstep.common.files import write_whole, writing_whole

_SURROGATE = re.compile("[\ud800-\udfff]")
ENDINGS = (".jsonl", ".json", ".txt")  # any other is part of the name: `run.v2`


@dataclass(frozen=True, slots=True)
class Predictions:
    """N-best lists in the order of the examples, best first, each a string of blank-separated tokens."""

    lists: tuple[tuple[str, ...], ...]
    missing: int  # examples without any prediction: they count as wrong
    duplicated: int  # predictions that repeat an earlier one of their own list: they take up a place and gain nothing
    meta: dict[str, object] = field(hash=False)  # how they were made, from NAME.meta.json where there is one

    @property
    def width(self) -> int:
        return max((len(nbest) for nbest in self.lists), default=0)

    def at(self, places: Sequence[int]) -> Predictions:
        """Those for some of the examples only."""
        return faults_counted(tuple(self.lists[place] for place in places), self.meta)


@dataclass(frozen=True, slots=True)
class _Scored:
    tokens: str
    score: float


@dataclass(frozen=True, slots=True)
class _ScoredList:
    id: str
    predictions: tuple[_Scored, ...]


@dataclass(frozen=True, slots=True)
class _List:
    id: str
    predictions: tuple[Any, ...]


def read_predictions(path: Path, ids: Sequence[str], gone: Sequence[str] = ()) -> Predictions:
    """The predictions in `path` for the examples `ids`; a UserError where the file does not answer exactly these.

    Answers to examples that are `gone`, which were scored when the file was made, are passed over.
    """
    text = read_text(path, "give the predictions file again")
    # Only a line feed ends a line: a stray Unicode separator inside a prediction must not shift all that follow.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines and lines[-1] == "":
        lines.pop()
    if not lines:
        raise UserError(f"{path}: is empty")
    if lines[0].lstrip().startswith("{"):
        lists = _jsonl(path, lines, ids, frozenset(gone))
    elif gone:
        raise UserError(f"{path}: was made for a split with {len(gone)} more examples; give ids, as JSONL does")
    else:
        lists = _plain(path, lines, ids)
    return faults_counted(lists, read_meta(path))


def lists_by_id(answers: Mapping[str, Sequence[str]], ids: Sequence[str]) -> Predictions:
    """Lists that are not in a file, for the examples `ids`; a UserError where one answers something else."""
    if unknown := sorted({*answers} - {*ids}):
        raise UserError(f"example {unknown[0]} is not in this split; check the split and the benchmark")
    lists = tuple(tuple(_tokens(f"example {of}", each) for each in answers.get(of, ())) for of in ids)
    return faults_counted(lists, {})


def read_scored(path: Path) -> dict[str, list[tuple[str, float]]]:
    """Lists in JSON with the score of every answer, by id: what `isarstep predict` writes."""
    records: Iterator[_ScoredList] = read_json_lines(path, "not what `isarstep predict` writes", _ScoredList)
    return {each.id: [(answer.tokens, answer.score) for answer in each.predictions] for each in records}


def without_scores(path: Path, most: int) -> str:
    """The lists of a JSON file, at most so many answers each, with their tokens alone."""
    lines = []
    for record in read_json_lines(path, 'expected {"id": ..., "predictions": [...]}', _List):
        answers = [{"tokens": _tokens(str(path), answer)} for answer in record.predictions[:most]]
        lines.append(json.dumps({"id": record.id, "predictions": answers}, ensure_ascii=False) + "\n")
    return "".join(lines)


def stem(path: Path) -> str:
    """The name under which files about these predictions lie beside them: without `.jsonl`, `.txt`, `.jsonl.zst`."""
    name = path.name.removesuffix(".zst")
    return name.removesuffix(next((suffix for suffix in ENDINGS if name.endswith(suffix)), ""))


def faults_counted(lists: tuple[tuple[str, ...], ...], meta: dict[str, object]) -> Predictions:
    """Lists with what is wrong with them counted."""
    return Predictions(
        lists=lists,
        missing=sum(not nbest for nbest in lists),
        duplicated=sum(len(nbest) - len(set(nbest)) for nbest in lists),
        meta=meta,
    )


def read_meta(path: Path) -> dict[str, object]:
    """How the predictions were made, from `NAME.meta.json` beside `NAME.jsonl`; empty where nobody wrote it down."""
    sidecar = path.with_name(stem(path) + ".meta.json")
    if not sidecar.is_file():
        return {}
    meta: dict[str, object] = read_json(sidecar, "mend or remove it", dict[str, Any])
    return meta


def _jsonl(
    path: Path, lines: Sequence[str], ids: Sequence[str], gone: frozenset[str] = frozenset()
) -> tuple[tuple[str, ...], ...]:
    # Imported data may hold the same example twice: it may then be answered as often, or once for all.
    known = Counter(ids)
    found: dict[str, list[tuple[str, ...]]] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        try:
            record = parse_json(line)
        except ValueError:
            raise UserError(f"{where}: is not a JSON object") from None
        if not isinstance(record, dict) or not isinstance(record.get("id"), str):
            raise UserError(f'{where}: wants {{"id": ..., "predictions": [...]}}')
        example = record["id"]
        if example in gone:
            continue
        if example not in known:
            raise UserError(f"{where}: example {example} is not in this split; check --split and the benchmark")
        answers = found.setdefault(example, [])
        if len(answers) == known[example]:
            raise UserError(f"{where}: example {example} was answered before; an id stands once")
        predictions = record.get("predictions")
        if not isinstance(predictions, list):
            raise UserError(f"{where}: predictions must be a list")
        answers.append(tuple(_tokens(where, prediction) for prediction in predictions))
        _refuse_unsorted(where, predictions)
    met: Counter[str] = Counter()
    lists = []
    for example in ids:
        answers = found.get(example) or [()]
        lists.append(answers[met[example] if len(answers) == known[example] else 0])
        met[example] += 1
    return tuple(lists)


def _tokens(where: str, prediction: object) -> str:
    tokens = prediction.get("tokens") if isinstance(prediction, dict) else prediction
    if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens):
        tokens = " ".join(tokens)
    if isinstance(tokens, str):
        if _SURROGATE.search(tokens):
            raise UserError(f"{where}: a prediction has half of a surrogate pair, which is no character")
        return _spaced(tokens)
    raise UserError(f"{where}: a prediction wants its tokens as a string or a list of strings")


def is_tokens(line: str) -> bool:
    """Are these tokens of a term, and no formula in notation? Every term has a leaf, and says of which kind it is."""
    return any(kind in line for kind in ("CONST ", "FREE ", "VAR ", "BOUND "))


def _spaced(line: str) -> str:
    """Tokens with single blanks between them; brackets that stick to a neighbour get a token of their own."""
    if not is_tokens(line):
        return line.strip()  # notation, where blanks are the writer's own
    # Counting is quicker than replacing, and nearly all files have their brackets apart.
    if line.count("(") != line.count("( ") or line.count(")") != line.count(" )"):
        line = line.replace("(", " ( ").replace(")", " ) ")
    return " ".join(line.split())


def _refuse_unsorted(where: str, predictions: Sequence[object]) -> None:
    scores = [p["score"] for p in predictions if isinstance(p, dict) and isinstance(p.get("score"), int | float)]
    if any(score != score for score in scores):
        raise UserError(f"{where}: a score is NaN; give numbers, or leave all scores out")
    if len(scores) == len(predictions) and any(a < b for a, b in pairwise(scores)):
        raise UserError(f"{where}: predictions must stand best first, but their scores rise")


def _plain(path: Path, lines: Sequence[str], ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    width, rest = divmod(len(lines), max(len(ids), 1))
    if rest or not width or not ids:
        raise UserError(
            f"{path}: {len(lines)} lines for {len(ids)} examples; the line format wants k lines for every example"
        )
    clean = [_spaced(line) for line in lines]
    # An empty line is a beam that found nothing more: it can't match and is left out.
    return tuple(tuple(line for line in clean[i : i + width] if line) for i in range(0, len(clean), width))


def write_predictions(path: Path, lines: Iterable[tuple[str, list[tuple[str, float]]]], meta: dict[str, Any]) -> int:
    """`{"id", "predictions": [{"tokens", "score"}]}` a line, and what produced them in `*.meta.json` beside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with writing_whole(path) as temporary:
        with _writing(temporary, packed=path.suffix == ".zst") as file:
            for identifier, proposals in lines:
                predictions = [{"tokens": tokens, "score": round(score, 4)} for tokens, score in proposals]
                file.write(json.dumps({"id": identifier, "predictions": predictions}, ensure_ascii=False) + "\n")
                count += 1
        write_whole(path.with_name(stem(path) + ".meta.json"), json.dumps(meta, indent=1) + "\n")
    return count


def _writing(path: Path, *, packed: bool) -> TextIO:
    if not packed:
        return path.open("w", encoding="utf-8")
    import zstandard

    file: TextIO = zstandard.open(path, "w", cctx=zstandard.ZstdCompressor(level=10), encoding="utf-8")
    return file
