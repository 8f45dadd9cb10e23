"""Records as they are written: `⦇x = 1, y = 2⦈`, `r⦇x := 1⦈`, `⦇x :: nat, y :: 'a⦈`.

A record is a chain: the constructor of each record in a hierarchy takes its own fields, and then what extends it. All
fields of one stand together, in the order of its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol

from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.parser import Tree, row_of
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.terms.signature import Constant
from isarstep.isabelle.terms.terms import Abs, Const, Term, TVar, Typ, Type, funs, list_comb, strip_fun
from isarstep.isabelle.terms.types import instantiate_type, match_type

UNITY, UNIT = "Product_Type.Unity", Type("Product_Type.unit")


class Reader(Protocol):
    """What code for syntax uses of the translator, whose file needs that code."""

    language: Language
    bound: Mapping[str, Term]
    scope: dict[str, list[int | str]]
    depth: int
    structures: tuple[str, ...]

    def term(self, tree: Tree) -> Term: ...
    def rewrite(self, head: str, tree: Tree) -> Tree | None: ...
    def proposition(self, tree: Tree) -> Term: ...
    def typ(self, tree: Tree) -> Typ: ...
    def constrain(self, term: Term, typ: Typ) -> Term: ...
    def nested(self, variables: Tree, body: Tree) -> Tree: ...
    def abstraction(self, pattern: Tree, body: Tree | Callable[[], Term]) -> Term: ...
    def binder(self, name: str, variables: Tree, body: Tree | Callable[[], Term]) -> Term: ...
    def lifted(self, tree: Tree) -> Term: ...
    def pattern_variables(self, pattern: Tree, names: list[str]) -> dict[str, str]: ...


def record_maker(owner: str) -> str:
    """The constructor of a record, and the name of its type, from what the names of its fields begin with."""
    return f"{owner}.{owner.rpartition('.')[2]}_ext"


def record_levels(typ: Typ, constants: Mapping[str, Constant]) -> tuple[list[tuple[Const, list[Typ]]], Typ]:
    """The constructors of a type's hierarchy of records from the first one on, each with the types of its own fields,
    and the type of what extends the last one."""
    found = []
    while type(typ) is Type and typ.name.endswith("_ext") and typ.name in constants and typ.args:
        wanted, result = strip_fun(constants[typ.name].type)
        assert isinstance(result, Type)
        values = dict(zip(result.args, typ.args, strict=True))
        types = [instantiate_type(each, values) for each in wanted]
        found.append((Const(typ.name, funs(types, typ)), types[:-1]))
        typ = typ.args[-1]
    return found, typ


def record_made(levels: Iterable[tuple[Const, int]], values: Sequence[Term], more: Term) -> Term:
    """The record of these constructors, which take so many of the values, and of what extends it."""
    rest = list(values)
    for maker, count in reversed(list(levels)):
        more = list_comb(maker, [*rest[len(rest) - count :], more])
        del rest[len(rest) - count :]
    return more


def record_update(reader: Reader, record: Tree, updates: Tree) -> Term:
    made = reader.term(record)
    for name, value in _pairs(updates, "_field_updates"):
        update = reader.language.constants.resolve(to_isabelle(f"{name}_update"))
        if update is None:
            raise _no_field(name)
        made = list_comb(Const(update), [Abs("uu_", None, reader.lifted(value)), made])
    return made


def record_value(reader: Reader, fields: Tree, more: Tree | None = None) -> Term:
    chain = _chain(reader.language, fields, "_fields")
    parts = [(maker, [reader.term(value) for value in values]) for maker, values in chain]
    made = Const(UNITY) if more is None else reader.term(more)
    for maker, arguments in reversed(parts):
        made = list_comb(Const(maker), [*arguments, made])
    return made


def record_type(reader: Reader, fields: Tree, more: Tree | None = None) -> Typ:
    chain = _chain(reader.language, fields, "_field_types")
    parts = [(maker, [reader.typ(value) for value in values]) for maker, values in chain]
    made: Typ = UNIT if more is None else reader.typ(more)
    for maker, arguments in reversed(parts):
        wanted, result = strip_fun(reader.language.signature.constants[maker].type)
        assert isinstance(result, Type)
        found: dict[Typ, Typ] = {}
        if not all(match_type(*pair, found) for pair in zip(wanted, arguments, strict=False)):
            raise ReadError(0, None, "fields of a record at their types")
        values = [found[each] for each in result.args[:-1] if isinstance(each, TVar)]
        made = Type(result.name, (*values, made))
    return made


def _chain(language: Language, fields: Tree, row: str) -> list[tuple[str, list[Tree]]]:
    """The constructors of the records to which the fields belong, and what stands there for the fields of each."""
    found: list[tuple[str, Tree]] = []
    for name, value in _pairs(fields, row):
        full = language.constants.resolve(to_isabelle(str(name)))
        if full is None:
            raise _no_field(name)
        found.append((full, value))
    chain = []
    for owner, group in groupby(found, key=lambda pair: pair[0].rpartition(".")[0]):
        members = list(group)
        maker = language.signature.constants.get(record_maker(owner))
        known = language.records.get(owner, [name for name, _ in members])
        if maker is None or len(strip_fun(maker.type)[0]) != len(members) + 1 or known != [n for n, _ in members]:
            raise ReadError(0, None, "all fields of a record in their order")
        chain.append((maker.name, [value for _, value in members]))
    return chain


def _pairs(tree: Tree, row: str) -> list[tuple[Any, Tree]]:
    """Names and what stands behind them."""
    return [(field[1] if type(field) is tuple else field, value) for _, field, value in row_of(row, tree)]


def _no_field(name: Any) -> ReadError:
    return ReadError(max(getattr(name, "start", 0), 0), str(name), "a field of a record")
