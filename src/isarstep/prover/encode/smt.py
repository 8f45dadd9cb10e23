"""Problems as higher-order SMT-LIB for cvc5: premises asserted by name, the goal negated, `unsat` means entailed."""

from __future__ import annotations

from isarstep.prover.encode import formula as f
from isarstep.prover.encode.formula import BOOL, INT, REAL, CannotEncode, Entailment, Formula, Sort
from isarstep.prover.encode.symbol_names import ByIdentity, name_of

SORTS: dict[Sort, str] = {BOOL: "Bool", INT: "Int", REAL: "Real"}
OTHER_NAMES = {"neg": "-", "floor": "to_int"}  # of operations


def encode_smt(problem: Entailment) -> tuple[str, dict[str, str]]:
    """The SMT-LIB text, and for each assertion's label the name of its premise."""
    labels: dict[str, str] = {}
    declarations: dict[str, None] = {}
    asserts: list[str] = []
    for name, formula in (*problem.axioms, *problem.premises):
        label = f"p{len(labels)}"
        labels[label] = name
        text, needed = _printed.get(formula, _print)
        declarations.update(needed)
        asserts.append(f"(assert (! {text} :named {label}))")
    goal, needed = _printed.get(problem.goal, _print)
    declarations.update(needed)
    asserts.append(f"(assert (! (not {goal}) :named goal))")
    lines = [f"(set-logic {problem.logic})", *declarations, *asserts, "(check-sat)"]
    return "\n".join(lines) + "\n", labels


def _print(formula: Formula) -> tuple[str, dict[str, None]]:
    """The text of a closed formula, and the declarations it needs, in order."""
    writer = _Writer()
    text = writer.term(formula)
    return text, dict.fromkeys(writer.declarations.values())


_printed: ByIdentity[tuple[str, dict[str, None]]] = ByIdentity()


class _Writer:
    def __init__(self) -> None:
        self.declarations: dict[str, str] = {}  # by the names that they declare, in order

    def sort(self, sort: Sort) -> str:
        if sort in SORTS:
            return SORTS[sort]
        if isinstance(sort, f.Fun):
            args, result = f.arguments_of(sort)
            return f"(-> {' '.join(self.sort(a) for a in args)} {self.sort(result)})"
        name = name_of("s", sort.name)
        self.declarations.setdefault(name, f"(declare-sort {name} 0)")
        return name

    def symbol(self, symbol: f.Sym) -> str:
        name = name_of("c", symbol.name)
        if name not in self.declarations:
            args, result = f.arguments_of(symbol.sort)
            line = f"(declare-fun {name} ({' '.join(self.sort(a) for a in args)}) {self.sort(result)})"
            self.declarations[name] = line
        return name

    def term(self, term: Formula) -> str:
        match term:
            case f.Sym():
                return self.symbol(term)
            case f.SortedVariable(number, _):
                return f"x{number}"
            case f.Truth(value):
                return "true" if value else "false"
            case f.Number(value, sort):
                return f"{value}.0" if sort == REAL else str(value)
            case f.Ap():
                head, args = f.spine(term)
                if not isinstance(head, f.Sym | f.SortedVariable):
                    raise CannotEncode("an application whose function is computed")
                return f"({self.term(head)} {' '.join(self.term(a) for a in args)})"
            case f.Lam():
                binders, body = f.binders(term)
                # cvc5 wants a lambda's body to be no function: name the arguments that are still missing.
                rest, _ = f.arguments_of(f.sort_of(body))
                names = [f"x{v.number}" for v in binders]
                text = self.term(body)
                if rest:
                    extra = [f"e{binders[-1].number}_{i}" for i in range(len(rest))]
                    if not isinstance(body, f.Sym | f.SortedVariable | f.Ap):
                        raise CannotEncode("a lambda whose body is a computed function")
                    text = f"({text[1:-1] if isinstance(body, f.Ap) else text} {' '.join(extra)})"
                    names += extra
                sorts = [self.sort(v.sort) for v in binders] + [self.sort(s) for s in rest]
                return f"(lambda ({' '.join(f'({n} {s})' for n, s in zip(names, sorts, strict=True))}) {text})"
            case f.Quant(kind, _, _):
                bound, inner = f.binders(term)
                variables = " ".join(f"(x{v.number} {self.sort(v.sort)})" for v in bound)
                return f"({kind} ({variables}) {self.term(inner)})"
            case f.Conn(op, args):
                return f"({op} {' '.join(self.term(a) for a in args)})"
            case f.Eq(left, right):
                return f"(= {self.term(left)} {self.term(right)})"
            case f.Ite(cond, then, other):
                return f"(ite {self.term(cond)} {self.term(then)} {self.term(other)})"
            case f.Arith(op, args):
                return f"({OTHER_NAMES.get(op, op)} {' '.join(self.term(a) for a in args)})"
        raise AssertionError(term)
