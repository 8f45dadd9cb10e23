"""`datatype`: constructors, freeness, case expressions, discriminators, selectors, induction where every recursion is
direct.

Size, map, set and relator functions are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    TFree,
    Typ,
    Type,
    Var,
    erase,
    frees,
    fun,
    funs,
    list_comb,
    strip_comb,
)
from isarstep.isabelle.theory.environment.declarations import closed_fact, type_parameters
from isarstep.isabelle.theory.environment.file_environment import SIZE, OwnContext, TokenReader
from isarstep.isabelle.theory.rules.rule_cases import proposition_of_rule, structural_rule
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import ANY_SORT, NotRead, read_together, read_written_type, type_names

# Types through which a datatype may recurse: its values lie inside theirs.
_THROUGH = frozenset({"List.list", "Option.option", "Product_Type.prod", "Sum_Type.sum"})


@dataclass
class Constructor:
    token: SourceToken
    tester: str = ""
    selectors: list[str] = field(default_factory=list)
    tokens: list[SourceToken] = field(default_factory=list)  # types of the arguments
    types: list[Typ] = field(default_factory=list)
    mixfix: list[SourceToken] = field(default_factory=list)
    name: str = ""

    def applied(self, prefix: str) -> tuple[Term, list[Var]]:
        variables = [Var(f"{prefix}{place}", 0) for place in range(len(self.types))]
        return list_comb(Const(self.name), variables), variables


@dataclass
class NewDatatype:
    parameters: list[str]
    token: SourceToken
    mixfix: list[SourceToken]
    constructors: list[Constructor]
    defaults: list[SourceToken]  # equations of selectors at other constructors
    sets: dict[str, str] = field(default_factory=dict)  # names of set functions, by type variable
    made: Type | None = None

    @property
    def type(self) -> Type:
        assert self.made is not None
        return self.made

    @property
    def name(self) -> str:
        return self.type.name


def datatype(context: OwnContext, reader: TokenReader) -> None:
    wanted = any(token.keyword("discs_sels") for token in reader.option("plugins", "discs_sels"))
    if context.target is not None:
        raise reader.refused("a datatype inside a locale is not read")
    new = [_one(reader)]
    while reader.accept("and"):
        new.append(_one(reader))
    if reader.accept("for"):  # names of what is not read
        reader.at = len(reader.tokens)
    reader.end()
    for each in new:
        _give_names(each, wanted=wanted)
    for each in new:
        full = context.declare_type(each.token.text, len(each.parameters), (SIZE,))
        each.made = Type(full, tuple(TFree(name, ANY_SORT) for name in each.parameters))
        context.add_mixfix(each.mixfix, full, len(each.parameters), "type")
    own = {each.name: each for each in new}
    for each in new:
        for made in each.constructors:
            made.types = [read_written_type(token, context.scope()) for token in made.tokens]
            if type_names(made.types) - set(each.parameters):
                raise NotRead(context.source, made.token.start, "a type variable is no parameter of the datatype")
    _refuse_recursion(context, new, own)
    for each in new:
        _declare(context, each)
        _facts(context, each, list(own.values()))


def _one(reader: TokenReader) -> NewDatatype:
    start = reader.at
    parameters = type_parameters(reader)
    before = reader.tokens[start : reader.at]
    sets = {  # `(set_of: 'a)`
        behind.text: name.text
        for name, colon, behind in zip(before, before[1:], before[2:], strict=False)
        if colon.keyword(":") and behind.kind == "typevar"
    }
    token = reader.name()
    mixfix = reader.mixfix()
    reader.expect("=")
    constructors = [_constructor(reader)]
    while reader.accept("|"):
        constructors.append(_constructor(reader))
    defaults: list[SourceToken] = []
    if reader.accept("where"):
        defaults.append(reader.proposition())
        while reader.accept("|"):
            defaults.append(reader.proposition())
    return NewDatatype(parameters, token, mixfix, constructors, defaults, sets)


def _constructor(reader: TokenReader) -> Constructor:
    following = reader.ahead()
    tester = ""
    if following is not None and following.keyword(":"):
        tester = reader.name().text
        reader.expect(":")
    made = Constructor(reader.name(), tester)
    while reader.here is not None and not reader.is_keyword("|", "and", "for", "where"):
        mixfix = reader.mixfix()
        if mixfix:
            made.mixfix = mixfix
            break
        if reader.is_keyword("("):
            inside = TokenReader(reader.bracket(), reader.source, reader.place)
            selector = inside.name().text
            inside.expect(":")
            made.tokens.append(inside.type())
            inside.end()
            made.selectors.append(selector)
        else:
            made.tokens.append(reader.type())
            made.selectors.append("")
    return made


def _give_names(new: NewDatatype, *, wanted: bool) -> None:
    """Where one discriminator or selector has a name, all others get one, `is_C` and `un_C`, if they are needed."""
    constructors = new.constructors
    if not (wanted or new.defaults or any(made.tester or any(made.selectors) for made in constructors)):
        return
    told = [bool(made.tester) or not made.tokens for made in constructors]
    relied = [known or (place == 0 and not any(told[1:2])) for place, known in enumerate(told)]
    for place, made in enumerate(constructors):
        base = made.token.text
        omitted = len(constructors) == 1 or (len(constructors) == 2 and relied[1 - place])
        if not made.tester:
            made.tester = "=" if not made.tokens else "" if omitted else f"is_{base}"
        count = len(made.selectors)
        made.selectors = [
            name or (f"un_{base}" if count == 1 else f"un_{base}{number}")
            for number, name in enumerate(made.selectors, 1)
        ]


def _refuse_recursion(context: OwnContext, new: Sequence[NewDatatype], own: dict[str, NewDatatype]) -> None:
    """Isabelle has no datatype that recurses to the left of ⇒ or through a set, or that has no values."""
    for each in new:
        for made in each.constructors:
            for token, typ in zip(made.tokens, made.types, strict=True):
                if not _positive(typ, own):
                    raise NotRead(context.source, token.start, "a recursion through this type is not read")
    empty, inhabited = list(new), set[str]()
    while found := [each for each in empty if any(_has_all(made.types, own, inhabited) for made in each.constructors)]:
        inhabited |= {each.name for each in found}
        empty = [each for each in empty if each not in found]
    if empty:
        raise NotRead(context.source, empty[0].token.start, "the datatype would have no values")


def _positive(typ: Typ, own: dict[str, NewDatatype]) -> bool:
    if not isinstance(typ, Type) or not _mentions(typ, own):
        return True
    if typ.name in own:
        return typ == own[typ.name].type
    if typ.name == "fun":
        return not _mentions(typ.args[0], own) and _positive(typ.args[1], own)
    return typ.name in _THROUGH and all(_positive(part, own) for part in typ.args)


def _mentions(typ: Typ, own: dict[str, NewDatatype]) -> bool:
    return isinstance(typ, Type) and (typ.name in own or any(_mentions(part, own) for part in typ.args))


def _has_all(types: Iterable[Typ], own: dict[str, NewDatatype], inhabited: set[str]) -> bool:
    """Have all these types values, as far as those are known that do?"""
    for typ in types:
        if isinstance(typ, Type) and typ.name not in ("List.list", "Option.option"):
            parts = typ.args[1:] if typ.name == "fun" else typ.args
            if not (typ.name in inhabited if typ.name in own else _has_all(parts, own, inhabited)):
                return False
    return True


def _declare(context: OwnContext, new: NewDatatype) -> None:
    result = TFree("'case_result", ANY_SORT)
    for made in new.constructors:
        made.name = f"{new.name}.{to_isabelle(made.token.text)}"
        typ = funs(made.types, new.type)
        context.declare_constant(made.name, typ)
        context.add_mixfix(made.mixfix, made.name, len(made.types))
    splitter = f"{new.name}.case_{new.name.rpartition('.')[2]}"
    branches = [funs(made.types, result) for made in new.constructors]
    context.declare_constant(splitter, funs([*branches, new.type], result))
    shape = [(made.name, len(made.types)) for made in new.constructors]
    for made in new.constructors:
        context.language._datatypes[made.name] = splitter, shape
    for tester in {made.tester for made in new.constructors} - {"", "="}:
        context.declare_constant(f"{new.name}.{to_isabelle(tester)}", fun(new.type, hol.BOOL))
    for parameter, name in new.sets.items():
        members = Type("Set.set", (TFree(parameter, ANY_SORT),))
        context.declare_constant(f"{new.name}.{to_isabelle(name)}", fun(new.type, members))
    selected: dict[str, Typ] = {}
    for made in new.constructors:
        for selector, typ in zip(made.selectors, made.types, strict=True):
            if selector and selected.setdefault(selector, typ) != typ:
                raise NotRead(context.source, made.token.start, f"selector {selector!r} has two types")
    for selector, typ in selected.items():
        context.declare_constant(f"{new.name}.{to_isabelle(selector)}", fun(new.type, typ))


def _facts(context: OwnContext, new: NewDatatype, together: Sequence[NewDatatype]) -> None:
    base = new.name.rpartition(".")[2]

    def add(name: str, props: Sequence[Term], simp: bool) -> None:
        if props:
            context.add_facts(f"{base}.{name}", [closed_fact(context, prop) for prop in props], simp=simp)

    injective = []
    for made in new.constructors:
        (left, xs), (right, ys) = made.applied("x"), made.applied("y")
        if xs:
            parts = [hol.eq(x, y) for x, y in zip(xs, ys, strict=True)]
            injective.append(hol.trueprop(hol.eq(hol.eq(left, right), hol.list_conj(parts))))
    add("inject", injective, True)
    different = []
    for place, first in enumerate(new.constructors):
        for second in new.constructors[place + 1 :]:
            left, right = first.applied("x")[0], second.applied("y")[0]
            pairs = ((left, right), (right, left))
            different += [hol.trueprop(hol.apply(hol.NOT, hol.eq(*pair))) for pair in pairs]
    add("distinct", different, True)
    add("case", list(_case_equations(new)), True)
    add("sel", _selector_equations(context, new), True)
    add("disc", list(_tester_facts(new)), True)
    y = Var("y", 0)  # `y = C1 ∨ (∃x. y = C2 x)`, which says what the case rule says
    values = [made.applied("x") for made in new.constructors]
    exhaustion = [hol.quantified(hol.exists, xs, hol.eq(y, value)) for value, xs in values]
    add("exhaust", [hol.trueprop(hol.list_disj(exhaustion))], False)
    types = [typ for made in new.constructors for typ in made.types]
    if len(together) > 1 or any(typ != new.type and _mentions(typ, {new.name: new}) for typ in types):
        context.unread.names[f"fact {base}.induct"] = f"the datatype {base} (induction through other types)"
    else:
        rule = replace(structural_rule(new.type, "x", context.language), variables=("y",))
        add("induct", [proposition_of_rule(rule)], False)


def _case_equations(new: NewDatatype) -> Iterator[Term]:
    splitter = Const(f"{new.name}.case_{new.name.rpartition('.')[2]}")
    functions = [Var(f"f{place}", 0) for place in range(len(new.constructors))]
    for function, made in zip(functions, new.constructors, strict=True):
        value, xs = made.applied("x")
        yield hol.trueprop(hol.eq(App(list_comb(splitter, functions), value), list_comb(function, xs)))


def _selector_equations(context: OwnContext, new: NewDatatype) -> list[Term]:
    """One selector after the other, each at the constructors in their order."""
    defaults = [_default(context, new, text) for text in new.defaults]
    found: list[Term] = []
    for selector in dict.fromkeys(name for made in new.constructors for name in made.selectors if name):
        full = f"{new.name}.{to_isabelle(selector)}"
        for made in new.constructors:
            value, xs = made.applied("x")
            if selector in made.selectors:
                x = xs[made.selectors.index(selector)]
                found.append(hol.trueprop(hol.eq(App(Const(full), value), x)))
            found += [prop for at, by, prop in defaults if (at, by) == (full, made.name)]
    return found


def _default(context: OwnContext, new: NewDatatype, text: SourceToken) -> tuple[str, str, Term]:
    """`"tl Nil = Nil"`: the selector, the constructor and the equation."""
    (prop,) = read_together([text], context.scope()).terms
    formula = hol.dest_trueprop(prop)
    sides = hol.dest_binary(hol.EQ, formula) if formula is not None else None
    head, arguments = strip_comb(sides[0]) if sides is not None else (prop, [])
    by, inside = strip_comb(arguments[0]) if len(arguments) == 1 else (prop, [])
    made = {each.name: each for each in new.constructors}
    if not isinstance(head, Const) or not isinstance(by, Const) or by.name not in made or sides is None:
        raise NotRead(context.source, text.inside, "a default value of this form is not read")
    selectors = {f"{new.name}.{to_isabelle(name)}" for name in made[by.name].selectors}
    own = {f"{new.name}.{to_isabelle(name)}" for each in new.constructors for name in each.selectors}
    names = [each.name for each in inside if isinstance(each, Free)]
    known = len(set(names)) == len(inside) and {node.name for node in frees(sides[1])} <= set(names)
    if head.name not in own - selectors or not known:
        raise NotRead(context.source, text.inside, "a default value of this form is not read")
    return head.name, by.name, erase(prop)


def _tester_facts(new: NewDatatype) -> Iterator[Term]:
    for tester in dict.fromkeys(made.tester for made in new.constructors if made.tester not in ("", "=")):
        for made in new.constructors:
            says = App(Const(f"{new.name}.{to_isabelle(tester)}"), made.applied("x")[0])
            yield hol.trueprop(says if made.tester == tester else hol.apply(hol.NOT, says))
