"""A sketch: statements between facts and goal, what provers said about each, and the whole as an Isar skeleton."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from isarstep.benchmark.problems.task import Task
from isarstep.common.errors import UserError
from isarstep.isabelle.context.monomorphisation import term_type_variables
from isarstep.isabelle.context.theory_contexts import TheoryContext
from isarstep.isabelle.inference.infer import Context
from isarstep.isabelle.inference.typed_lines import TypedLine
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
from isarstep.isabelle.syntax.reading.typed_writer import write_typed
from isarstep.isabelle.syntax.writing.writer import write_type
from isarstep.isabelle.terms.hol import dest_trueprop, pure_all, trueprop
from isarstep.isabelle.terms.terms import (
    Free,
    Term,
    abstract,
    frees,
    schematics,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import fixed_type, types_in
from isarstep.isabelle.terms.variables import substitute_frees
from isarstep.prover.atp.derived_proof import SHORT_REWRITING
from isarstep.prover.isar.derived_text import derived_lines
from isarstep.prover.isar.method_text import library_facts, method_with_all_given, with_named_conditions
from isarstep.prover.outcomes.verdict import ASSUME, AUTHORITY, CLOSE, Crashed, Gap, Proved, Refuted, ShownStep
from isarstep.prover.rewrite.fact_roles import is_elimination_rule, is_rewrite_rule, leaves_open
from isarstep.prover.values.counterexamples import with_fractions


@dataclass(frozen=True)
class Link:
    """One statement of a chain; the gap before it is what provers said about it, from which other statements."""

    tokens: str
    term: Term
    text: str
    gap: Gap | None = None
    uses: frozenset[str] | None = None  # None: not known

    @property
    def proved(self) -> bool:
        return isinstance(self.gap, Proved)


@dataclass(frozen=True)
class Sketch:
    """Statements in order, the goal last. Proved ones follow from the facts and what stands before them."""

    task: Task
    steps: tuple[Link, ...]
    cost: float
    tried: int
    seconds: float
    contradiction: Proved | None = None  # among the facts: then the proof says nothing

    @property
    def state(self) -> str:
        """For people, in a few words."""
        if self.contradiction is not None:
            return f"the facts contradict each other ({self.contradiction}): everything follows from them"
        if self.refuted is not None:
            return f"the goal is {self.refuted}"
        if self.crashed is not None:
            return str(self.crashed)
        return "closed" if self.closed else f"{len(self.open)} open"

    @property
    def refuted(self) -> Refuted | None:
        """Of the goal, alone: values under which the facts hold and it does not."""
        gap = self.steps[0].gap if len(self.steps) == 1 else None
        return gap if isinstance(gap, Refuted) else None

    @property
    def crashed(self) -> Crashed | None:
        """An internal error at one of the steps that are not proved."""
        return next((step.gap for step in self.steps if isinstance(step.gap, Crashed)), None)

    @property
    def open(self) -> list[int]:
        return [place for place, step in enumerate(self.steps) if not step.proved]

    @property
    def closed(self) -> bool:
        return not self.open

    def better_than(self, other: Sketch) -> bool:
        """Closed is best, some step is better than none, then what the model finds likely."""
        return self._rank() > other._rank()

    def _rank(self) -> tuple[bool, bool, float]:
        return self.closed, len(self.steps) > 1, -self.cost

    def not_needed(self) -> list[str]:
        """Facts that were given and that the proof does without; none where a prover could not name what it used."""
        used = {name for step in self.steps if isinstance(step.gap, Proved) for name in step.gap.facts}
        if not self.closed or "?" in used:
            return []
        facts = enumerate(dict.fromkeys(self.task.example.f2), 1)
        return [self.task.text(line) for place, line in facts if f"F.2({place})" not in used]

    def shown(self, asked: Sequence[str], not_asked: Sequence[str]) -> str:
        """The skeleton, and below it what to know of it: where it holds, and which provers were asked."""
        state = (
            f"{self.state}, in {self.task.theory_context.name}: {self.tried} proposals tried in {self.seconds:.1f} s"
        )
        notes = [*map(str, self.task.general()), state, f"asked: {', '.join(asked) or 'nobody'}"]
        notes += [f"could not be asked: {why}" for why in not_asked]
        return "\n".join([self.isar(), *(f"(* {note} *)" for note in (*notes, f"proved means {AUTHORITY}"))])

    def __str__(self) -> str:
        return self.isar()

    def _repr_markdown_(self) -> str:
        return f"```isabelle\n{self.isar()}\n```\n{self.state}"

    def isar(self) -> str:
        """A proof to copy, with the methods that provers' proofs suggest; what is open ends in `sorry`."""
        example, task = self.task.example, self.task
        lines = list(dict.fromkeys((*example.f2, *example.f4)))
        general = [line for line in lines if holds_at_all_types(task, line)]
        known = [exact_text(task, line) for line in lines if line not in general]
        place = {step.tokens: n for n, step in enumerate(self.steps)}
        steps = [
            Stated(
                exact_text(task, step.tokens),
                step.term,
                step.gap,
                sorted(place[line] for line in step.uses if line in place)
                if step.proved and step.uses is not None
                else None,
            )
            for step in self.steps
        ]
        said = [task.text(line) for line in general]
        types, names = task.shown_context(), task.shown_names()
        return isar_text(known, steps, types, task.theory_context, said, names, self._numbered())

    def _numbered(self) -> dict[str, str]:
        """How the text calls each given fact, where they stand there as they were given."""
        f2, f4 = self.task.example.f2, self.task.example.f4
        if f4 or len(set(f2)) < len(f2) or any(holds_at_all_types(self.task, line) for line in f2):
            return {}
        return {f"F.2({n})": f"assms({n})" for n, _ in enumerate(f2, 1)}


def exact_text(task: Task, tokens: str) -> str:
    """A statement of the task so that Isabelle reads it as the same term: with types inside where nothing else says."""
    with suppress(UserError):  # what has no type there is shown as it is
        typed = substitute_types(_generalised(task.typed(tokens)), fixed_type)
        # Tokens without types do not name the type variables of other statements: those that they leave open are their
        # own, and equal names in two statements would make them one.
        beside_others = isinstance(tokens, TypedLine)
        language, names = task.theory_context.language, task.shown_names()
        return write_typed(typed, language, names=names, beside_others=beside_others)
    return task.text(tokens)


def holds_at_all_types(task: Task, tokens: str) -> bool:
    """Does a statement speak of all types, as a lemma does? No statement of Isabelle can assume that."""
    try:
        return any(fixed_type(typ) != typ for typ in types_in(task.typed(tokens)))
    except UserError:
        return False


def _generalised(proposition: Term) -> Term:
    """With ⋀ for what is schematic: Isabelle takes no ?x in a statement."""
    variables = schematics(proposition)
    for place, variable in reversed([*enumerate(variables)]):
        if variable.type is not None:
            proposition = pure_all(f"v{place}", variable.type, abstract(proposition, variable))
    return proposition


class Stated(NamedTuple):
    """A statement of a text, what provers said about it, and the places of the earlier ones that they used."""

    text: str
    term: Term
    gap: Gap | None
    uses: Sequence[int] | None = None  # None: all


def isar_text(
    known: Sequence[str],
    steps: Sequence[Stated],
    types: Context,
    theory_context: TheoryContext,
    general: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
    numbered: Mapping[str, str] | None = None,
) -> str:
    """Variables with the types that they had, known facts, then statements, the last of which is the goal. What holds
    at all types cannot be assumed, and stands in comments. `names`: how the variables of the steps are called that a
    proof shows first; without them these are left out."""
    language = theory_context.language
    lines = [*_head(known, types, language), f'  shows "{steps[-1][0]}"']
    lines += [*(f"  (* given at all types: {text} *)" for text in general), "proof -"]
    known_apart = {f"assms({n})" for n, text in enumerate(known, 1) if "≠" in text}
    # ?thesis is the conclusion alone; a goal with premises or variables of its own is said again.
    goal = f'"{steps[-1][0]}"' if any(sign in steps[-1][0] for sign in "⟹⋀") else "?thesis"
    for place, (text, term, gap, uses) in enumerate(steps):
        last = place == len(steps) - 1
        earlier = [f"s{n + 1}" for n in (range(place) if uses is None else uses)]
        using = " ".join([*(["assms"] if known else []), *earlier])
        prefix = f"a{place + 1}_"
        statement = f"show {goal}" if last else f'have s{place + 1}: "{text}"'
        inner, known_as, margin, called = tuple[ShownStep, ...](), dict(numbered or {}), "  ", dict[str, Free]()
        text_of = partial(_written, called, language, names)
        if isinstance(gap, Proved) and names is not None:
            inner = gap.steps
            if gap.opened is not None and not _called_alike(gap, types):
                labels = {name: f"{prefix}given{n}" for n, (name, _) in enumerate(gap.opened.premises, 1)}
                called |= _apart(gap.opened.variables, set(types))
                lines += [f"  {statement}", f"  proof {gap.opened.method}"]
                lines += [f"    {line}" for line in _fixed(called.values(), language)]
                lines += [f'    assume {labels[name]}: "{text_of(prop)}"' for name, prop in gap.opened.premises]
                known_as |= labels
                using = " ".join([using, *labels.values()]).strip()
                statement, margin = f'show "{text_of(gap.opened.conclusion)}"', "    "
        outside = ["  qed"] if margin != "  " else []
        written = _in_parts(gap, term, theory_context, using, known_as, prefix, types, names)
        if written is not None:
            lines += [f"{margin}{statement}", *(f"{margin}{line}" for line in written), *outside]
            continue
        taken = {leaf.name for step in inner for leaf in frees(substitute_frees(step.formula, called))} | set(types)
        called |= _apart([step.obtained for step in inner if step.obtained is not None], taken)
        inner = tuple(replace(step, obtained=step.obtained and called[step.obtained.name]) for step in inner)
        lines += [f"{margin}{line}" for line in shown_lines(inner, prefix, using, known_as, text_of)]
        if isinstance(gap, Proved) and not any(step.used for step in inner):
            using = _used_alone(gap, using, known_as)
        if isinstance(gap, Proved) and gap.given is not None and set(gap.given) <= set(known_as):
            using = " ".join([*map(known_as.__getitem__, gap.given), *earlier])
        used = [f"{prefix}{n}" for n, step in enumerate(inner, 1) if step.used]
        # Isabelle's `algebra` fails where what is not 0 comes before equations.
        apart = [label for label in using.split() if label in known_apart]
        others = [label for label in using.split() if label not in known_apart]
        using = " ".join([*others, *used, *apart])
        before = f"using {using} " if using else ""
        lines += [f"{margin}{statement}", f"{margin}  {before}{_justified(gap, term, theory_context)}"]
        lines += outside
    return theory_context.in_isabelle(normal("\n".join([*lines, "qed"])))  # Isabelle knows no x₀, but x⇩0


def _called_alike(gap: Proved, types: Context) -> bool:
    """Does an induction go over a variable that the goal binds under the name of another one?"""
    bound = gap.opened.variables if gap.cases and gap.opened is not None else ()
    return any(variable.name in types for variable in bound)


def _head(known: Sequence[str], types: Context, language: Language) -> Iterator[str]:
    """What a lemma fixes and assumes."""
    yield "lemma"
    for place, (variable, typ) in enumerate(types.items()):
        yield f'  {"fixes" if place == 0 else "  and"} {variable} :: "{write_type(typ, language, sorts=True)}"'
    for place, fact in enumerate(known):
        yield f'  {"assumes" if place == 0 else "    and"} "{fact}"'


def _in_parts(
    gap: Gap | None,
    term: Term,
    theory_context: TheoryContext,
    using: str,
    known_as: Mapping[str, str],
    prefix: str,
    types: Context,
    names: Mapping[str, str] | None,
) -> list[str] | None:
    """A proof by cases, or in the steps of a derivation; None of any other, where rewriting with the same facts is
    shorter, and where those steps cannot be written: Isabelle gives names of its own to the types that a goal leaves
    open."""
    if isinstance(gap, Proved) and gap.cases:
        return _by_cases(gap, term, theory_context, using, known_as)
    if not isinstance(gap, Proved) or gap.derived is None or names is None:
        return None

    def rewrites(fact: str) -> bool:
        return fact not in gap.reversed and is_rewrite_rule(theory_context, fact)

    if gap.derived.inferences <= SHORT_REWRITING and all(map(rewrites, library_facts(gap))):
        return None
    language, steps = theory_context.language, gap.derived.steps
    named = {variable.name for typ in types.values() for variable in type_variables(typ)}
    if any(variable.name not in named for step in steps for variable in term_type_variables(step.formula)):
        return None
    taken = set(types) | {names.get(leaf.name, leaf.name) for step in steps for leaf in frees(step.formula)}
    called = _apart((each for step in steps for each in step.obtained), taken)

    def variable_of(free: Free) -> str:
        shown = called[free.name]
        assert shown.type is not None
        return f'{shown.name} :: "{write_type(shown.type, language)}"'

    text_of = partial(_written, called, language, names)
    lines = derived_lines(gap.derived, prefix, using, known_as, text_of, variable_of, rewrites)
    return None if lines is None else [*lines[:-1], f"qed  (* suggested: {comment(gap)} *)"]


def _used_alone(proof: Proved, using: str, known_as: Mapping[str, str]) -> str:
    """What is given to the last method, without the given facts that a prover did not use: they cost methods time.
    All where it could not name what it used."""
    if "?" in proof.facts or not known_as:
        return using
    given = [label for name, label in known_as.items() if name in proof.facts]
    if len(given) == len(known_as):
        return using
    others = [label for label in using.split() if label != "assms" and label not in known_as.values()]
    return " ".join([*given, *others])


def shown_lines(
    steps: Sequence[ShownStep], prefix: str, using: str, known_as: Mapping[str, str], text_of: Callable[[Term], str]
) -> Iterator[str]:
    """Isar of the steps that a proof shows first: what they are from is called by the names of known facts, or is all
    that is known."""
    for number, step in enumerate(steps, 1):
        label = f'{prefix}{number}: "{text_of(step.formula)}"'
        own = [known_as[name] for name in step.premises if name in known_as]
        given = own if len(own) == len(step.premises) else [using] if using else []
        needed = [*given, *(f"{prefix}{n + 1}" for n in step.steps)]
        before = f"using {' '.join(needed)} " if needed else ""
        if step.method == ASSUME:
            yield from ("{", f"assume {label}")
        elif step.method == CLOSE:
            yield from (f"}} then have {label}", "  by blast")
        elif step.obtained is not None:
            yield from (f"obtain {step.obtained.name} where {label}", f"  {before}by {step.method}")
        else:
            yield from (f"have {label}", f"  {before}by {step.method}")


def _fixed(variables: Iterable[Free], language: Language) -> Iterator[str]:
    for each in variables:
        if each.type is not None:
            yield f'fix {each.name} :: "{write_type(each.type, language, sorts=True)}"'


def _written(called: Mapping[str, Free], language: Language, names: Mapping[str, str] | None, said: Term) -> str:
    """A formula or a proposition, with variables under other names."""
    proposition = said if dest_trueprop(said) is not None else trueprop(said, typed=True)
    return write_typed(with_fractions(substitute_frees(proposition, called)), language, names=names, beside_others=True)


def _apart(variables: Iterable[Free], taken: set[str]) -> dict[str, Free]:
    """Variables by their names, under names that are not taken."""
    called: dict[str, Free] = {}
    for variable in variables:
        name = variable.name.partition("~")[0] or "x"
        while name in taken:
            name += "'"
        taken.add(name)
        called[variable.name] = Free(name, variable.type)
    return called


def theory_file(isar: str, imports: Sequence[str], name: str = "Scratch") -> str:
    """A file that Isabelle loads: symbols in ASCII, as it wants them outside of its editor."""
    imported = " ".join(each if re.fullmatch(r"[A-Za-z]\w*", each) else f'"{each}"' for each in imports)
    return to_isabelle(f"theory {name}\n  imports {imported}\nbegin\n\n{isar}\n\nend\n")


def _justified(gap: Gap | None, goal: Term, theory_context: TheoryContext) -> str:
    """The method that a proof suggests, which Isabelle has not seen; else `sorry` with what is known."""
    uses = (partial(each, theory_context) for each in (is_rewrite_rule, is_elimination_rule, leaves_open))
    method = method_with_all_given(gap, goal, *uses) if isinstance(gap, Proved) else None
    return f"sorry  (* {comment(gap)} *)" if method is None else f"{method}  (* suggested: {comment(gap)} *)"


def _by_cases(
    gap: Proved, goal: Term, theory_context: TheoryContext, using: str, numbered: Mapping[str, str]
) -> list[str]:
    """A proof by parts, induction or case distinction; cases have numbers, because no rule tells their names here."""
    method = with_named_conditions(gap.method, numbered.get)
    lines = [*([f"  using {using}"] if using else []), f"proof ({method}, goal_cases)"]
    for number, proof in enumerate(gap.cases, 1):
        lines += [f"  case {number}", f"  then show ?case {_justified(proof, goal, theory_context)}", "next"]
    return [*lines[:-1], "qed"]


def comment(gap: Gap | None) -> str:
    if isinstance(gap, Refuted):
        return str(gap)
    if not isinstance(gap, Proved):
        return "open"
    lemmas = library_facts(gap)
    return f"proved by {gap.by}" + (f" with {', '.join(lemmas)}" if lemmas else "")
