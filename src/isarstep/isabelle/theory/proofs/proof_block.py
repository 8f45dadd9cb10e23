"""What is known inside a proof: its blocks, the goals that are open, the state at a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from isarstep.common.errors import UserError
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Sort,
    Term,
    TVar,
    Typ,
    strip_comb,
)
from isarstep.isabelle.terms.types import type_of
from isarstep.isabelle.terms.variables import rename_frees
from isarstep.isabelle.theory.environment.cited import NOTHING_CITED, CitedNames
from isarstep.isabelle.theory.environment.file_environment import OwnContext
from isarstep.isabelle.theory.environment.locale_tables import OwnFact
from isarstep.isabelle.theory.environment.stated import ReadStatement, some_witnesses
from isarstep.isabelle.theory.rules.proof_cases import ProofCase

LOST = OwnFact("", Const("~lost"))  # stands for facts of a step that is not read
_SUBSET = "Set.subset_eq"
_TRANSITIVE = {
    hol.EQ: 0,
    "Orderings.ord_class.less_eq": 1,
    _SUBSET: 1,
    "Orderings.ord_class.less": 2,
    "Set.subset": 2,
}


@dataclass
class Block:
    """What is known between `proof` (or `{`) and its end."""

    fixed: dict[str, Typ] = field(default_factory=dict)
    sorts: dict[str, Sort] = field(default_factory=dict)
    facts: dict[str, tuple[OwnFact, ...]] = field(default_factory=dict)
    known: tuple[OwnFact, ...] = ()  # all facts, named or not, in the order of the text
    bound: dict[str, Term] = field(default_factory=dict)
    cases: dict[str, ProofCase] = field(default_factory=dict)
    why_no_cases: str = ""
    this: tuple[OwnFact, ...] = ()
    calculation: tuple[OwnFact, ...] = ()
    assumed: tuple[Term, ...] = ()  # by this block itself
    own: tuple[str, ...] = ()  # variables that this block itself fixes
    unknown: str = ""  # why nothing is known from here on
    structures: tuple[str, ...] = ()
    lost: frozenset[str] = frozenset()  # names of facts that are not read
    choices: Mapping[Term, Mapping[str, ProofCase]] = field(default_factory=dict)  # cases of a `consider`, by its fact
    braces: bool = False  # is it one of `{ ... }`?
    hidden: Mapping[str, str] = field(default_factory=dict)  # what variables are called here that nobody can name

    def copy(self) -> Block:
        """An inner block: it knows all this, and fixes and assumes nothing yet."""
        made = self.again()
        return replace(made, assumed=(), own=(), calculation=(), cases={}, why_no_cases="", braces=False, hidden={})

    def fix(self, name: str, typ: Typ) -> None:
        """A new variable. An older one of this name is another: whatever is about it goes on under a name that nobody
        can write."""
        if name in self.fixed:
            new = f"{name}__"
            while new in self.fixed:
                new += "_"
            self._rename(name, new)
        self.fixed[name] = typ
        self.own = (*self.own, name)

    def _rename(self, old: str, new: str) -> None:
        put = {old: new}

        def in_facts(facts: Sequence[OwnFact]) -> tuple[OwnFact, ...]:
            made = ((fact, rename_frees(fact.prop, put)) for fact in facts)
            return tuple(fact if prop == fact.prop else replace(fact, prop=prop) for fact, prop in made)

        self.hidden = {**self.hidden, new: old}
        self.fixed = {new if name == old else name: typ for name, typ in self.fixed.items()}
        self.own = tuple(new if name == old else name for name in self.own)
        self.facts = {name: in_facts(facts) for name, facts in self.facts.items()}
        self.known, self.this, self.calculation = map(in_facts, (self.known, self.this, self.calculation))
        self.assumed = tuple(rename_frees(term, put) for term in self.assumed)
        self.bound = {name: rename_frees(term, put) for name, term in self.bound.items()}
        self.cases = {name: case.about(old, new) for name, case in self.cases.items()}
        self.choices = {
            rename_frees(claim, put): {name: case.about(old, new) for name, case in cases.items()}
            for claim, cases in self.choices.items()
        }

    def seen_outside(self, prop: Term) -> Term:
        """What follows from this block, where hidden variables have their names."""
        return rename_frees(prop, self.hidden)

    def again(self) -> Block:
        """The same at another time: nothing that happens to one changes the other."""
        made = replace(self)
        made.fixed, made.sorts, made.facts, made.bound = map(dict, (self.fixed, self.sorts, self.facts, self.bound))  # type: ignore[arg-type]
        return made


def called_by_number(block: Block) -> dict[Term, str]:
    """What the statement around a proof assumes, by the names that Isabelle gives."""
    found: dict[Term, str] = {}
    for name in ("assms", "that"):
        facts = block.facts.get(name, ())
        for place, fact in enumerate(facts, 1):
            found.setdefault(fact.prop, name if len(facts) == 1 else f"{name}({place})")
    return found


@dataclass
class OpenGoal:
    """A statement whose proof is under way."""

    command: str
    goals: list[Term]
    block: Block  # in which it is proved
    finish: Callable[[bool], None]  # what its end adds to the block around it; told whether it is proved
    chained: tuple[OwnFact, ...] = ()
    unread_facts: tuple[str, ...] = ()  # named for it and not read here, such as those of the library
    unknown: str = ""
    begun: Block | None = None  # the block at its `proof`, for `next`
    place: int = 0
    sorry: bool = False


@dataclass(frozen=True)
class ProofState:
    """What stands open at a place: the goal, what it may use, and the context of the file around it."""

    context: OwnContext
    goal: Term
    fixed: Mapping[str, Typ] = field(hash=False)
    chained: tuple[OwnFact, ...]  # given to the step: then, from, with, using
    local: tuple[OwnFact, ...]  # all other facts of the proof
    named: tuple[str, ...]  # facts that the step names and that are not of the file
    command: str
    place: int
    goals: int = 1  # that are joined into one
    # Facts without a name of their own: `assms(2)`.
    called: Mapping[Term, str] = field(default_factory=dict, hash=False)
    cited: CitedNames = NOTHING_CITED  # above this place

    @property
    def where(self) -> str:
        return self.context.source.where(self.place)


def chosen_facts(facts: Sequence[OwnFact], index: str) -> list[OwnFact]:
    """`foo(2)`, `foo(1,3)`, `foo(2-4)`, `foo(2-)`."""
    if not index:
        return list(facts)
    found: list[OwnFact] = []
    for part in index.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal():
            continue
        end = int(last) if last.isdecimal() else len(facts) if dash else int(first)
        found += facts[int(first) - 1 : end]
    return found


def joined_goals(goals: Sequence[Term]) -> Term | None:
    """Several goals as one; None where one of them is no formula."""
    formulas = [formula for each in goals if (formula := hol.as_formula(each)) is not None]
    if len(formulas) < len(goals):
        return None
    return hol.trueprop(hol.list_conj(formulas, typed=True), typed=True)


def without_lost(facts: Sequence[OwnFact]) -> tuple[OwnFact, ...]:
    return tuple(fact for fact in facts if fact is not LOST)


def is_open_type(typ: Typ) -> bool:
    return isinstance(typ, TVar)


def type_of_term(term: Term) -> Typ:
    typ = type_of(term)
    if typ is None:
        raise UserError("the type of this term is not known")
    return typ


def composed_facts(calculation: Sequence[OwnFact], this: Sequence[OwnFact]) -> tuple[OwnFact, ...]:
    """By transitivity of =, ≤, < and dvd, or by substitution with an equation; what is composed otherwise stays two
    facts."""
    if len(calculation) == 1 and len(this) == 1:
        first, second = (hol.dest_trueprop(facts[0].prop) for facts in (calculation, this))
        made = None if first is None or second is None else _composed(first, second)
        if made is not None:
            unproved = calculation[0].unproved or this[0].unproved
            return (OwnFact("", hol.trueprop(made, typed=True), unproved=unproved),)
    return (*calculation, *this)


def _composed(first: Term, second: Term) -> Term | None:
    (head, left), (other, right) = strip_comb(first), strip_comb(second)
    if isinstance(head, Const) and isinstance(other, Const) and len(left) == len(right) == 2 and left[1] == right[0]:
        if head.name in _TRANSITIVE and other.name in _TRANSITIVE:
            relation = max((head, other), key=lambda each: _TRANSITIVE[each.name])
            return App(App(relation, left[0]), right[1])
        if head.name == other.name == hol.DVD or (head.name, other.name) == (hol.MEMBER, _SUBSET):
            return App(App(head, left[0]), right[1])
    sides, others = hol.dest_binary(hol.EQ, second), hol.dest_binary(hol.EQ, first)
    back = None if sides is None else hol.replaced(first, *sides)
    forth = None if others is None else hol.replaced(second, others[1], others[0])
    return back if forth is None else forth if back is None else None


def fact_of_lemma(statement: ReadStatement) -> list[Term]:
    """What a lemma is once it is proved: its conclusions under what it assumes."""
    goals = statement.goals
    if statement.obtains:
        goals = [some_witnesses(statement.obtains, statement.fixed)]
    return [hol.list_pure_imp(statement.premises, goal, typed=True) for goal in goals]
