"""Arithmetic without quantifiers: a problem over integers and reals alone, which provers decide best.

Whatever is no operation of arithmetic becomes a constant, the same one wherever the term is the same: only congruence
is lost. A natural number is an integer that is said not to be negative; a quotient x / y is a number q with q * y = x
where y is not 0. Premises with quantifiers are left out.
"""

from __future__ import annotations

from isarstep.prover.encode import formula as f
from isarstep.prover.encode.arithmetic import INT2NAT, NAT, NAT2INT
from isarstep.prover.encode.formula import (
    BOOL,
    INT,
    REAL,
    Ap,
    Arith,
    Base,
    Conn,
    Entailment,
    Eq,
    Formula,
    Ite,
    Lam,
    Number,
    Quant,
    Sym,
    Truth,
    implication,
    neg,
)


class Quantified(Exception):
    """A formula has a quantifier."""


def ground(problem: Entailment) -> Entailment | None:
    """The problem without quantifiers; None where its goal has one, or where nothing in it is a number."""
    making = _Grounding()
    try:
        goal = making.formula(problem.goal)
    except Quantified:
        return None
    premises = []
    for name, premise in problem.premises:
        try:
            premises.append((name, making.formula(premise)))
        except Quantified:
            continue
    if not making.sorts & {INT, REAL}:
        return None
    return Entailment(tuple(premises), tuple(making.axioms.items()), goal, making.logic)


class _Grounding:
    """The constants of one problem, and what is known of them."""

    def __init__(self) -> None:
        self.axioms: dict[str, Formula] = {}
        self.sorts: set[Base] = set()
        self._constants: dict[str, Sym] = {}

    @property
    def logic(self) -> str:
        numbers = self.sorts & {INT, REAL}
        return "QF_NRA" if numbers == {REAL} else "QF_NIA" if numbers == {INT} else "QF_NIRA"

    def formula(self, term: Formula) -> Formula:
        match term:
            case Truth():
                return term
            case Number(_, sort):
                self.sorts.add(sort)
                return term
            case Quant() | Lam() | f.SortedVariable():
                raise Quantified
            case Conn(op, args):
                return Conn(op, tuple(map(self.formula, args)))
            case Eq(left, right):
                return self._equation(term, left, right)
            case Ite(condition, then, other):
                if f.sort_of(then) not in (BOOL, INT, REAL):
                    return self._constant(term)
                return Ite(self.formula(condition), self.formula(then), self.formula(other))
            case Arith("/", (left, right)) if not isinstance(right, Number):
                return self._quotient(self.formula(left), self.formula(right))
            case Arith(op, args):
                self.sorts |= {REAL, INT} if op in ("to_real", "floor") else set()
                return Arith(op, tuple(map(self.formula, args)))
            case Ap(fun, arg) if fun == NAT2INT:
                return self._natural(arg)
        return self._constant(term)

    def _equation(self, term: Eq, left: Formula, right: Formula) -> Formula:
        sort = f.sort_of(left)
        if sort == NAT:
            return Eq(self._natural(left), self._natural(right))
        if sort in (BOOL, INT, REAL):
            return Eq(self.formula(left), self.formula(right))
        return self._constant(term)

    def _natural(self, term: Formula) -> Formula:
        """The integer that a natural number is."""
        if isinstance(term, Ap) and term.fun == INT2NAT:
            return self.formula(term.arg)  # built around what is not negative alone
        if isinstance(term, Ite):
            return Ite(self.formula(term.cond), self._natural(term.then), self._natural(term.other))
        made = self._constant(term, INT)
        self.axioms.setdefault(f"definition of {made.name}", Arith("<=", (Number(0, INT), made)))
        return made

    def _quotient(self, left: Formula, right: Formula) -> Formula:
        made = self._constant(Arith("/", (left, right)), REAL)
        product = Eq(Arith("*", (made, right)), left)
        self.axioms.setdefault(f"definition of {made.name}", implication(neg(Eq(right, Number(0, REAL))), product))
        return made

    def _constant(self, term: Formula, sort: f.Sort | None = None) -> Sym:
        """The constant of a term, whatever its bound variables are called."""
        sort = f.sort_of(term) if sort is None else sort
        if not isinstance(sort, Base) or sort not in (BOOL, INT, REAL) or f.free_variables(term):
            raise Quantified
        key = f.text_without_names(term)
        if key not in self._constants:
            self._constants[key] = Sym(f"$term{len(self._constants)}", sort)
            self.sorts.add(sort)
        return self._constants[key]
