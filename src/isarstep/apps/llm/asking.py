"""Asks a language model about a split, keeps every reply, and scores what it said like any other system.

A run is a folder: `replies.jsonl` (one line an example, written when its last sample has come; asking again continues),
`run.json` (what was asked, of whom), and, made of these two at any time, `predictions.jsonl` for `isarstep evaluate`,
its `predictions.meta.json`, and `summary.json`.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isarstep.apps.llm.endpoint import Completion, Endpoint
from isarstep.apps.llm.questions import Questions, ReadReply, place_of_reference
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.common.file_reading import json_of_line, read_json, read_text
from isarstep.common.files import append_whole, one_writer, write_whole
from isarstep.common.version import __version__
from isarstep.isabelle.terms.equality import same_term
from isarstep.score.metrics import accuracy, ranks
from isarstep.score.scores import clusters_of

REPLIES, RUN, SUMMARY = "replies.jsonl", "run.json", "summary.json"
PREDICTIONS, META = "predictions.jsonl", "predictions.meta.json"


@dataclass(frozen=True)
class AskedRun:
    """What is asked, of whom: two runs with the same one may share a folder, others may not."""

    model: str
    benchmark: str  # hash
    split: str
    samples: int
    shots: int
    temperature: float
    longest: int


def ask_all(
    folder: Path,
    inquiry: AskedRun,
    questions: Questions,
    examples: Sequence[Example],
    endpoint: Endpoint,
    *,
    at_once: int = 4,
    progress: Callable[[int], None] = lambda done: None,
) -> None:
    """Get replies for those examples that have none yet. The first refusal ends it; what has come is kept.

    Raises:
        UserError: another process asks in the same folder, the folder holds another run or damaged files, or the
            server refuses.
    """
    with one_writer(folder):
        _open_folder(folder, inquiry)
        _ask_missing(folder, inquiry, questions, examples, endpoint, at_once, progress)


def _ask_missing(
    folder: Path,
    inquiry: AskedRun,
    questions: Questions,
    examples: Sequence[Example],
    endpoint: Endpoint,
    at_once: int,
    progress: Callable[[int], None],
) -> None:
    known = {record.id for record in read_replies(folder, inquiry.samples)}
    todo = [example for example in examples if example.id not in known]
    writing = threading.Lock()
    done = len(examples) - len(todo)
    progress(done)
    over = threading.Event()
    replies = folder / REPLIES
    with replies.open("ab", buffering=0) as file, ThreadPoolExecutor(at_once) as pool:

        def one(example: Example) -> None:
            nonlocal done
            messages = questions.prompt(example)
            samples = []
            for seed in range(inquiry.samples):
                if over.is_set():  # what was not sent yet need not be paid for
                    return
                samples.append(endpoint.complete(messages, seed))
            with writing:
                line = {"id": example.id, "samples": [asdict(sample) for sample in samples]}
                append_whole(replies, file, json.dumps(line, ensure_ascii=False) + "\n")
                done += 1
                progress(done)

        futures = [pool.submit(one, example) for example in todo]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            failed = next((future.exception() for future in finished if future.exception()), None)
            if failed is not None:
                raise failed
        except BaseException:  # Ctrl-C among others: what is under way is kept when it comes, nothing more is sent
            over.set()
            pool.shutdown(cancel_futures=True)
            raise


def _open_folder(folder: Path, inquiry: AskedRun) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RUN
    if path.is_file():
        cure = "it does not say what was asked; remove the folder or choose another --out"
        other = read_json(path, cure, dict[str, Any])
        different = [name for name, value in asdict(inquiry).items() if other.get(name) != value]
        if different:
            raise UserError(f"{folder}: holds a run with another {', '.join(different)}; choose another --out")
        replies = folder / REPLIES
        raw = replies.read_bytes() if replies.is_file() else b""
        if raw and not raw.endswith(b"\n"):  # what a killed process had half written would glue itself to the next line
            write_whole(replies, raw[: raw.rfind(b"\n") + 1])
    else:
        write_whole(path, json.dumps(asdict(inquiry), indent=1) + "\n")


@dataclass(frozen=True)
class Replies:
    """All replies to the question about one example."""

    id: str
    samples: tuple[Completion, ...]


def read_replies(folder: Path, samples: int) -> Iterator[Replies]:
    """Yield what has been answered so far, so many samples for each example.

    Raises:
        UserError: a line of the file is not what `ask` wrote; the message names it.
    """
    path = folder / REPLIES
    cure = "remove the line and ask again"
    if not path.exists():
        return
    for number, line in enumerate(read_text(path, "remove what is not UTF-8 and ask again").split("\n"), 1):
        if line:
            replies: Replies = json_of_line(line, f"{path}:{number}", cure, Replies)
            if len(replies.samples) != samples:
                raise UserError(f"{path}:{number}: has {len(replies.samples)} samples instead of {samples}; {cure}")
            yield replies


def summarise_replies(
    folder: Path, inquiry: AskedRun, questions: Questions, examples: Sequence[Example]
) -> dict[str, Any]:
    """Read the replies, write predictions and summary, and return the summary."""
    replies = {record.id: record.samples for record in read_replies(folder, inquiry.samples)}
    answered = [example for example in examples if example.id in replies]
    lists: list[list[str]] = []
    correct: list[int] = []
    problems: dict[str, int] = {}
    first_unreadable = 0
    lines: list[str] = []
    for example in answered:
        answers = [questions.read(example, sample.text) for sample in replies[example.id]]
        first_unreadable += not answers[0].readable
        for answer in answers:
            if answer.problem:
                kind = "no answer" if not answer.text else "not read"
                problems[kind] = problems.get(kind, 0) + 1
        correct.append(sum(place_of_reference(example, [answer]) for answer in answers))
        nbest = by_votes(answers)
        lists.append([tokens for tokens, _ in nbest])
        predictions = [{"tokens": tokens, "score": votes} for tokens, votes in nbest]
        lines.append(json.dumps({"id": example.id, "predictions": predictions}, ensure_ascii=False))
    write_whole(folder / PREDICTIONS, "".join(f"{line}\n" for line in lines))
    write_whole(folder / META, json.dumps(_meta(inquiry), indent=1) + "\n")
    found = ranks([example.f1 for example in answered], lists)
    clusters = clusters_of(answered)
    widths = [k for k in (1, 2, 5, 10, 20, 50, 100) if k <= inquiry.samples]
    samples = [sample for example in answered for sample in replies[example.id]]
    summary = asdict(inquiry) | {
        "examples": len(answered),
        "unanswered": len(examples) - len(answered),
        "top": {k: asdict(accuracy((found.term > 0) & (found.term <= k), clusters)) for k in widths},
        "pass": {k: 100 * float(np.mean([pass_at(k, inquiry.samples, c) for c in correct] or [0.0])) for k in widths},
        "replies": len(samples),
        "unreadable": problems,
        "first unreadable": first_unreadable,
        "cut": sum(sample.cut for sample in samples),
        "budget": _budget(samples),
    }
    write_whole(folder / SUMMARY, json.dumps(summary, indent=1) + "\n")
    return summary


def by_votes(answers: Sequence[ReadReply]) -> list[tuple[str, int]]:
    """Distinct readable answers with the number of samples that gave each, most first; equals as they came."""
    found: list[tuple[str, int]] = []
    for answer in answers:
        if answer.tokens is None:
            continue
        for place, (tokens, votes) in enumerate(found):
            if tokens == answer.tokens or same_term(tokens, answer.tokens):
                found[place] = (tokens, votes + 1)
                break
        else:
            found.append((answer.tokens, 1))
    return sorted(found, key=lambda pair: -pair[1])


def pass_at(k: int, samples: int, correct: int) -> float:
    """The chance that k samples drawn from these, without putting back, hold a correct one."""
    if k > samples:
        raise ValueError(f"pass@{k} of {samples} samples")
    return 1.0 - math.comb(samples - correct, k) / math.comb(samples, k)


def _meta(inquiry: AskedRun) -> dict[str, Any]:
    """What the signature of a score says about a system."""
    return {
        "benchmark": inquiry.benchmark,
        "split": inquiry.split,
        "input": f"base, {inquiry.shots} shots",
        "beam": f"{inquiry.samples} samples by votes at temperature {inquiry.temperature:g}",
        "trained_on": None,  # nobody knows
        "length_rule": f"replies of {inquiry.longest} tokens",
        "constraints": "none",
        "model": inquiry.model,
        "version": __version__,
    }


def _budget(samples: Sequence[Completion]) -> dict[str, Any]:
    """Tokens of those replies whose server counted them."""
    counted = [sample for sample in samples if sample.tokens_in is not None and sample.tokens_out is not None]
    tokens_in = sum(sample.tokens_in or 0 for sample in counted)
    tokens_out = sum(sample.tokens_out or 0 for sample in counted)
    not_counted = len(samples) - len(counted)
    return {"tokens in": tokens_in, "tokens out": tokens_out, "not counted": not_counted}
