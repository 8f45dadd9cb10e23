"""Random terms for property tests: any terms at all, and well-typed ones over a handful of real constants."""

from hypothesis import strategies as st

from isarstep.isabelle.syntax.writing.sample import sample_signature
from isarstep.isabelle.terms.hol import BOOL, PROP
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, TFree, TVar, Typ, Type, Var, fun

names = st.text("abcxyz'_.<>01", min_size=1, max_size=6)
constant_names = st.sampled_from(
    ["HOL.eq", "HOL.conj", "Pure.imp", "HOL.Trueprop", "Groups.plus_class.plus", "c", "ABS", "$$"]
)
sorts = st.lists(st.sampled_from(["A.c", "B.d", "HOL.type"]), max_size=2, unique=True).map(lambda s: tuple(sorted(s)))

types: st.SearchStrategy[Typ] = st.recursive(
    st.one_of(
        st.builds(Type, st.sampled_from(["Nat.nat", "HOL.bool"])),
        st.builds(TFree, st.sampled_from(["'a", "'b"]), sorts),
        st.builds(TVar, st.sampled_from(["'a", "'b1"]), st.integers(0, 12), sorts),
    ),
    lambda inner: st.one_of(
        st.builds(fun, inner, inner),
        st.builds(lambda a: Type("List.list", (a,)), inner),
    ),
    max_leaves=8,
)
maybe_types = st.one_of(st.none(), types)

# Loose bound variables included: the codec must carry them, inference must refuse them.
terms: st.SearchStrategy[Term] = st.recursive(
    st.one_of(
        st.builds(Const, constant_names, maybe_types),
        st.builds(Free, names, maybe_types),
        st.builds(Var, names, st.integers(0, 12), maybe_types),
        st.builds(Bound, st.integers(0, 3)),
    ),
    lambda inner: st.one_of(st.builds(App, inner, inner), st.builds(Abs, names, maybe_types, inner)),
    max_leaves=25,
)

NAT, INT, REAL, A = Type("Nat.nat"), Type("Int.int"), Type("Real.real"), TFree("'a", ("HOL.type",))
BASES: list[Typ] = [BOOL, NAT, INT, REAL, A]

# Everything that builds truth values, numbers, sets and functions out of each other.
CONSTANTS = [
    name
    for name in (
        "HOL.eq HOL.conj HOL.disj HOL.implies HOL.Not HOL.All HOL.Ex HOL.True HOL.False HOL.If Groups.plus_class.plus "
        "Groups.times_class.times Groups.minus_class.minus Groups.zero_class.zero Groups.one_class.one Nat.Suc "
        "Orderings.ord_class.less_eq Orderings.ord_class.less Set.member Set.insert Set.image Set.Collect "
        "Int.ring_1_class.of_int Nat.semiring_1_class.of_nat Power.power_class.power Finite_Set.finite Fun.comp"
    ).split()
    if name in sample_signature().constants
]


@st.composite
def propositions(draw: st.DrawFn) -> Term:
    """A well-typed closed proposition whose free variables are named after their types."""
    formula = draw(typed_terms(BOOL, (), draw(st.integers(1, 5))))
    return App(Const("HOL.Trueprop", fun(BOOL, PROP)), formula)


def named(typ: Typ) -> str:
    """A type as a piece of a name, in prefix form so that no two types share one."""
    if isinstance(typ, Type):
        own = typ.name.rpartition(".")[2] + (str(len(typ.args)) if typ.args else "")
        return "_".join([own, *map(named, typ.args)])
    return typ.name.strip("'")


@st.composite
def typed_terms(draw: st.DrawFn, wanted: Typ, binders: tuple[Typ, ...], depth: int) -> Term:
    """A term of the wanted type under binders of the given types (innermost last)."""
    choices: list[tuple[str, object]] = [("free", None)]
    choices += [("bound", len(binders) - 1 - i) for i, typ in enumerate(binders) if typ == wanted]
    if depth > 0:
        if isinstance(wanted, Type) and wanted.name == "fun":
            choices += [("abs", None)] * 2
        choices += [("const", use) for use in uses(wanted)]
    kind, detail = draw(st.sampled_from(choices))
    if kind == "bound":
        assert isinstance(detail, int)
        return Bound(detail)
    if kind == "abs":
        assert isinstance(wanted, Type)
        return Abs("x", wanted.args[0], draw(typed_terms(wanted.args[1], (*binders, wanted.args[0]), depth - 1)))
    if kind == "const":
        name, arguments, variables, found = detail  # type: ignore[misc]
        chosen = dict(found)
        for variable in variables:
            if variable not in chosen:
                fitting = [base for base in BASES if sample_signature().of_sort(base, variable.sort)]
                chosen[variable] = draw(st.sampled_from(fitting or [NAT]))
        declared = sample_signature().constants[name].type
        term: Term = Const(name, replace(declared, chosen))
        for argument in arguments:
            term = App(term, draw(typed_terms(replace(argument, chosen), binders, depth - 1)))
        return term
    # The type is part of the name: variables of one name have one type, in every run.
    return Free(f"x_{named(wanted)}_{draw(st.integers(0, 1))}", wanted)


def uses(wanted: Typ) -> list[tuple[str, list[Typ], list[TFree | TVar], dict[Typ, Typ]]]:
    """Each way to get the wanted type by applying a constant to some arguments."""
    found = []
    signature = sample_signature()
    for name in CONSTANTS:
        arguments: list[Typ] = []
        result = signature.constants[name].type
        while True:
            match = matching(result, wanted)
            if match is not None and all(
                signature.of_sort(t, v.sort) for v, t in match.items() if not isinstance(v, Type)
            ):
                found.append((name, list(arguments), variables_of(signature.constants[name].type), match))
            if not (isinstance(result, Type) and result.name == "fun"):
                break
            arguments.append(result.args[0])
            result = result.args[1]
    return found


def matching(pattern: Typ, instance: Typ) -> dict[Typ, Typ] | None:
    if not isinstance(pattern, Type):
        return {pattern: instance}
    if not isinstance(instance, Type) or pattern.name != instance.name or len(pattern.args) != len(instance.args):
        return None
    joined: dict[Typ, Typ] = {}
    for a, b in zip(pattern.args, instance.args, strict=True):
        part = matching(a, b)
        if part is None or any(joined.get(k, v) != v for k, v in part.items()):
            return None
        joined.update(part)
    return joined


def replace(typ: Typ, chosen: dict[Typ, Typ]) -> Typ:
    if not isinstance(typ, Type):
        return chosen.get(typ, typ)
    return Type(typ.name, tuple(replace(a, chosen) for a in typ.args))


def variables_of(typ: Typ) -> list[TFree | TVar]:
    if isinstance(typ, Type):
        return list(dict.fromkeys(v for a in typ.args for v in variables_of(a)))
    return [typ]
