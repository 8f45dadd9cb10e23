"""Small questions whose answers a person can see, asked of any model.

They are written in `probes.txt`; `python -m isarstep.score.analysis.probes` reads that with the embedded theories and
writes the tokens to `probes.jsonl`, which is what a machine that trains needs: no theories, no archive. What a model
answered is kept as a predictions file whose ids are the probes' names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import benchmark_at
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.common.tables import ABSENT, Table
from isarstep.isabelle.syntax.reading.named_statements import read_named
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.equality import same_term
from isarstep.isabelle.terms.tokens import encode_line
from isarstep.model.decode.predictions import read_predictions

FIELDS = ("F.2", "F.3", "F.4", "F.5")
PACKAGE = resources.files("isarstep.score.analysis")


@dataclass(frozen=True)
class Probe:
    """An example without a home, the answers that count as right, and what one must have understood to find them."""

    example: Example
    about: str
    answers: tuple[str, ...]
    why: str

    @property
    def name(self) -> str:
        return self.example.id

    def place(self, nbest: Sequence[str]) -> int:
        """Where the first right answer stands, from 1; 0 where there is none."""
        for place, tokens in enumerate(nbest, 1):
            if any(tokens == answer or same_term(tokens, answer) for answer in self.answers):
                return place
        return 0


def probe_of(draft: dict[str, Any]) -> Probe:
    """What stands below a probe's name, its propositions as tokens."""
    name, answers, fields = draft["name"], tuple(draft["answers"]), draft["fields"]
    if len(fields["F.3"]) != 1 or not answers or not draft["why"]:
        raise UserError(f"probe {name}: wants one F.3, an answer and a reason")
    f2, f4, f5 = (tuple(fields[field]) for field in ("F.2", "F.4", "F.5"))
    example = Example(name, answers[0], f2, fields["F.3"][0], f4, f5, name=name)
    return Probe(example, draft["about"], answers, draft["why"])


@cache
def probes() -> tuple[Probe, ...]:
    """Those that come with the package."""
    lines = PACKAGE.joinpath("probes.jsonl").read_text("utf-8").splitlines()
    return tuple(probe_of(json.loads(line)) for line in lines)


def tokens_of_probes() -> str:
    """What `probes.jsonl` holds."""
    drafts = read_probes(PACKAGE.joinpath("probes.txt").read_text("utf-8"), "probes.txt")
    return "".join(json.dumps(draft, ensure_ascii=False) + "\n" for draft in drafts)


def read_probes(text: str, where: str) -> list[dict[str, Any]]:
    """Probes from text in the form that `probes.txt` explains."""
    names, language = Names(), benchmark_at("embedded").theory_contexts.everything.language
    drafts: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("##"):
            continue
        if line.startswith("[") and line.rstrip().endswith("]"):
            fields: dict[str, list[str]] = {field: [] for field in FIELDS}
            drafts.append({"name": line.strip()[1:-1], "fields": fields, "answers": [], "about": "", "why": ""})
            continue
        key, _, value = line.partition("  ")
        if not drafts or key not in (*FIELDS, "answer", "about", "why"):
            raise UserError(f"{where}:{number}: wants a name in brackets, F.2 to F.5, answer, about or why")
        draft, value = drafts[-1], value.strip()
        if key in FIELDS or key == "answer":
            try:
                tokens = encode_line(read_named(value, language, names).term)
            except UserError as error:
                raise UserError(f"{where}:{number}: {error}") from None
            (draft["answers"] if key == "answer" else draft["fields"][key]).append(tokens)
        else:
            draft[key] = value
    return drafts


def write_answers(path: Path, asked: Sequence[Probe], answers: Sequence[Sequence[tuple[str, float]]]) -> None:
    """Keep what a model answered, best first with scores."""
    lines = []
    for probe, nbest in zip(asked, answers, strict=True):
        predictions = [{"tokens": tokens, "score": score} for tokens, score in nbest]
        lines.append(json.dumps({"id": probe.name, "predictions": predictions}, ensure_ascii=False) + "\n")
    write_whole(path, "".join(lines))


def read_answers(path: Path, asked: Sequence[Probe]) -> list[tuple[str, ...]]:
    """What a model answered to the probes."""
    return list(read_predictions(path, [probe.name for probe in asked]).lists)


def probe_table(asked: Sequence[Probe], answers: dict[str, Sequence[Sequence[str]]]) -> Table:
    """For every probe the place of the first right answer of every system."""
    rows = []
    for i, probe in enumerate(asked):
        places = [probe.place(nbest[i]) for nbest in answers.values()]
        rows.append((probe.name, probe.about, *(str(place) if place else ABSENT for place in places)))
    firsts = [sum(probe.place(nbest[i]) == 1 for i, probe in enumerate(asked)) for nbest in answers.values()]
    rows.insert(0, ("right at once", f"of {len(asked)}", *(str(first) for first in firsts)))
    return Table(
        "probes",
        "Probes: the place of the first right answer among ten",
        ("probe", "about", *answers),
        tuple(rows),
    )


if __name__ == "__main__":
    with resources.as_file(PACKAGE) as folder:
        (folder / "probes.jsonl").write_text(tokens_of_probes(), encoding="utf-8")
