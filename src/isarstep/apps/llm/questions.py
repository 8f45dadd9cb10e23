"""The benchmark as questions for language models: three functions that every way of asking shares.

`prompt` puts an example into words, as its own theory writes them; `read` finds the proposition in a reply;
`place_of_reference` says at which place the reference stands among answers. `isarstep ask` and the harness tasks differ
in nothing but who sends the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypedDict

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.syntax.writing.printing import to_unicode
from isarstep.isabelle.syntax.writing.writer import write_type
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.score.answer_reading import AnswerReader
from isarstep.score.metrics import ranks

SHOTS = 4
MARK = "ANSWER:"
_ANSWER = re.compile(rf"^[ \t>#-]*(\*\*)?{MARK}(?(1)(?:\*\*)?)[ \t]*(\S.*)$", re.MULTILINE)  # models like bold type
_LARGEST_SHOT = 150  # tokens of a source that is shown as an example

SYSTEM = (
    "You complete Isabelle/HOL proofs. One step of a proof is missing. You are told what it was derived from, what was "
    "derived from it, and what else was used for that. Say the missing proposition, in the notation of the question, "
    f"with its variables. You may think first; end with a line that begins with {MARK} and holds the proposition alone."
)


class PromptMessage(TypedDict):
    """One turn of a conversation, as every server with such an interface takes it."""

    role: str
    content: str


@dataclass(frozen=True)
class ReadReply:
    """What a reply says: the proposition as normalised tokens, or why none was found."""

    tokens: str | None
    problem: str | None = None  # one line
    text: str = ""  # the piece of the reply that was taken for the proposition

    @property
    def readable(self) -> bool:
        return self.tokens is not None


class Questions:
    """Prompts and readings over one benchmark; examples from its training split come before every question."""

    def __init__(self, benchmark: Benchmark, shots: int = SHOTS) -> None:
        self.benchmark = benchmark
        self._reader = AnswerReader(benchmark)
        self.shots = list(islice(self._fitting_shots(), shots)) if shots else []

    def _fitting_shots(self) -> Iterator[Example]:
        """Short examples of training, each from a session of its own: the same ones for every question."""
        sessions: set[str] = set()
        for example in self.benchmark.split("train"):
            size = sum(text.count(" ") + 1 for _, text in example.source(hints=False))
            if example.session not in sessions and example.f2 and example.f3 and size <= _LARGEST_SHOT:
                sessions.add(example.session)
                yield example

    def names(self, example: Example) -> Names:
        """How the example's own theory writes, variables under the names that people gave them where one can."""
        return self._reader.names(example)

    def prompt(self, example: Example) -> list[PromptMessage]:
        """The conversation up to the point where the model answers."""
        messages = [PromptMessage(role="system", content=SYSTEM)]
        for shot in self.shots:
            answer = to_unicode(decode(shot.f1), self.names(shot))
            messages.append(PromptMessage(role="user", content=self.question(shot)))
            messages.append(PromptMessage(role="assistant", content=f"{MARK} {answer}"))
        return [*messages, PromptMessage(role="user", content=self.question(example))]

    def text(self, example: Example) -> str:
        """The same in one piece, for models and harnesses that know no turns."""
        return "\n\n".join(message["content"] for message in self.prompt(example)) + "\n\n"

    def question(self, example: Example) -> str:
        """F.2 to F.4 in notation, with the types of the variables."""
        names, language = self.names(example), self.benchmark.theory_contexts.at(example.theory).language
        parts = [
            (
                "Variables:",
                [f"{names.free(v)} :: {write_type(parse_type(t), language)}" for v, t in example.types.items()],
            ),
            ("The missing step was derived from:", _shown(example, 2, names)),
            ("From the missing step follows:", _shown(example, 3, names)),
            ("For this were also used:", _shown(example, 4, names)),
        ]
        return "\n".join(
            "\n".join([title, *(f"  {line}" for line in lines or ["(nothing)"])]) for title, lines in parts
        )

    def read(self, example: Example, reply: str) -> ReadReply:
        """The proposition after the last mark, read by the notation's own reader."""
        found = _ANSWER.findall(reply)
        if not found:
            return ReadReply(None, f"no line begins with {MARK}")
        text = _unwrapped(found[-1][1])
        try:
            return ReadReply(self._reader.read(example, text), None, text)
        except UserError as error:
            return ReadReply(None, " ".join(str(error).split()), text)


def place_of_reference(example: Example, answers: Sequence[ReadReply]) -> int:
    """The place of the first answer that is the reference as a term, from 1; 0: none is.

    An answer that could not be read takes up its place. The comparison is that of `isarstep evaluate`.
    """
    return int(ranks([example.f1], [[answer.tokens or "" for answer in answers]]).term[0])


def judgement(questions: Questions, example: Example, reply: str) -> tuple[ReadReply, dict[str, float]]:
    """What harnesses keep of one reply: the answer in it, and the two numbers whose means they report."""
    answer = questions.read(example, reply)
    return answer, {"top1": float(place_of_reference(example, [answer]) == 1), "unreadable": float(not answer.readable)}


def _shown(example: Example, field: int, names: Names) -> list[str]:
    return [to_unicode(decode(text), names) for number, text in example.source(hints=False) if number == field]


def _unwrapped(text: str) -> str:
    """Without the quotes, ticks and dollars that models put around formulas."""
    text = text.strip()
    if not text.startswith("**"):
        text = text.removesuffix("**")
    for left, right in (("**", "**"), ("```", "```"), ("`", "`"), ("$", "$"), ('"', '"'), (r"\<open>", r"\<close>")):
        if text.startswith(left) and text.endswith(right) and len(text) > len(left) + len(right):
            text = text[len(left) : -len(right)].strip()
    return text
