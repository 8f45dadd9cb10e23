"""Problems as typed first-order TPTP (TF0) for E and its like.

Lambdas are lifted to symbols with a defining equation, equal ones to the same symbol; functions that travel as
values are applied by an operator for their sort, with extensionality; truth values inside terms are pulled out by
cases; `if` likewise. Types are never erased.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, reduce

from isarstep.prover.encode import formula as f
from isarstep.prover.encode.formula import (
    BOOL,
    CannotEncode,
    Entailment,
    Formula,
    Sort,
    ap,
    conjunction,
    implication,
    neg,
    universal,
)
from isarstep.prover.encode.symbol_names import ByIdentity, name_of

MOST_CASES = 6  # nested case distinctions in one atom; each doubles the atom


def encode_tf0(problem: Entailment) -> tuple[str, dict[str, str]]:
    """The TPTP text, and for each formula's label the name of its premise."""
    named = [(name, _parts.get(formula, _lift)) for name, formula in (*problem.axioms, *problem.premises)]
    goal = _parts.get(problem.goal, _lift)
    lifted = [*(part for _, part in named), goal]
    equations = {symbol: part for whole in lifted for symbol, part in whole.equations.items()}
    arities: dict[str, int] = {}
    functions: dict[f.Fun, None] = {}
    for part in (*lifted, *equations.values()):
        functions.update(part.functions)
        for symbol, arity in part.arities.items():
            arities[symbol] = min(arities.get(symbol, arity), arity)
    declarations: dict[str, None] = {}
    labels: dict[str, str] = {}
    lines: list[str] = []

    def add(label: str, role: str, part: _Part) -> None:
        text, needed = part.printed(arities)
        declarations.update(needed)
        lines.append(f"tff({label},{role},{text}).")

    for name, part in named:
        label = f"p{len(labels)}"
        labels[label] = name
        add(label, "axiom", part)
    for number, part in enumerate((*equations.values(), *map(_extensionality, functions))):
        add(f"logic{number}", "axiom", part)
    add("goal", "conjecture", goal)
    if TRUTH_VALUES[0] in declarations:
        lines.append("tff(distinct,axiom,tt != ff).")
    return "\n".join([*declarations, *lines]) + "\n", labels


class _Part:
    """A closed formula without lambdas, with what its printing depends on and what was printed already."""

    def __init__(self, formula: Formula, equations: dict[str, _Part] | None = None) -> None:
        self.formula = formula
        self.equations = equations or {}  # of the lambdas that were lifted out of it
        self.arities: dict[str, int] = {}  # for every symbol, by its name, the fewest arguments it is given
        self.functions: dict[f.Fun, None] = {}  # sorts of functions that are compared or passed
        self._texts: dict[tuple[int, ...], tuple[str, dict[str, None]]] = {}
        self._count(formula)

    def printed(self, arities: Mapping[str, int]) -> tuple[str, dict[str, None]]:
        """The text where symbols have these arities, and the declarations it needs, in order."""
        key = tuple(arities[symbol] for symbol in self.arities)
        found = self._texts.get(key)
        if found is None:
            writer = _Writer(arities)
            text = writer.formula(self.formula)
            found = self._texts[key] = (text, dict.fromkeys(writer.declarations.values()))
        return found

    def _count(self, term: Formula) -> None:
        if isinstance(term, f.Ap | f.Sym):
            head, args = f.spine(term)
            if isinstance(head, f.Sym):
                self.arities[head.name] = min(self.arities.get(head.name, len(args)), len(args))
            for arg in args:
                self._value(arg)
                self._count(arg)
            return
        if isinstance(term, f.Eq):
            self._value(term.left)
            self._value(term.right)
        for child in f.children(term):
            self._count(child)

    def _value(self, term: Formula) -> None:
        sort = f.sort_of(term)
        while isinstance(sort, f.Fun):
            self.functions[sort] = None
            sort = sort.result


def _lift(formula: Formula) -> _Part:
    equations: dict[str, Formula] = {}
    body = _lifted(formula, equations)
    return _Part(body, {symbol: _Part(equation) for symbol, equation in equations.items()})


_parts: ByIdentity[_Part] = ByIdentity()


@lru_cache(maxsize=10_000)
def _extensionality(sort: f.Fun) -> _Part:
    left, right, at = f.SortedVariable(1, sort), f.SortedVariable(2, sort), f.SortedVariable(3, sort.argument)
    same = universal(at, f.Eq(ap(left, at), ap(right, at)))
    return _Part(f.universally((left, right), implication(same, f.Eq(left, right))))


def _lifted(term: Formula, equations: dict[str, Formula]) -> Formula:
    """With symbols, applied to the variables they mention, for lambdas; and what defines them."""
    if isinstance(term, f.Arith | f.Number):
        raise CannotEncode("interpreted arithmetic in a first-order problem")
    if not isinstance(term, f.Lam):
        return f.with_children(term, lambda part: _lifted(part, equations))
    free = f.free_variables(term)
    sort = reduce(lambda result, var: f.Fun(var.sort, result), reversed(free), f.sort_of(term))
    # Equal lambdas have the same symbol, in all problems: its name is what it stands for.
    symbol = f.Sym(f"$lambda : {f.text_without_names(term)}", sort)
    if symbol.name not in equations:
        inner, body = f.binders(term)
        binders = [*free, *inner]
        equations[symbol.name] = f.universally(binders, f.Eq(ap(symbol, *binders), _lifted(body, equations)))
    return ap(symbol, *free)


TRUTH_VALUES = ("tff(bool_type,type,bool: $tType).", "tff(tt_type,type,tt: bool).", "tff(ff_type,type,ff: bool).")


class _Writer:
    """Prints one formula."""

    def __init__(self, arities: Mapping[str, int]) -> None:
        self.declarations: dict[str, str] = {}  # by the names that they declare, in order
        self._arities = arities

    def sort(self, sort: Sort) -> str:
        if sort == BOOL:
            self.declarations |= zip(TRUTH_VALUES, TRUTH_VALUES, strict=True)
            return "bool"
        key = sort.name if isinstance(sort, f.Base) else repr(sort)
        name = name_of("s", key)
        self.declarations.setdefault(name, f"tff({name}_type,type,{name}: $tType).")
        return name

    def _declare(self, kind: str, key: str, args: list[Sort], result: Sort) -> str:
        name = name_of(kind, key)
        if name not in self.declarations:
            to = "$o" if result == BOOL else self.sort(result)
            sorts = [self.sort(a) for a in args]
            product = f"({' * '.join(sorts)})" if len(sorts) > 1 else "".join(sorts)
            signature = f"{product} > {to}" if sorts else to
            self.declarations[name] = f"tff({name}_type,type,{name}: {signature})."
        return name

    def formula(self, term: Formula) -> str:
        match term:
            case f.Truth(value):
                return "$true" if value else "$false"
            case f.Conn("not", (part,)):
                return f"~ ({self.formula(part)})"
            case f.Conn(op, args):
                sign = {"and": " & ", "or": " | ", "=>": " => "}[op]
                return sign.join(f"({self.formula(a)})" for a in args)
            case f.Quant(kind, var, body):
                if var.sort == BOOL:
                    cases = [_replace(body, var, f.Truth(v)) for v in (True, False)]
                    return self.formula(f.Conn("and" if kind == "forall" else "or", tuple(cases)))
                quantifier = "!" if kind == "forall" else "?"
                return f"({quantifier} [X{var.number}: {self.sort(var.sort)}] : ({self.formula(body)}))"
            case f.Eq(left, right) if f.sort_of(left) == BOOL:
                return f"({self.formula(left)}) <=> ({self.formula(right)})"
            case f.Ite(cond, then, other):
                return self.formula(conjunction(implication(cond, then), implication(neg(cond), other)))
            case _:
                return self._atom(term, 0)

    def _atom(self, atom: Formula, cases: int) -> str:
        inner = _case_inside(atom)
        if inner is None:
            if isinstance(atom, f.Eq):
                return f"{self.term(atom.left)} = {self.term(atom.right)}"
            return self.term(atom)
        if cases == MOST_CASES:
            raise CannotEncode("too many conditions inside one atom")
        cond = inner.cond if isinstance(inner, f.Ite) else inner
        then, other = (inner.then, inner.other) if isinstance(inner, f.Ite) else (f.Truth(True), f.Truth(False))
        yes = self._atom(_replace(atom, inner, then), cases + 1)
        no = self._atom(_replace(atom, inner, other), cases + 1)
        test = self.formula(cond)
        return f"(({test}) => ({yes})) & ((~ ({test})) => ({no}))"

    def term(self, term: Formula) -> str:
        if isinstance(term, f.Truth):
            self.sort(BOOL)
            return "tt" if term.value else "ff"
        head, args = f.spine(term)
        if isinstance(head, f.Sym):
            arity = self._arities[head.name]
            sorts, result = f.arguments_of(head.sort, arity)
            name = self._declare("c", head.name, sorts, result)
            text = f"{name}({','.join(self.term(a) for a in args[:arity])})" if arity else name
            args = args[arity:]
        elif isinstance(head, f.SortedVariable):
            text, result = f"X{head.number}", head.sort
        else:
            raise CannotEncode("an application whose function is computed")
        for arg in args:
            assert isinstance(result, f.Fun)
            operator = self._declare("a", f"apply {result!r}", [result, result.argument], result.result)
            text = f"{operator}({text},{self.term(arg)})"
            result = result.result
        return text


def _case_inside(atom: Formula) -> Formula | None:
    """An argument inside an atom that is a truth value other than a constant, or an `if`; outermost first."""
    parts = [atom.left, atom.right] if isinstance(atom, f.Eq) else f.spine(atom)[1]
    for part in parts:
        if isinstance(part, f.Ite) or (f.sort_of(part) == BOOL and not isinstance(part, f.Truth)):
            return part
        found = _case_inside(part) if isinstance(part, f.Ap) else None
        if found is not None:
            return found
    return None


def _replace(term: Formula, old: Formula, new: Formula) -> Formula:
    return new if term == old else f.with_children(term, lambda part: _replace(part, old, new))
