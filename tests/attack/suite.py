"""The attack: what must not be proved, on the real fact base, and `False` from what theories say.

`python -m tests.attack` runs all of it (`make attack`); the tests here run a fixed part.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path

from isarstep.apps.engine import Engine
from isarstep.benchmark.store.store import Benchmark
from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.abbreviations import expand
from isarstep.isabelle.terms.tokens import decode
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.premises.fact_base import Library
from isarstep.prover.atp.problems import Query, attempt, instantiated
from isarstep.prover.atp.provers import Attempt, available
from isarstep.prover.atp.schedule import strategies
from isarstep.prover.check.prover_session import FALSEHOOD as FALSE_STEP
from isarstep.prover.check.prover_session import Limits, Proving
from isarstep.prover.check.step_checker import FALSEHOOD, Checker
from isarstep.prover.encode.formula import CannotEncode
from isarstep.prover.outcomes.verdict import Gap, Proved

FILE = Path(__file__).parent / "false.txt"


def derivations(path: Path = FILE) -> list[Problem]:
    """Every derivation of the file, in each of its contexts, for each of its types."""
    return [problem for _, problem in derivations_by_field(path)]


def derivations_by_field(path: Path) -> list[tuple[str, Problem]]:
    """The same, each with the heading under which it stands."""
    found: list[tuple[str, Problem]] = []
    heading = ""
    theory_contexts: list[tuple[str, ...]] = [()]
    types: list[dict[str, str]] = [{}]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            theory_contexts = [() if text.strip() == "-" else (text.strip(),) for text in line[1:].split("|")]
        elif "⊢" not in line:
            types = [_types(text) for text in line.split(" | ")]
        else:
            facts, _, goal = line.partition("⊢")
            given = tuple(text.strip() for text in facts.split(" ; ") if text.strip())
            for imports, known in product(theory_contexts, types):
                used = {name: typ for name, typ in known.items() if name in line}
                found.append((heading, Problem(goal.strip(), given, types=used, imports=imports)))
    return found


def _types(text: str) -> dict[str, str]:
    pairs = (part.partition(" :: ") for part in text.split(",") if part.strip() != "-")
    return {name.strip(): typ.strip() for name, _, typ in pairs}


@dataclass(frozen=True)
class Breach:
    """Something that was proved and must not be."""

    problem: Problem
    way: str
    gap: Gap

    def __str__(self) -> str:
        facts = " ; ".join(self.problem.facts)
        return f"{self.way}: {facts} ⊢ {self.problem.goal} in {self.problem.imports}: {self.gap}"


class Attack:
    """Asks as people do: a goal from facts, a given step, and a score where an example would stand."""

    def __init__(self, engine: Engine, proving: Proving, seconds: float, library: int) -> None:
        self.engine, self.proving, self.seconds, self.library = engine, proving, seconds, library
        proving.limit(seconds, library)
        proving._counterexamples = None  # provers are attacked: what is refuted would never come to them

    def sketched(self, problem: Problem) -> Iterator[Breach]:
        task = self.engine.read(problem)
        assert task.example.f3 is not None
        gap, _ = self.proving.follows(task, task.example.f3, (), Limits(self.seconds, self.library))
        if isinstance(gap, Proved):
            yield Breach(problem, "sketch", gap)

    def inducted(self, problem: Problem, most: int = 14) -> Iterator[Breach]:
        """By induction and case distinction."""
        task = self.engine.read(problem)
        assert task.example.f3 is not None
        answers = self.proving.inductions(task, task.example.f3, (), Limits(self.seconds, self.library))
        for gap, _ in islice(answers, most):
            if isinstance(gap, Proved):
                yield Breach(problem, "induction", gap)

    def proposed(self, problem: Problem) -> Iterator[Breach]:
        """The step from which everything follows; it must not follow from the facts."""
        task = self.engine.read(problem)
        self.proving.limit(self.seconds, self.library)
        gap = next(gap for side, gap in self.proving.gaps(task, FALSE_STEP) if side == "first")
        if isinstance(gap, Proved):
            yield Breach(problem, "propose", gap)

    def scored(self, problem: Problem, checker: Checker) -> Iterator[Breach]:
        """As if it were an example at the end of its theory, and the goal the model's answer."""
        task = self.engine.read(problem)
        place = replace(task.example, id=str(problem), theory=task.theory_context.imports[0])
        # The same first gap that `check` asks for, without all else that it asks.
        _, gap = next(checker.gaps(place, task.example.f3 or ""))
        if isinstance(gap, Proved):
            yield Breach(problem, "check", gap)


def quick_attempts(query: Query) -> Iterator[Attempt]:
    """By each prover that can be asked."""
    for strategy in available(strategies()):
        with suppress(CannotEncode):
            yield attempt(query, strategy)


def false_queries(benchmark: Benchmark, library: Library, count: int, size: int) -> Iterator[tuple[str, Query]]:
    """`False` from the facts of sampled places: a stretch of what is known there and some from anywhere in that context,
    at the types of the example that stands there. A place is chosen by number, the same ones each time.
    """
    chosen = random.Random(1)
    split = benchmark.split("test")
    for _ in range(count):
        example = split[chosen.randrange(len(split))]
        theory_context = benchmark.theory_contexts.at(example.theory)
        if theory_context.theories is None:
            continue
        visible = library.visible(theory_context.theories).nonzero()[0].tolist()
        start = chosen.randrange(max(1, len(visible) - size // 2))
        numbers = dict.fromkeys([*visible[start : start + size // 2], *chosen.sample(visible, size // 2)])
        types = {name: parse_type(text) for name, text in example.types.items()}
        try:
            lines = [decode(line) for line in (*example.f2, example.f1)]
            terms = [
                expand(term, theory_context.signature)
                for term in infer(lines, theory_context.signature, types).propositions
            ]
        except UserError:
            continue
        facts = [library.fact(n) for n in numbers]
        # The example gives types and no facts: instances are taken with its goal, and it is left away.
        at_types = instantiated((), terms[-1], facts, theory_context.signature, size)
        yield example.theory, Query((), FALSEHOOD, at_types.library)
