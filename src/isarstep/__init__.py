"""IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps.

Four functions are the short way in; each imports what it needs when it is called, so that `import isarstep` is quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isarstep.errors import UserError
from isarstep.version import __version__

if TYPE_CHECKING:
    from isarstep.bench.store import Split
    from isarstep.logic.reader import Reading
    from isarstep.prove.step import Step
    from isarstep.prove.step_prover import Proving
    from isarstep.theory.task import Task

__all__ = ["UserError", "__version__", "check_step", "load", "propose", "read"]


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

    Raises UserError where it cannot be read, or has no type, in the theory, or names what the theory does not know.
    """
    from isarstep.bench.store import benchmark_at
    from isarstep.logic.reader import read_formula, read_type
    from isarstep.logic.symbols import normal, to_isabelle
    from isarstep.theory.unknown_names import annotated, question, unknown_names

    world = benchmark_at(benchmark).worlds.importing([theory])
    given = {to_isabelle(normal(name)): read_type(typ, world.language) for name, typ in (types or {}).items()}
    found = read_formula(text, world.language, given)
    for name in unknown_names(found.term, {*given, *annotated(text)}):
        raise UserError(question(name, world))
    return found


def propose(
    facts: Sequence[str],
    goal: str,
    others: Sequence[str] = (),
    hints: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    fixed: Sequence[str] = (),
    theories: Sequence[str] = (),
    beam: int = 10,
    check: bool = False,
    seconds: float = 0.3,
    library: int = 32,
) -> list[Step]:
    """Ranked steps from the facts towards the goal, in notation, by the model inside the package.

    `types` are those of variables that the statements leave open, `fixed` names that are variables though they look
    like none or a constant has them, `theories` what is imported. With `check`, provers try both sides of every step:
    `seconds` of processor time for an attempt, with up to `library` facts beside the given ones.
    """
    from isarstep.serve.engine import default_engine
    from isarstep.theory.problem import Problem

    engine = default_engine()
    lines = (goal, _several("facts", facts), _several("others", others), _several("hints", hints))
    fixes, imports = _several("fixed", fixed), _several("theories", theories)
    task = engine.read(Problem(*lines, fixed=fixes, types=types or {}, imports=imports))
    if not check:
        return engine.propose(task, beam)
    with engine.proving(seconds, library) as proving:
        return _with_contradiction(engine.propose(task, beam, proving=proving), task, proving)


def check_step(
    step: str,
    facts: Sequence[str],
    goal: str,
    others: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    fixed: Sequence[str] = (),
    theories: Sequence[str] = (),
    seconds: float = 0.3,
    library: int = 32,
) -> Step:
    """A step of one's own with what provers say: `first`, does it follow from the facts; `second`, the goal from it;
    `contradiction`, do the facts contradict each other, so that everything follows.

    (`isarstep.prove` is the room of the checkers, hence the longer name.)
    """
    from isarstep.prove.step import with_gap
    from isarstep.serve.engine import default_engine
    from isarstep.theory.problem import Problem

    engine = default_engine()
    lines = (goal, _several("facts", facts), _several("others", others))
    fixes, imports = _several("fixed", fixed), _several("theories", theories)
    task = engine.read(Problem(*lines, fixed=fixes, types=types or {}, imports=imports))
    found = engine.steps(task, [(engine.answer(task, step), None)])[0]
    with engine.proving(seconds, library) as proving:
        for _, side, gap in proving.verdicts(task, [found]):
            found = with_gap(found, side, gap)
        return _with_contradiction([found], task, proving)[0]


def _several(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    if isinstance(texts, str):
        raise UserError(f"{name} wants a list of texts, not one text: write [{texts!r}]")
    return tuple(texts)


def _with_contradiction(steps: list[Step], task: Task, proving: Proving) -> list[Step]:
    """Steps that say so where the facts contradict each other, as the server does."""
    from isarstep.prove.verdict import Proved

    if any(step.sides for step in steps):
        gap = proving.contradiction(task, *proving.limits)
        if isinstance(gap, Proved):
            return [replace(step, contradiction=gap) for step in steps]
    return steps
