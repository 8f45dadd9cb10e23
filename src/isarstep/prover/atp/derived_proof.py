"""A proof in steps from E's derivation: by contradiction, with a statement wherever the derivation has gone some way.

Every step says a formula of the derivation in HOL, and follows from facts and steps before it; Skolem constants are
obtained. What cannot be said there is left out: the next step that can be said follows from what stood before all the
same. So are Skolem functions, as no method obtains those of an equivalence or of extensionality in short time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from isarstep.isabelle.context.monomorphisation import LOGICAL
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.hol import BOOL, as_formula, dest_trueprop
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Const, Free, Term, constants, size
from isarstep.prover.atp.derivation import DerivedFormula, inferences
from isarstep.prover.atp.problems import DEFINITION, Query, attempt, state
from isarstep.prover.atp.provers import E, Provers, available
from isarstep.prover.atp.schedule import strategies
from isarstep.prover.encode import formula as f
from isarstep.prover.encode.decode_tf0 import CannotDecode, ProblemSymbols, read_tf0, skolem_constants
from isarstep.prover.encode.formula import CannotEncode, Formula
from isarstep.prover.encode.raise_formula import Raising
from isarstep.prover.outcomes.verdict import Derived, DerivedStep, Proved

SHORT = 6  # inferences that methods mostly repeat from the facts alone
SHORT_REWRITING = 30  # those that `simp` and `auto` repeat, where the facts are rewrite rules
INFERENCES = 4  # between two steps
MOST_STEPS = 40
LARGEST = 150  # parts of a statement that people can read
SECONDS = 1.0  # for the derivation, at least
TIMES = 3  # what the proof took
FALSE = Const("HOL.False", BOOL)
# Constants of the logic that encodings say in other words.
WORDS = frozenset(("HOL.If", "HOL.Ex1", "HOL.Let", "HOL.eq"))
# Rules that only bring a formula into another form.
_FORM = frozenset(
    ("assume_negation", "fof_simplification", "fof_nnf", "variable_rename", "shift_quantors", "skolemize", "distribute",
     "split_conjunct", "split_equiv", "apply_def", "cn", "add_answer_literal")
)  # fmt: skip


def derived_proof(provers: Provers, query: Query, proof: Proved) -> Derived | None:
    """The proof in steps, from the facts that it used; None where E finds none, or a short one, or where it cannot
    be said."""
    if dest_trueprop(query.goal) is None or "?" in proof.facts:
        return None
    own = next((each for each in strategies() if each.name == proof.by and each.encoding == "tf0"), E)
    if own not in available([own]):
        return None
    used = set(proof.facts)
    smaller = Query(
        tuple(each for each in query.premises if each.name in used),
        query.goal,
        tuple(each for each in query.library if each.name in used),
    )
    try:
        found = provers.prove_anew(attempt(smaller, own, max(SECONDS, TIMES * proof.seconds)))
    except CannotEncode:
        return None
    derived = in_steps(smaller, own.unfold, found.derivation) if isinstance(found, Proved) else None
    return derived if derived is not None and derived.inferences > SHORT else None


def in_steps(query: Query, unfold: bool, output: str) -> Derived | None:
    """What E derived for a query, whose definitions were unfolded or not; None where that cannot be said."""
    goal = dest_trueprop(query.goal)
    try:
        return None if goal is None else _Selection(_Reading(query, unfold, output), goal).derived()
    except (CannotDecode, RecursionError):
        return None


Kind = Literal["assume", "unfold", "obtain", "metis"]


@dataclass
class _Node:
    """A formula of a derivation: what it says, if that can be said, and what it rests on."""

    inference: DerivedFormula
    formula: Formula | None = None
    said: Term | None = None
    cost: int = 0
    users: int = 0


class _Reading:
    def __init__(self, query: Query, unfold: bool, output: str) -> None:
        problem = state((*query.premises, *query.library), query.goal, arithmetic=False, unfold=unfold)
        symbols = ProblemSymbols(problem)
        named = [name for name, _ in (*problem.axioms, *problem.premises)]
        stated = _statements_of(query, arithmetic=False, unfold=unfold)
        self.names = {f"p{place}": name for place, name in enumerate(named)}
        first = len(problem.axioms)
        self.meant = {f"p{first + place}": prop for place, prop in enumerate(stated)}
        self.nodes: dict[str, _Node] = {}
        self.raising = Raising()
        for inference in inferences(output):
            node = self.nodes[inference.name] = _Node(inference)
            try:
                node.formula = read_tf0(inference.formula, symbols)
            except CannotDecode:
                continue
        self.raising.learn(node.formula for node in self.nodes.values() if node.formula is not None)
        for node in self.nodes.values():
            for parent in node.inference.parents:
                self.nodes[parent].users += 1


def _statements_of(query: Query, *, arithmetic: bool, unfold: bool) -> list[Term]:
    """The propositions of the premises that a problem has, in its order."""
    found: dict[Term, None] = {}
    for premise in (*query.premises, *query.library):
        if premise.prop not in found:
            alone = state([premise], query.goal, arithmetic=arithmetic, unfold=unfold)
            if alone.premises:
                found[premise.prop] = None
    return [*found]


class _Selection:
    """Which formulas become steps."""

    def __init__(self, reading: _Reading, goal: Term) -> None:
        self.reading, self.goal = reading, goal
        self.nodes = reading.nodes
        self.steps: list[DerivedStep] = []
        # Of each formula: the steps, premises and facts of the library from which it follows.
        self.rests: dict[str, _Rest] = {}
        self.obtained: set[str] = set()

    def derived(self) -> Derived | None:
        denial = hol.negation(self.goal)
        self.steps.append(DerivedStep(denial, "assume"))
        for name, node in self.nodes.items():
            self._take(name, node)
            if node.inference.formula.strip("() \n") == "$false":
                last = self.rests[name]
                if not 1 < len(self.steps) <= MOST_STEPS:
                    return None
                end = DerivedStep(FALSE, "metis", last.premises, last.steps, last.facts)
                return Derived(tuple(self.steps), end, self._inferences())
        return None

    def _inferences(self) -> int:
        return sum(_weight(node.inference) for node in self.nodes.values())

    def _take(self, name: str, node: _Node) -> None:
        inference = node.inference
        if inference.given is not None:
            self.rests[name] = self._given(inference.given, node)
            return
        if not inference.parents:
            self.rests[name] = _Rest()
            return
        rest = _Rest.of(self.rests[parent] for parent in inference.parents)
        unsaid = [parent for parent in inference.parents if self.nodes[parent].cost]
        node.cost = _weight(inference) + sum(self.nodes[parent].cost for parent in unsaid)
        self.rests[name] = rest
        new = [each for each in skolem_constants(inference.formula) if each not in self.obtained]
        if new and "skolemize" in inference.rules:
            self._obtain(name, node, rest, new)
        elif node.cost >= INFERENCES or (node.users > 1 and node.cost > 1):
            self._show(name, node, rest)

    def _given(self, label: str, node: _Node) -> _Rest:
        """A formula of the problem: the fact itself, or a step that says what encodings made of it."""
        if label == "goal":
            return self._denied(node)
        if label not in self.reading.names:
            return _Rest(facts=("ext", "set_eqI")) if "=>" in node.inference.formula else _Rest()
        name = self.reading.names[label]
        meant = self.reading.meant.get(label)
        if name.startswith(DEFINITION):
            rest = _Rest()
        else:
            rest = _Rest(premises=(name,)) if name.startswith("F.2(") else _Rest(facts=(name,))
        if node.formula is None:
            raise CannotDecode(f"{label} cannot be said")
        said = self.reading.raising.proposition(node.formula)
        formula = None if meant is None else as_formula(meant)
        words = frozenset() if formula is None else _words(beta_eta_normal(formula))
        if formula is not None and (words == _words(said) or size(said) > LARGEST):
            return rest
        return self._step(said, rest, "unfold", words=words - _words(said))

    def _denied(self, node: _Node) -> _Rest:
        """What the denial of the goal says in the words of the encoding."""
        if node.formula is None:
            raise CannotDecode("the goal cannot be said")
        said = self.reading.raising.proposition(node.formula)
        words = _words(beta_eta_normal(self.goal))
        if words == _words(said):
            return _Rest(steps=(0,))
        return self._step(hol.negation(said), _Rest(steps=(0,)), "unfold", words=words - _words(said))

    def _obtain(self, name: str, node: _Node, rest: _Rest, new: list[str]) -> None:
        said = self._said(node)
        if said is None or any(each not in self.reading.raising.invented for each in new):
            return
        self.obtained.update(new)
        invented = tuple(self.reading.raising.invented[each] for each in new)
        self.rests[name] = self._step(said, rest, "obtain", invented)
        node.cost = 0

    def _show(self, name: str, node: _Node, rest: _Rest) -> None:
        if any(each not in self.obtained for each in skolem_constants(node.inference.formula)):
            return
        said = self._said(node)
        if said is None or said == FALSE:
            return
        sides = hol.dest_binary(hol.EQ, said)
        if sides is not None and sides[0] == sides[1]:
            self.rests[name], node.cost = _Rest(), 0
            return
        self.rests[name] = self._step(said, rest, "metis")
        node.cost = 0

    def _step(
        self,
        said: Term,
        rest: _Rest,
        kind: Kind,
        obtained: tuple[Free, ...] = (),
        words: frozenset[str] = frozenset(),
    ) -> _Rest:
        step = DerivedStep(said, kind, rest.premises, rest.steps, rest.facts, obtained, words)
        self.steps.append(step)
        return _Rest(steps=(len(self.steps) - 1,))

    def _said(self, node: _Node) -> Term | None:
        if node.formula is None:
            return None
        try:
            said = self.reading.raising.proposition(_readable(node.formula))
        except CannotDecode:
            return None
        return said if size(said) <= LARGEST else None


@dataclass(frozen=True, slots=True)
class _Rest:
    premises: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    facts: tuple[str, ...] = ()

    @staticmethod
    def of(parts: Iterable[_Rest]) -> _Rest:
        every = [*parts]
        premises, steps, facts = (
            dict.fromkeys(name for part in every for name in part.premises),
            dict.fromkeys(step for part in every for step in part.steps),
            dict.fromkeys(name for part in every for name in part.facts),
        )
        return _Rest(tuple(premises), tuple(steps), tuple(facts))


def _weight(inference: DerivedFormula) -> int:
    return sum(rule not in _FORM for rule in inference.rules)


def _words(term: Term) -> frozenset[str]:
    """Of which constants it speaks; what encodings do with `if` is no form of it."""
    return frozenset(each.name for each in constants(term)) - (LOGICAL - WORDS)


def _readable(formula: Formula) -> Formula:
    """A clause as an implication, where it is one."""
    if isinstance(formula, f.Quant) and formula.kind == "forall":
        return f.Quant("forall", formula.var, _readable(formula.body))
    if not (isinstance(formula, f.Conn) and formula.op == "or"):
        return formula
    denied = [part.args[0] for part in formula.args if isinstance(part, f.Conn) and part.op == "not"]
    held = [part for part in formula.args if not (isinstance(part, f.Conn) and part.op == "not")]
    if not denied or not held:
        return formula
    return f.Conn("=>", (f.conjunction(*denied), f.disjunction(*held)))
