"""IsarStep: mine Isabelle proofs, build the benchmark, train and score models, propose and check missing steps.

Eight functions are the short way in; each imports what it needs when it is called, so that `import isarstep` is quick.
docs/api.md shows all of them at work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isarstep.common.errors import UserError
from isarstep.common.version import __version__

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine
    from isarstep.apps.filling import FilledTheory
    from isarstep.benchmark.problems.task import Task
    from isarstep.benchmark.store.store import Split
    from isarstep.isabelle.syntax.reading.reader import Reading
    from isarstep.prover.isar.sketch import Sketch
    from isarstep.prover.outcomes.step import Step, Steps
    from isarstep.score.scores import Scores

__all__ = [
    "UserError",
    "__version__",
    "check_step",
    "evaluate",
    "fill",
    "load",
    "propose",
    "prove",
    "read",
    "sketch",
]


def load(where: str | Path = "embedded", split: str = "train", *, cache: bool = True) -> Split:
    """The examples of one split of a benchmark, read when they are asked for.

    Access that jumps has the rows written into the cache folder once, uncompressed, for this process and others; with
    `cache=False` they are kept in memory.
    """
    from isarstep.benchmark.store import store

    return store.open_split(where, split, cache=cache)


def read(
    text: str,
    theory: str = "Complex_Main",
    types: Mapping[str, str] | None = None,
    benchmark: str | Path = "embedded",
) -> Reading:
    """A formula as people write it, as a typed term with the types of its variables.

    Raises UserError where it cannot be read, or has no type, in the theory, or names what the theory does not know.
    """
    from isarstep.benchmark.store.store import benchmark_at
    from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
    from isarstep.isabelle.syntax.reading.reader import read_formula, read_type
    from isarstep.isabelle.theory.problems.unknown_names import annotated, question, unknown_names

    theory_context = benchmark_at(benchmark).theory_contexts.importing([theory])
    given = {to_isabelle(normal(name)): read_type(typ, theory_context.language) for name, typ in (types or {}).items()}
    found = read_formula(text, theory_context.language, given)
    for name in unknown_names(found.term, {*given, *annotated(text)}):
        raise UserError(question(name, theory_context))
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
    check: bool | None = None,
    seconds: float = 0.3,
    library: int = 1024,
) -> Steps:
    """Ranked steps from the facts towards the goal, in notation, by the model inside the package.

    `types` are those of variables that the statements leave open, `fixed` names that are variables though they look
    like none or a constant has them, `theories` what is imported. Provers try both sides of every step, as the
    command does: for six seconds, with `check=True` until all are tried, with `check=False` not at all. An attempt has
    `seconds` of processor time and up to `library` facts beside the given ones.

    `goal` of the answer is what is known of the problem itself: the goal is false, the facts contradict each other, or
    the goal needs no step. `label` of a step is why it adds nothing to a proof of the goal; None: it may help.
    """
    from isarstep.apps.engine import seconds_of_checks

    engine, task = _asked(goal, facts, others, hints, types, fixed, theories)
    if check is False:
        return engine.propose(task, beam)
    engine.load()  # is no part of the seconds
    tried_for = seconds_of_checks(check)
    with engine.proving(seconds, library) as proving:
        return engine.propose(task, beam, proving=proving, seconds=tried_for)


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
    library: int = 1024,
) -> Step:
    """A step of one's own with what provers say: `first`, does it follow from the facts; `second`, the goal from it;
    `goal`, whether the goal is false, the facts contradict each other, or the goal needs no step.
    """
    from isarstep.apps.events import Proposal

    engine, task = _asked(goal, facts, others, (), types, fixed, theories)
    found = Proposal(task, engine.steps(task, [(engine.answer(task, step), None)]))
    with engine.proving(seconds, library) as proving:
        for _ in engine.checking(found, proving):
            pass
    return replace(found.steps[0], goal=found.goal)


def prove(
    goal: str,
    facts: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    fixed: Sequence[str] = (),
    theories: Sequence[str] = (),
    seconds: float = 30,
) -> Sketch:
    """A proof of a statement, by provers, induction and proposed steps, within so many seconds.

    `closed` says whether it is one, `isar()` is its text. Provers have found it, not Isabelle's kernel.
    """
    return sketch(facts, goal, types=types, fixed=fixed, theories=theories, seconds=seconds)


def sketch(
    facts: Sequence[str],
    goal: str,
    others: Sequence[str] = (),
    hints: Sequence[str] = (),
    *,
    types: Mapping[str, str] | None = None,
    fixed: Sequence[str] = (),
    theories: Sequence[str] = (),
    beam: int = 10,
    seconds: float = 30,
) -> Sketch:
    """A chain of steps from the facts to the goal, provers closing the gaps: the best that is found in the time.

    `open` has the places of the steps that are not proved.
    """
    from isarstep.apps.searching import search_for_proof

    engine, task = _asked(goal, facts, others, hints, types, fixed, theories)
    return search_for_proof(engine, task, beam, seconds)[0]


def fill(
    path: str | Path, lines: Sequence[int] = (), *, beam: int = 10, seconds: float = 20, write: bool = False
) -> FilledTheory:
    """A theory file with a proof for each `sorry`, or for those at some lines, where one is found.

    `seconds` are for each of them. The file is changed with `write` alone, or by `write()` of the answer, whose text is
    a diff.
    """
    from isarstep.apps.engine import default_engine
    from isarstep.apps.searching import fill_theory

    filled = fill_theory(default_engine(), Path(path), lines, beam, seconds)
    if write:
        filled.write()
    return filled


def evaluate(
    answers: str | Path | Mapping[str, Sequence[str]],
    benchmark: str | Path = "embedded",
    split: str = "test",
    limit: int | None = None,
) -> Scores:
    """Score answers to a split: a predictions file, the folder of a run or a model, or lists of answers by example.

    A list has answers in tokens or in notation, best first; examples without one count as wrong. `limit` is for the so
    many examples of lowest id, which `load(benchmark, split).lowest(limit)` has, too.
    """
    from isarstep.score.headline import open_system, open_task, system_of_answers
    from isarstep.score.scores import score

    task = open_task(benchmark, split, limit)
    if isinstance(answers, str | Path):
        return score(open_system(Path(answers), task))
    return score(system_of_answers({of: _several(f"answers to {of}", each) for of, each in answers.items()}, task))


def _asked(
    goal: str,
    facts: Sequence[str],
    others: Sequence[str],
    hints: Sequence[str],
    types: Mapping[str, str] | None,
    fixed: Sequence[str],
    theories: Sequence[str],
) -> tuple[Engine, Task]:
    """The engine inside the package, and the problem as it reads it."""
    from isarstep.isabelle.theory.problems.problem import Problem

    if not isinstance(goal, str):
        raise UserError(f"goal wants one text, not {goal!r}")
    lines = (goal, _several("facts", facts), _several("others", others), _several("hints", hints))
    fixes, imports = _several("fixed", fixed), _several("theories", theories)
    from isarstep.apps.engine import default_engine

    engine = default_engine()
    return engine, engine.read(Problem(*lines, fixed=fixes, types=types or {}, imports=imports))


def _several(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    if isinstance(texts, str):
        raise UserError(f"{name} wants a list of texts, not one text: write [{texts!r}]")
    return tuple(texts)
