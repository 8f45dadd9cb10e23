"""Problems as monomorphic higher-order TPTP (TH0), for provers that take it; lambdas and truth values stay as they
are.
"""

from __future__ import annotations

from isarstep.prove import formula as f
from isarstep.prove.formula import BOOL, CannotEncode, Entailment, Formula, Sort
from isarstep.prove.names import Namer


def encode_th0(problem: Entailment) -> tuple[str, dict[str, str]]:
    """The TPTP text, and for each formula's label the name of its premise."""
    writer = _Writer()
    labels: dict[str, str] = {}
    lines: list[str] = []
    for name, formula in (*problem.axioms, *problem.premises):
        label = f"p{len(labels)}"
        labels[label] = name
        lines.append(f"thf({label},axiom,{writer.term(formula)}).")
    lines.append(f"thf(goal,conjecture,{writer.term(problem.goal)}).")
    for number, text in enumerate(writer.choices):
        lines.append(f"thf(if{number},axiom,{text}).")
    return "\n".join([*writer.declarations, *lines]) + "\n", labels


class _Writer:
    def __init__(self) -> None:
        self.names = Namer()
        self.declarations: list[str] = []
        self.choices: list[str] = []

    def sort(self, sort: Sort) -> str:
        if sort == BOOL:
            return "$o"
        if isinstance(sort, f.Fun):
            return f"({self.sort(sort.argument)} > {self.sort(sort.result)})"
        name, new = self.names.get("s", sort.name)
        if new:
            self.declarations.append(f"thf({name}_type,type,{name}: $tType).")
        return name

    def _declare(self, kind: str, key: str, sort: Sort) -> tuple[str, bool]:
        name, new = self.names.get(kind, key)
        if new:
            self.declarations.append(f"thf({name}_type,type,{name}: {self.sort(sort)}).")
        return name, new

    def term(self, term: Formula) -> str:
        match term:
            case f.Sym(name, sort):
                return self._declare("c", name, sort)[0]
            case f.SortedVariable(number, _):
                return f"X{number}"
            case f.Truth(truth):
                return "$true" if truth else "$false"
            case f.Ap(fun, arg):
                return f"({self.term(fun)} @ {self.term(arg)})"
            case f.Lam(var, body):
                return f"(^ [X{var.number}: {self.sort(var.sort)}] : {self.term(body)})"
            case f.Quant(kind, var, body):
                sign = "!" if kind == "forall" else "?"
                return f"({sign} [X{var.number}: {self.sort(var.sort)}] : {self.term(body)})"
            case f.Conn("not", (part,)):
                return f"(~ {self.term(part)})"
            case f.Conn(op, args):
                sign = {"and": " & ", "or": " | ", "=>": " => "}[op]
                return f"({sign.join(self.term(a) for a in args)})"
            case f.Eq(left, right):
                sign = "<=>" if f.sort_of(left) == BOOL else "="
                return f"({self.term(left)} {sign} {self.term(right)})"
            case f.Ite(cond, then, other):
                sort = f.sort_of(then)
                name, new = self._declare("i", f"if {sort!r}", f.Fun(BOOL, f.Fun(sort, f.Fun(sort, sort))))
                if new:
                    s = self.sort(sort)
                    for value, chosen in (("$true", "X"), ("$false", "Y")):
                        equal = f"({name} @ {value} @ X @ Y) = {chosen}"
                        self.choices.append(f"(! [X: {s}, Y: {s}] : ({equal}))")
                return f"({name} @ {self.term(cond)} @ {self.term(then)} @ {self.term(other)})"
        raise CannotEncode("interpreted arithmetic in a TH0 problem")
