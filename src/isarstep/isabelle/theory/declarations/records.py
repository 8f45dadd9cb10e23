"""`record`: its types, fields, updates and constructor, and what holds of them; also of one that extends another.

A record over a parent is the parent with the new fields in the place of what extends it: `'a point_scheme` is
`'a point_ext` there, and `(('a, 'b) colour_ext) point_ext` for a `colour` that extends a `point`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.syntax.reading.record_syntax import UNIT, UNITY, record_levels, record_made, record_maker
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import App, Const, Term, TFree, Typ, Type, Var, fun, funs, list_comb, strip_fun
from isarstep.isabelle.theory.environment.declarations import closed_fact, type_parameters
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import ANY_SORT, NotRead, read_written_type, type_names

_MORE = "more"
MOST_LEVELS = 10  # that a record extends: its facts have as many parts as the square of all fields


@dataclass(frozen=True)
class _Field:
    name: str
    type: Typ
    mixfix: Sequence[SourceToken]


@dataclass(frozen=True)
class _Level:
    """A record of the hierarchy: its constructor, how many fields it has, and their full names where they are known."""

    maker: str
    count: int
    fields: tuple[str, ...] | None


def record(context: OwnContext, reader: TokenReader) -> None:
    reader.option("overloaded")
    if context.target is not None:
        raise reader.refused("a record inside a context is not read")
    begin = reader.at
    parameters = type_parameters(reader)
    if any(token.keyword("::") for token in reader.tokens[begin : reader.at]):
        raise reader.refused("a record for types of some sort is not read")
    name = reader.name()
    reader.expect("=")
    above: Typ = UNIT
    place = reader.place
    following = reader.ahead()
    if following is not None and following.keyword("+"):
        above = read_written_type(reader.type(), context.scope())
        reader.expect("+")
    fields = []
    while reader.here is not None:
        base = to_isabelle(reader.name().text)
        reader.expect("::")
        fields.append(_Field(base, read_written_type(reader.type(), context.scope()), reader.mixfix()))
    names = [each.name for each in fields]
    if not fields or len(set(names)) < len(names) or _MORE in names:
        raise NotRead(context.source, name.start, "a record of different fields, none of them `more`, is expected")
    if type_names([above, *(each.type for each in fields)]) - set(parameters):
        raise NotRead(context.source, name.start, "a type variable is no parameter of the record")
    levels = _levels(context, above, place)
    _declare(context, to_isabelle(name.text), parameters, above, fields, levels)


def _levels(context: OwnContext, above: Typ, place: int) -> list[_Level]:
    """The records that the new one extends, from the first on."""
    known = context.language.records
    levels, rest = record_levels(above, context.signature.constants)
    if rest != UNIT:
        raise NotRead(context.source, place, "this is no record that could be extended")
    owners = ((maker.name, len(types), known.get(maker.name.rpartition(".")[0])) for maker, types in levels)
    if len(levels) > MOST_LEVELS:
        raise NotRead(context.source, place, f"unsupported: a record that extends more than {MOST_LEVELS} others")
    return [_Level(name, count, None if fields is None else tuple(fields)) for name, count, fields in owners]


def _extended(above: Typ, inner: Typ) -> Typ:
    """The type of a record with something else in the place of what extends it."""
    if above == UNIT:
        return inner
    assert isinstance(above, Type)
    return Type(above.name, (*above.args[:-1], _extended(above.args[-1], inner)))


def _declare(
    context: OwnContext,
    name: str,
    parameters: Sequence[str],
    above: Typ,
    fields: Sequence[_Field],
    parents: Sequence[_Level],
) -> None:
    owner = f"{context.theory}.{name}"
    open_name = "'z"
    while open_name in parameters:
        open_name += "a"
    rest = TFree(open_name, ANY_SORT)
    inside = type_names(each.type for each in fields)
    own = [TFree(each, ANY_SORT) for each in parameters if each in inside]
    maker = record_maker(owner)
    context.declare_type(maker.removeprefix(f"{context.theory}."), len(own) + 1)
    part, whole_part = Type(maker, (*own, rest)), Type(maker, (*own, UNIT))
    scheme, whole = _extended(above, part), _extended(above, whole_part)
    context.declare_constant(maker, funs([*(each.type for each in fields), rest], part))
    context.declare_synonym(name, parameters, whole)
    context.declare_synonym(f"{name}_scheme", [*parameters, open_name], scheme)
    pairs = [(each.name, each.type) for each in fields] + [(_MORE, rest)]
    for field, typ in pairs:
        context.declare_constant(f"{owner}.{field}", fun(scheme, typ))
    for field, typ in pairs:
        context.declare_constant(f"{owner}.{field}_update", funs([fun(typ, typ), scheme], scheme))
    before = [each for _, own_types in record_levels(above, context.signature.constants)[0] for each in own_types]
    types = [each.type for each in fields]
    context.declare_constant(f"{owner}.make", funs([*before, *types], whole))
    context.declare_constant(f"{owner}.fields", funs(types, whole_part))
    context.declare_constant(f"{owner}.extend", funs([whole, rest], scheme))
    context.declare_constant(f"{owner}.truncate", fun(scheme, whole))
    context.language.records[owner] = [f"{owner}.{each.name}" for each in fields]
    for each in fields:
        context.add_mixfix(each.mixfix, f"{owner}.{each.name}", 1 + len(strip_fun(each.type)[0]))
    here = _Level(maker, len(fields), tuple(context.language.records[owner]))
    _facts(context, name, [*parents, here])


def _made(levels: Sequence[_Level], values: Sequence[Term], more: Term) -> Term:
    """The record with these fields."""
    return record_made([(Const(level.maker), level.count) for level in levels], values, more)


def _facts(context: OwnContext, name: str, levels: Sequence[_Level]) -> None:
    *parents, here = levels
    assert here.fields is not None
    own = [*here.fields, f"{here.maker.rpartition('.')[0]}.{_MORE}"]
    before = sum(level.count for level in parents)
    variables: list[Term] = [Var(f"x{place}", 0) for place in range(before)]
    variables += [Var(full.rpartition(".")[2], 0) for full in here.fields]
    more = Var(_MORE, 0)
    everything = [*variables, more]
    value = _made(levels, variables, more)

    def add(base: str, props: Sequence[Term], *, simp: bool = False) -> None:
        context.add_facts(f"{name}.{base}", [closed_fact(context, prop) for prop in props], simp=simp)

    selected = [_equation(App(Const(full), value), each) for full, each in zip(own, everything[before:], strict=True)]
    updated = []
    for place, full in enumerate(own, before):
        change = Var(f"{full.rpartition('.')[2]}'", 0)
        changed = [App(change, each) if i == place else each for i, each in enumerate(everything)]
        left = list_comb(Const(f"{full}_update"), [change, value])
        updated.append(_equation(left, _made(levels, changed[:-1], changed[-1])))
    add("select_convs", selected)
    add("update_convs", updated)
    add("simps", [*selected, *updated], simp=True)
    inject = _injectivity(here)
    add("ext_inject", [inject])
    add("iffs", [inject], simp=True)
    all_fields = [full for level in levels for full in level.fields or ()]
    if len(all_fields) < len(variables):
        return  # the order of a parent's fields is not known
    r, s = Var("r", 0), Var("r'", 0)
    selectors = [Const(full) for full in (*all_fields, own[-1])]
    of_r = [App(selector, r) for selector in selectors]
    add("surjective", [_equation(r, _made(levels, of_r[:-1], of_r[-1]))])
    same = [_equation(App(selector, r), App(selector, s)) for selector in selectors]
    add("equality", [hol.list_pure_imp(same, _equation(r, s))])
    owner, unity = here.maker.rpartition(".")[0], Const(UNITY)
    made_def = _equation(list_comb(Const(f"{owner}.make"), variables), _made(levels, variables, unity))
    part_def = _equation(list_comb(Const(f"{owner}.fields"), variables[before:]), _made([here], variables, unity))
    extend_def = _equation(list_comb(Const(f"{owner}.extend"), [r, more]), _made(levels, of_r[:-1], more))
    truncate_def = _equation(App(Const(f"{owner}.truncate"), r), _made(levels, of_r[:-1], unity))
    definitions = {"make": made_def, "fields": part_def, "extend": extend_def, "truncate": truncate_def}
    for base, prop in definitions.items():
        add(f"{base}_def", [prop])
    add("defs", list(definitions.values()))


def _equation(left: Term, right: Term) -> Term:
    return hol.trueprop(hol.eq(left, right))


def _injectivity(level: _Level) -> Term:
    assert level.fields is not None
    names = [*(full.rpartition(".")[2] for full in level.fields), _MORE]
    xs, ys = [Var(each, 0) for each in names], [Var(f"{each}'", 0) for each in names]
    parts = [hol.eq(x, y) for x, y in zip(xs, ys, strict=True)]
    maker = Const(level.maker)
    return _equation(hol.eq(list_comb(maker, xs), list_comb(maker, ys)), hol.list_conj(parts))
