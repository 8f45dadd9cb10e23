"""Where in a proof its facts hold: what stands on the page above a gap.

A fact holds from the first step after its own proof to the end of the block in which it was established; what a step
assumes for its own proof alone (`have A if B`) holds inside that proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import VARIABLE, unique_names, variables_of
from isarstep.benchmark.store.store import Benchmark

if TYPE_CHECKING:
    from isarstep.isabelle.process.proof_graph import Proof

SHOWN = ("goal", "assumption", "definition")  # modified facts and calculations are made of these


@dataclass(frozen=True, slots=True)
class Holding:
    """A fact and the first and last step, by ordinal of the command, at which it can be used."""

    fact: int
    first: int
    last: int


def statement_of(proof: Proof) -> list[int]:
    """The facts that the head of the proof states."""
    return [number for number, fact in enumerate(proof.facts) if fact.step == 0 and fact.kind == "goal"]


def holdings(proof: Proof, hidden: Collection[int] = ()) -> list[Holding]:
    """The facts in the order in which they are established; those that no later step could use are left out."""
    steps = proof.steps
    block_ends: dict[int, int] = {}
    proof_ends: dict[int, int] = {}
    stating = {fact.step for fact in proof.facts if fact.kind == "goal"}
    found: list[tuple[int, int, int]] = []
    for number, fact in enumerate(proof.facts):
        step = fact.step
        if fact.kind not in SHOWN or number in hidden or (step == 0 and fact.kind == "goal"):
            continue
        if step not in proof_ends:
            proof_ends[step], block_ends[step] = _end_of_proof(proof, step), _end_of_block(proof, step)
        if step and fact.kind == "assumption" and step in stating:
            first, last = step + 1, proof_ends[step]
        elif fact.kind == "goal":
            first, last = proof_ends[step] + 1, block_ends[step]
        else:
            first, last = step + 1, block_ends[step]
        if first <= last:
            found.append((first, number, last))
    return [Holding(number, steps[first].ordinal, steps[last].ordinal) for first, number, last in sorted(found)]


def _end_of_proof(proof: Proof, step: int) -> int:
    """The last step inside the proof of a step's statement; the step itself, if there is none."""
    inside = {step}
    last = step
    for number in range(step + 1, len(proof.steps)):
        if proof.steps[number].parent not in inside:
            break
        inside.add(number)
        last = number
    return last


def _end_of_block(proof: Proof, step: int) -> int:
    """The last step of the block in which a step stands, blocks inside it included."""
    steps = proof.steps
    if step == 0:
        return len(steps) - 1
    if steps[step].command == "}" and step + 1 < len(steps):
        step += 1  # what it hands on stands in the block around it
    depth, block = steps[step].depth, steps[step].block
    last = step
    for number in range(step + 1, len(steps)):
        here = steps[number]
        if here.depth < depth or (here.depth == depth and here.block != block):
            break
        last = number
    return last


@dataclass(frozen=True)
class Setting:
    """What stands on the page above an example's gap, with the example's own variables."""

    statement: tuple[str, ...]  # of the theorem
    facts: tuple[str, ...]  # that hold where the target is stated, in the order in which they were established
    locale: str  # in which the theorem stands; empty: none
    names: Mapping[str, str] = field(hash=False)  # of all variables in it
    types: Mapping[str, str] = field(hash=False)


def with_setting(benchmark: Benchmark, example: Example) -> Example:
    """The example with what stands above its gap, as far as that speaks of the variables fixed at the consequence."""
    setting = setting_of(benchmark, example)
    if setting is None:
        return example

    def known(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(text for text in texts if all(number < example.fixed for number in variables_of(text)))

    return replace(example, statement=known(setting.statement), earlier=known(reversed(setting.facts)))


def setting_of(benchmark: Benchmark, example: Example) -> Setting | None:
    """None where the benchmark does not know the proof. What says the same as the target is left out."""
    if example.proof_row is None or benchmark.proofs is None:
        return None
    batch, place = benchmark.proofs.locate(example.proof_row)
    row = batch.slice(place, 1).to_pylist()[0]
    number = {v: int(x[2:-1]) for x, v in example.places.items()}
    others = [variable for variable in range(len(row["names"])) if variable not in number]
    number.update(zip(others, count(max(number.values(), default=-1) + 1), strict=False))

    def text(proposition: int) -> str:
        return VARIABLE.sub(lambda match: f"<X{number[int(match[1])]}>", benchmark.propositions[proposition])

    here = example.target_step
    facts = [
        text(fact)
        for fact, first, last in zip(row["facts"], row["first"], row["last"], strict=True)
        if first <= here <= last
    ]
    own = {f"<X{number[v]}>": name for v, name in enumerate(row["names"])}
    return Setting(
        tuple(map(text, row["statement"])),
        tuple(fact for fact in facts if fact != example.f1),
        row["locale"],
        {**unique_names({**example.names, **own}), **example.names},
        {f"<X{number[v]}>": benchmark.types[t] for v, t in enumerate(row["types"])} | dict(example.types),
    )
