"""What a check found out about one proposal, and the paper's notions derived from it, with loopholes as columns.

A verdict is one of three: the example cannot be checked, the proposal is no proposition, or it is one and two gaps
were tried. Nothing here says "Sledgehammer": a gap is proved from the given premises or with n library facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeGuard

from isarstep.isabelle.terms.terms import Free, Term

# Wherever a person reads that something is proved.
AUTHORITY = "by provers, not by Isabelle's kernel"
KERNEL = "by Isabelle's kernel, which has run the proof"

ASSUME, CLOSE = "assume", "close"  # steps that begin and end a block, in place of a method
EVALUATION = "evaluation"  # who refutes by computing values

GapClass = Literal["small", "just right", "large"]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A formula that is shown by a method of Isar from premises and earlier steps, which have numbers. One whose method
    is ASSUME begins a block that assumes it; the block ends before the step CLOSE, which says that it cannot be."""

    formula: Term
    method: str
    premises: tuple[str, ...]
    steps: tuple[int, ...]
    used: bool  # by the last step of the proof
    obtained: Free | None = None  # a variable of which the formula says something for the first time


@dataclass(frozen=True, slots=True)
class OpenedGoal:
    """A goal with variables and premises of its own, which are fixed and assumed before the rest is shown."""

    variables: tuple[Free, ...]
    premises: tuple[tuple[str, Term], ...]  # by the names that proofs have for them
    conclusion: Term
    method: str  # of Isar, that takes it apart


@dataclass(frozen=True, slots=True)
class DerivedStep:
    """A formula of a prover's derivation, from premises, earlier steps by their numbers, and facts of the library. The
    first step of a proof is its denial, which is assumed; `unfold` says in other words what one fact says; `obtain`
    gives variables of which the formula speaks for the first time. `words` are constants of the fact or the goal that
    the formula says in other words."""

    formula: Term
    kind: Literal["assume", "unfold", "obtain", "metis"]
    premises: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    facts: tuple[str, ...] = ()
    obtained: tuple[Free, ...] = ()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Derived:
    """A proof by contradiction in steps; the last one, which says False, is from these."""

    steps: tuple[DerivedStep, ...]
    last: DerivedStep
    inferences: int  # of the derivation


@dataclass(frozen=True, slots=True)
class Proved:
    """A prover derived the goal; `library` facts were offered beside the given premises."""

    by: str
    seconds: float
    facts: tuple[str, ...]
    library: int
    method: str = ""  # of Isar, where it was split into cases: induct xs arbitrary: ys
    cases: tuple[Proved, ...] = ()
    steps: tuple[ShownStep, ...] = ()  # what is shown first
    given: tuple[str, ...] | None = None  # premises that the last method needs, where they are known
    opened: OpenedGoal | None = None
    declared: tuple[str, ...] = ()  # of its facts the simp rules that are declared there: no method has to name them
    reversed: tuple[str, ...] = ()  # of its facts those that simp rules or others say the other way round
    derivation: str = field(default="", compare=False, repr=False)  # what a first-order prover printed
    derived: Derived | None = None  # the same in steps

    def __str__(self) -> str:
        offered = f"with {self.library} library facts" if self.library else "from the given premises"
        used = f", used: {', '.join(self.facts)}" if self.facts else ""
        return f"proved {offered} by {self.by} in {self.seconds:.2f} s{used}"

    def uses(self, premise: str) -> bool:
        """Did the proof need this premise? One that could not name all that it used may have."""
        return premise in self.facts or "?" in self.facts


@dataclass(frozen=True, slots=True)
class Refuted:
    """A counterexample, found by Isabelle's own tools or by evaluation. A prover's `sat` is never one."""

    by: str
    counterexample: str

    def __str__(self) -> str:
        return f"false: {self.counterexample}" if self.by == EVALUATION else f"refuted by {self.by}"


@dataclass(frozen=True, slots=True)
class TimedOut:
    seconds: float

    def __str__(self) -> str:
        return f"not proved: out of time after {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Unknown:
    why: str

    def __str__(self) -> str:
        return self.why if self == NOT_ASKED else f"not proved: {self.why}"


@dataclass(frozen=True, slots=True)
class Crashed:
    """An unexpected exception ended the attempt. It is a mistake of this program and says nothing about the gap."""

    error: str

    def __str__(self) -> str:
        return f"internal error: {self.error}"


Gap: TypeAlias = Proved | Refuted | TimedOut | Unknown | Crashed
NOT_ASKED = Unknown("not asked")


def proved(gap: Gap | None) -> TypeGuard[Proved]:
    return isinstance(gap, Proved)


@dataclass(frozen=True, slots=True)
class Background:
    """What holds for an example whatever is proposed."""

    kind: str  # of the reference target: step, assumption, compound
    direct: Gap  # F.2, F.4 => F.3 without any step between
    direct_paper: Gap  # F.2 => F.3, as the paper asks
    f2_contradictory: Gap = NOT_ASKED  # F.2 => False
    f4_contradictory: Gap = NOT_ASKED  # F.4 => False


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a proposal compares with the reference and the source, as text and as terms."""

    exact: bool  # the reference's tokens
    alpha: bool  # the reference's term, up to names of variables that mean nothing
    equivalent: bool  # the reference up to symmetry of =, order and units of conjunctions, double negation
    copy: bool  # its tokens occur in a proposition of the source


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The example itself cannot be checked; it is counted, never judged."""

    example: str
    rank: int
    why: str


@dataclass(frozen=True, slots=True)
class IllFormed:
    """Not a proposition in the context of the example."""

    example: str
    rank: int
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class WellFormed:
    """A proposition, with what became of both gaps."""

    example: str
    rank: int
    likeness: Likeness
    first: Gap  # F.2 => P
    second: Gap  # P, F.4 => F.3
    trivial: Gap  # P from nothing; asked where the first gap is proved
    background: Background

    @property
    def bridged(self) -> bool:
        return proved(self.first) and proved(self.second)

    @property
    def matches(self) -> bool:
        return self.likeness.exact or self.likeness.alpha

    @property
    def alternative(self) -> bool:
        """The paper's alternative valid proposition: not the reference, not copied, both gaps proved."""
        return self.bridged and not self.matches and not self.likeness.copy

    @property
    def correct(self) -> bool:
        """The paper's correct proposition."""
        return self.matches or self.alternative

    @property
    def loopholes(self) -> tuple[str, ...]:
        """Why an alternative, though valid by the paper's rule, says little."""
        background = self.background
        found = {
            "equivalent": self.likeness.equivalent,
            "trivial": proved(self.trivial),
            "small gap": proved(background.direct),
            "contradictory F.2": proved(background.f2_contradictory),
            "contradictory F.4": proved(background.f4_contradictory),
        }
        return tuple(name for name, holds in found.items() if holds)

    @property
    def strict_alternative(self) -> bool:
        return self.alternative and not self.loopholes

    @property
    def strict_correct(self) -> bool:
        """The reference, the same in a trivially different form, or an alternative without loopholes."""
        return self.correct and (self.matches or self.likeness.equivalent or not self.loopholes)

    @property
    def improves_automation(self) -> bool:
        """The paper's: F.2 alone does not give F.3, by way of P it does. A proof of F.3 that leaves P unused says
        nothing about P.
        """
        by_way = proved(self.second) and self.second.uses("P")
        return self.bridged and by_way and not proved(self.background.direct_paper)

    @property
    def strictly_improves_automation(self) -> bool:
        return self.improves_automation and not set(self.loopholes) - {"equivalent"}

    @property
    def gap_class(self) -> GapClass:
        """The paper's classes: F.3 follows without P, by way of P, or not at all."""
        return "small" if proved(self.background.direct) else "just right" if self.bridged else "large"

    @property
    def gap_class_paper(self) -> GapClass:
        return "small" if proved(self.background.direct_paper) else "just right" if self.bridged else "large"

    @property
    def redundant(self) -> bool:
        """A reference step without which F.3 follows all the same."""
        return self.matches and proved(self.background.direct)


Verdict: TypeAlias = Unsupported | IllFormed | WellFormed

GAPS = ("first", "second", "trivial", "direct", "direct_paper", "f2_contradictory", "f4_contradictory")
NOTIONS = ("correct", "alternative", "strict_correct", "strict_alternative", "improves_automation",
           "strictly_improves_automation")  # fmt: skip
CLASSES = ("gap_class", "gap_class_paper")
# Columns of a table of verdicts with their Parquet types.
COLUMNS: dict[str, str] = {
    "example": "string", "rank": "int32", "verdict": "string", "why": "string", "kind": "string",
    "exact": "bool", "alpha": "bool", "equivalent": "bool", "copy": "bool",
    **{
        f"{gap}_{column}": typ
        for gap in GAPS
        for column, typ in (("result", "string"), ("by", "string"), ("seconds", "float32"), ("library", "int32"),
                            ("facts", "list<string>"))
    },
    **dict.fromkeys(NOTIONS, "bool"), **dict.fromkeys(CLASSES, "string"), "redundant": "bool",
    "loopholes": "list<string>",
}  # fmt: skip


def row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as one row of `COLUMNS`; what does not apply is null."""
    cells: dict[str, Any] = dict.fromkeys(COLUMNS)
    cells.update(example=verdict.example, rank=verdict.rank)
    match verdict:
        case Unsupported():
            cells.update(verdict="unsupported", why=verdict.why)
        case IllFormed():
            cells.update(verdict="ill-formed", why=verdict.why, kind=verdict.kind, correct=False, strict_correct=False)
        case WellFormed():
            cells.update(verdict="well-formed", kind=verdict.background.kind, loopholes=list(verdict.loopholes))
            for part, names in (
                (verdict.likeness, ("exact", "alpha", "equivalent", "copy")),
                (verdict, (*NOTIONS, *CLASSES, "redundant")),
            ):
                cells.update((name, getattr(part, name)) for name in names)
            for holder, gaps in ((verdict, GAPS[:3]), (verdict.background, GAPS[3:])):
                for name in gaps:
                    gap = _gap_cells(getattr(holder, name))
                    cells.update((f"{name}_{column}", value) for column, value in gap.items())
    return cells


def _gap_cells(gap: Gap) -> dict[str, Any]:
    match gap:
        case Proved(by, seconds, facts, library):
            return {"result": "proved", "by": by, "seconds": seconds, "library": library, "facts": list(facts)}
        case Refuted(by, counterexample):
            return {"result": "refuted", "by": by, "facts": [counterexample]}
        case TimedOut(seconds):
            return {"result": "timeout", "seconds": seconds}
        case Unknown("not asked"):
            return {"result": None}
        case Crashed(error):
            return {"result": f"internal error: {error}"}
        case Unknown(why):
            return {"result": f"unknown: {why}"}
