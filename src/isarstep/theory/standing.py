"""In which world a problem stands: in the theories that it imports; else in Complex_Main, if it reads there; else in
the theory that rests on the fewest others and in which it reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from isarstep.bench.worlds import USUAL, World, Worlds
from isarstep.errors import UserError
from isarstep.logic.infer import Context, infer_context
from isarstep.logic.terms import App, Const, Free, Term, constants, subterms
from isarstep.theory.problem import Problem, ProblemError, ProblemReader

MOST_WORLDS = 400  # that are tried
MOST_READ = 8  # in whose own language a problem is read to find out
SHORT = 3  # letters of a name that stands for a variable, unless it is applied to something
_LETTER = re.compile(r"\w[0-9']*")


def world_of(problem: Problem, worlds: Worlds, reader_in: Callable[[World], ProblemReader]) -> World:
    """Where the problem stands. Raises ProblemError where there are no such imports, or a name has several meanings."""
    if problem.imports:
        try:
            return worlds.importing(problem.imports)
        except UserError as error:
            raise ProblemError("invalid", str(error), "imports") from None
    if not worlds.parents:
        return worlds.everything
    usual = worlds.at(USUAL) if USUAL in worlds.parents else next(worlds.holding(()))
    reader = reader_in(usual)
    terms = list(_terms(problem, reader))
    elsewhere = set(_elsewhere(problem, terms, usual, worlds, reader_in))
    reads = reader.parse(problem).error is None
    if not elsewhere and reads:
        return usual
    variables = {node.name for term in terms for node in subterms(term) if type(node) is Free} - elsewhere
    meant = reader_in(worlds.everything).parse(replace(problem, fixed=tuple(sorted({*problem.fixed, *variables}))))
    if meant.error is not None:
        if not elsewhere or meant.error.code != "syntax":
            return usual
        named = _holding_names(problem, terms, elsewhere, worlds, reader_in) if reads else None
        if named is None:
            raise meant.error
        return named
    found = [reading.term for reading in meant.readings.values() if reading.term is not None]
    world = _smallest(found, reader_in(worlds.everything).given_types(problem), worlds)
    # There a name may have another meaning than the one that all theories together give it.
    return usual if world is None or (reads and reader_in(world).parse(problem).error is not None) else world


def _terms(problem: Problem, reader: ProblemReader) -> Iterator[Term]:
    for where, text in problem.lines():
        try:
            yield reader.proposition(text, problem.form, reader.with_fixed(problem), where)[0].term
        except ProblemError:
            continue


def _elsewhere(
    problem: Problem, terms: list[Term], world: World, worlds: Worlds, reader_in: Callable[[World], ProblemReader]
) -> Iterator[str]:
    """Names of constants that other worlds have. In notation they look like variables here."""
    said = {*problem.fixed, *problem.types}
    for node in (node for term in terms for node in subterms(term)):
        if type(node) is Const and node.name in worlds.whole.constants and not world.exists(node.name):
            yield node.name
        applied = type(node) is App and type(node.fun) is Free
        leaf = node.fun if type(node) is App else node
        if type(leaf) is not Free or problem.form == "tokens" or leaf.name in said or _LETTER.fullmatch(leaf.name):
            continue
        if applied or len(leaf.name) > SHORT:
            meaning = reader_in(worlds.everything).names.read(leaf.name, 0)
            if type(meaning) is Const or (meaning is None and applied):
                yield leaf.name


def _holding_names(
    problem: Problem, terms: list[Term], names: set[str], worlds: Worlds, reader_in: Callable[[World], ProblemReader]
) -> World | None:
    """The smallest world with these constants in which the problem reads. All theories together have no notation for
    types: `prime (p :: nat)` reads in the usual world, `prime` a variable, and in that of primes, and not there."""
    everywhere = reader_in(worlds.everything)
    mentioned = {constant.name for term in terms for constant in constants(term)}
    for name in sorted(names):
        where, begin = next(_places(name, problem), ("goal", 0))
        try:
            meaning = everywhere.proposition(name, "notation", everywhere.with_fixed(Problem()), where)[0].term
        except ProblemError as error:  # it has several
            raise ProblemError(error.code, error.message, where, begin, begin + len(name)) from None
        mentioned |= {constant.name for constant in constants(meaning)}
    fitting = islice(worlds.holding(mentioned), MOST_READ)
    return next((world for world in fitting if reader_in(world).parse(problem).error is None), None)


def _places(name: str, problem: Problem) -> Iterator[tuple[str, int]]:
    for where, text in problem.lines():
        for found in re.finditer(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text):
            yield where, found.start()


def _smallest(terms: list[Term], given: Context, worlds: Worlds) -> World | None:
    """Constants that nobody knows belong to whoever asks, and are of no help here."""
    whole = worlds.whole.constants
    known = [term for term in terms if all(constant.name in whole for constant in constants(term))]
    mentioned = {constant.name for term in terms for constant in constants(term) if constant.name in whole}
    for world in islice(worlds.holding(mentioned), MOST_WORLDS):
        try:
            infer_context(known, world.signature, given)
        except UserError:
            continue
        return world
    return None
