"""IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps.

Four functions are the short way in; each imports what it needs when it is called, so that `import isarstep` is quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isarstep.version import __version__

if TYPE_CHECKING:
    from isarstep.bench.store import Split
    from isarstep.logic.reader import Reading
    from isarstep.prove.step import Step

__all__ = ["__version__", "check_step", "load", "propose", "read"]


def load(where: str | Path = "embedded", split: str = "train") -> Split:
    """The examples of one split of a benchmark, read when they are asked for."""
    from isarstep.bench import store

    return store.open_split(where, split)


def read(
    text: str,
    theory: str = "Complex_Main",
    types: Mapping[str, str] | None = None,
    benchmark: str | Path = "embedded",
) -> Reading:
    """A formula as people write it, as a typed term with the types of its variables.

    Raises UserError where it cannot be read, or has no type, in the theory.
    """
    from isarstep.bench.store import benchmark_at
    from isarstep.logic.reader import read_formula, read_type
    from isarstep.logic.symbols import normal, to_isabelle

    language = benchmark_at(benchmark).language_of(theory)
    given = {to_isabelle(normal(name)): read_type(typ, language) for name, typ in (types or {}).items()}
    return read_formula(text, language, given)


def propose(
    facts: Sequence[str],
    goal: str,
    others: Sequence[str] = (),
    hints: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    theories: Sequence[str] = (),
    beam: int = 10,
    check: bool = False,
    seconds: float = 0.3,
    library: int = 32,
) -> list[Step]:
    """Ranked steps from the facts towards the goal, in notation, by the model inside the package.

    `types` are those of variables that the statements leave open, `theories` what is imported. With `check`, provers
    try both sides of every step: `seconds` of processor time for an attempt, with up to `library` facts beside the
    given ones.
    """
    from isarstep.serve.engine import default_engine
    from isarstep.theory.problem import Problem

    engine = default_engine()
    given = Problem(goal, tuple(facts), tuple(others), tuple(hints), types=types or {}, imports=tuple(theories))
    task = engine.read(given)
    if not check:
        return engine.propose(task, beam)
    with engine.proving(seconds, library) as proving:
        return engine.propose(task, beam, proving=proving)


def check_step(
    step: str,
    facts: Sequence[str],
    goal: str,
    others: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    theories: Sequence[str] = (),
    seconds: float = 0.3,
    library: int = 32,
) -> Step:
    """A step of one's own with what provers say: `first`, does it follow from the facts; `second`, the goal from it.

    (`isarstep.prove` is the room of the checkers, hence the longer name.)
    """
    from isarstep.prove.step import with_gap
    from isarstep.serve.engine import default_engine
    from isarstep.theory.problem import Problem

    engine = default_engine()
    task = engine.read(Problem(goal, tuple(facts), tuple(others), types=types or {}, imports=tuple(theories)))
    found = engine.steps(task, [(engine.answer(task, step), None)])[0]
    with engine.proving(seconds, library) as proving:
        for _, side, gap in proving.verdicts(task, [found]):
            found = with_gap(found, side, gap)
    return found
