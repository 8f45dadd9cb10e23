"""Why is the paper's first example, `2 * b^2 = a^2` to `∃c. a = 2 * c`, not answered first? One change at a time.

    python research/experiments/first_example.py        # the shipped model, a minute of one core

The shipped model is asked: the weights of the others are not kept. Each line changes one thing of the probe
`even-square` and shows the place of the first right answer (`even a`, `even (a^2)`, or both as `2 dvd`) and what is
first. The last line is one JSON document.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from isarstep.apps.engine import Engine
from isarstep.benchmark.problems.task import Task
from isarstep.isabelle.terms.equality import same_term
from isarstep.isabelle.theory.problems.problem import Problem
from isarstep.model.decode.ranking import COMPARED_ORDER, Order, learned_ranking

FACT, GOAL, LATER = "2 * b^2 = a^2", "∃c. a = 2 * c", "even (a^2)"
EVEN = "CONST Parity.semiring_parity_class.even $"
DIVIDES = (
    "CONST Rings.dvd_class.dvd $ ( CONST Num.numeral_class.numeral $ ( CONST Num.num.Bit0 $ CONST Num.num.One ) ) $"
)


@dataclass(frozen=True)
class Asked:
    """One way of asking; what is not said is as the probe has it."""

    change: str
    facts: tuple[str, ...] = (FACT,)
    lemmas: tuple[str, ...] = ()
    goal: str = GOAL
    fixed: tuple[str, ...] = ("a", "b")
    number: str = "nat"
    beam: int = 10
    typed: bool = False
    learned: bool = False


WAYS = (
    Asked("as the probe has it: beam 10, no constraint"),
    Asked("beam 100", beam=100),
    Asked("in the learned order", learned=True),
    Asked("types followed, numbers are nat", typed=True),
    Asked("types followed, numbers are int", typed=True, number="int"),
    Asked("b introduced before a", fixed=("b", "a")),
    Asked("the fact turned round", facts=("a^2 = 2 * b^2",)),
    Asked("the goal with c * 2", goal="∃c. a = c * 2"),
    Asked("the definition of dvd in F.4", lemmas=("∀x y. (x dvd y) = (∃k. y = x * k)",)),
    Asked("one step later: the fact is even (a^2)", facts=(LATER,)),
)


def main() -> None:
    engine = Engine()
    print(json.dumps({"first example": [asked(engine, way) for way in WAYS]}, ensure_ascii=False))


def asked(engine: Engine, way: Asked) -> dict[str, str | int]:
    """The place of the first right answer, 0 where there is none, and what stands first."""
    types = {"a": way.number, "b": way.number}
    task = engine.read(Problem(way.goal, way.facts, way.lemmas, fixed=way.fixed, types=types))
    found = answers(engine, task, way)
    right = right_answers(way.fixed.index("a"), way.facts)
    places = (place for place, tokens in enumerate(found, 1) if any(same_term(tokens, each) for each in right))
    row: dict[str, str | int] = {"change": way.change, "place": next(places, 0), "first": task.text(found[0])}
    print(f"{way.change:52} {row['place'] or 'none':>5}   {row['first']}", flush=True)
    return row


def answers(engine: Engine, task: Task, way: Asked) -> list[str]:
    steps = engine.search([task], way.beam, math.inf, typed=way.typed)[0]
    order: Order = learned_ranking() if way.learned else COMPARED_ORDER
    given = {line for _, line in task.example.source(hints=False)}
    return [tokens for tokens, _ in order.ordered([(step.tokens, step.score or 0.0) for step in steps], given)]


def right_answers(number: int, facts: tuple[str, ...]) -> list[str]:
    root = f"FREE <X{number}>"
    square = f"( CONST Power.power_class.power2 $ {root} )"
    about = (root,) if facts == (LATER,) else (root, square)
    return [f"CONST HOL.Trueprop $ ( {words} {term} )" for words in (EVEN, DIVIDES) for term in about]


if __name__ == "__main__":
    main()
