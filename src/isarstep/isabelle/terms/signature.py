"""What exists: constants with most general types, abbreviations, type constructors with arities, classes, coercions.

docs/signature.md describes the JSON form. Which types belong to which classes is decided here; inference asks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_json
from isarstep.common.memo import MadeWhenAsked
from isarstep.isabelle.terms.terms import Sort, Term, Typ, Type
from isarstep.isabelle.terms.tokens import decode, encode_line
from isarstep.isabelle.terms.type_text import format_type, parse_type
from isarstep.isabelle.terms.types import parts_of_type

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant with its most general type; an abbreviation also has the term it stands for (types may be missing)."""

    name: str
    type: Typ
    abbreviates: Term | None = None


# The logical framework's own constants. No mined theory declares them, and every proposition may use them.
PURE = tuple(
    Constant(name, parse_type(text))
    for name, text in (
        ("Pure.all", "(fun (fun ?'a prop) prop)"),
        ("Pure.conjunction", "(fun prop (fun prop prop))"),
        ("Pure.eq", "(fun ?'a (fun ?'a prop))"),
        ("Pure.imp", "(fun prop (fun prop prop))"),
        ("Pure.prop", "(fun prop prop)"),
        ("Pure.sort_constraint", "(fun (itself ?'a) prop)"),
        ("Pure.term", "(fun ?'a prop)"),
        ("Pure.type", "(itself ?'a)"),
    )
)


@dataclass(frozen=True, slots=True)
class Coercion:
    """A function that may be left out between two types, such as `of_nat :: nat => int`."""

    term: Term  # closed; types may be missing
    type: Typ


class _WrittenConstants(MadeWhenAsked[Constant]):
    """Constants as they stand in a file, each parsed when it is first asked for: most jobs meet few of them."""

    def __init__(
        self, rows: Mapping[str, Sequence[str]], parsed: Mapping[str, Constant], constructors: dict[str, int]
    ) -> None:
        super().__init__({**dict.fromkeys(parsed, ("",)), **rows})  # for names and order
        self._made.update((name, constant) for name, constant in parsed.items() if name not in rows)
        self._constructors = constructors

    def make(self, name: str) -> Constant:
        text, *meaning = self._rows[name]
        made = Constant(name, parse_type(text), decode(meaning[0]) if meaning else None)
        _declare_constructors(made.type, self._constructors)
        return made

    def abbreviations(self) -> Iterator[str]:
        """Names of abbreviations; nothing is parsed."""
        parsed = (name for name, constant in self._made.items() if constant.abbreviates is not None)
        return chain((name for name, row in self._rows.items() if len(row) > 1), parsed)


class _WrittenArities(MadeWhenAsked[Mapping[str, tuple[Sort, ...]]]):
    """Arities as they stand in a file; what those of a constructor imply is worked out when it is first asked for."""

    def __init__(
        self, rows: Mapping[str, list[tuple[str, Sequence[Iterable[str]]]]], classes: Mapping[str, frozenset[str]]
    ) -> None:
        super().__init__(rows)
        self._classes = classes

    def make(self, constructor: str) -> Mapping[str, tuple[Sort, ...]]:
        return _add_implied({class_: _sorted(sorts) for class_, sorts in self._rows[constructor]}, self._classes)


def _sorted(sorts: Iterable[Iterable[str]]) -> tuple[Sort, ...]:
    return tuple([tuple(sorted(sort)) for sort in sorts])


def _add_implied(
    table: dict[str, tuple[Sort, ...]], classes: Mapping[str, frozenset[str]]
) -> dict[str, tuple[Sort, ...]]:
    """A type of a class is of all classes above it."""
    for class_, sorts in list(table.items()):
        for above in classes.get(class_, ()):
            table.setdefault(above, sorts)
    return table


def abbreviations_of(constants: Mapping[str, Constant]) -> Iterator[str]:
    """Names of those constants that are abbreviations; some tables need not look at each."""
    if hasattr(constants, "abbreviations"):
        return iter(constants.abbreviations())
    return (name for name, constant in constants.items() if constant.abbreviates is not None)


@dataclass(frozen=True, eq=False)
class Signature:
    """Constants, type constructors (number of arguments), classes (all super-classes), arities, coercions."""

    constants: Mapping[str, Constant]
    types: Mapping[str, int]
    classes: Mapping[str, frozenset[str]]
    arities: Mapping[str, Mapping[str, tuple[Sort, ...]]]  # constructor -> class -> sorts that the arguments must have
    coercions: tuple[Coercion, ...] = ()
    _minimal: dict[frozenset[str], Sort] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def build(
        constants: Iterable[Constant],
        types: Iterable[tuple[str, int]] = (),
        classes: Iterable[tuple[str, Iterable[str]]] = (),
        arities: Iterable[tuple[str, str, Iterable[Iterable[str]]]] = (),
        coercions: Iterable[Coercion] = (),
    ) -> Signature:
        """Complete what was declared: Pure, super-classes of super-classes, their arities, constructors in types."""
        supers = _close_classes({name: frozenset(above) for name, above in classes})
        by_type: dict[str, dict[str, tuple[Sort, ...]]] = {}
        for constructor, class_, sorts in arities:
            by_type.setdefault(constructor, {})[class_] = _sorted(sorts)
        constructors = dict(types)
        for constructor, table in by_type.items():
            constructors.setdefault(constructor, len(next(iter(table.values()))))
            _add_implied(table, supers)
        by_name = {constant.name: constant for constant in (*PURE, *constants)}
        for constant in by_name.values():
            _declare_constructors(constant.type, constructors)
        return Signature(by_name, constructors, supers, by_type, tuple(coercions))

    def subclass(self, lower: str, upper: str) -> bool:
        """Is every type of class `lower` also of class `upper`?"""
        return lower == upper or upper in self.classes.get(lower, ())

    def minimal(self, sort: Iterable[str]) -> Sort:
        """The same sort without classes that others in it imply."""
        key = frozenset(sort)
        known = self._minimal.get(key)
        if known is None:
            known = tuple(sorted(c for c in key if not any(c != d and c in self.classes.get(d, ()) for d in key)))
            self._minimal[key] = known
        return known

    def subsort(self, lower: Sort, upper: Sort) -> bool:
        """Does every type of sort `lower` belong to every class of `upper`?"""
        return all(any(self.subclass(c, u) for c in lower) for u in upper)

    def argument_sorts(self, constructor: str, sort: Sort) -> tuple[Sort, ...] | None:
        """The sorts that arguments need for the constructor's type to be of this sort; None: no arguments will do."""
        count = self.types.get(constructor, 0)
        needed: list[set[str]] = [set() for _ in range(count)]
        table = self.arities.get(constructor, {})
        for class_ in sort:
            arity = table.get(class_)
            if arity is None or len(arity) != count:
                return None
            for classes, more in zip(needed, arity, strict=True):
                classes.update(more)
        return tuple(self.minimal(classes) for classes in needed)

    def of_sort(self, typ: Typ, sort: Sort) -> bool:
        """Does the type belong to all classes of the sort?"""
        todo = [(typ, sort)]
        while todo:
            node, wanted = todo.pop()
            if not wanted:
                continue
            if type(node) is Type:
                sorts = self.argument_sorts(node.name, wanted)
                if sorts is None or len(sorts) != len(node.args):
                    return False
                todo.extend(zip(node.args, sorts, strict=True))
            elif not self.subsort(node.sort, wanted):
                return False
        return True

    def to_json(self) -> dict[str, Any]:
        """The document that docs/signature.md describes."""
        return {
            "format": FORMAT,
            "constants": [
                [c.name, format_type(c.type), *([encode_line(c.abbreviates)] if c.abbreviates is not None else [])]
                for c in self.constants.values()
            ],
            "types": [[name, count] for name, count in self.types.items()],
            "classes": [[name, sorted(above)] for name, above in self.classes.items()],
            "arities": [[t, c, sorts] for t, table in self.arities.items() for c, sorts in table.items()],
            "coercions": [[encode_line(c.term), format_type(c.type)] for c in self.coercions],
        }

    @staticmethod
    def from_json(document: Any, *, closed: bool = False) -> Signature:
        """Read `to_json`'s document. `closed`: every class is known to come with all that are above it."""
        try:
            if document["format"] != FORMAT:
                raise UserError(f"signature: format {document['format']} is unknown, this version reads {FORMAT}")
            signature = Signature.build(
                (),
                ((name, int(count)) for name, count in document["types"]),
                () if closed else document["classes"],
                coercions=(Coercion(decode(term), parse_type(typ)) for term, typ in document["coercions"]),
            )
            if closed:
                signature = replace(signature, classes={name: frozenset(above) for name, above in document["classes"]})
            rows = {row[0]: row[1:3] for row in document["constants"]}
            constructors = dict(signature.types)
            by_type: dict[str, list[tuple[str, Sequence[Iterable[str]]]]] = {}
            for constructor, class_, sorts in document["arities"]:
                by_type.setdefault(constructor, []).append((class_, sorts))
                constructors.setdefault(constructor, len(sorts))
            constants = _WrittenConstants(rows, signature.constants, constructors)
            arities = _WrittenArities(by_type, signature.classes)
            return replace(signature, constants=constants, types=constructors, arities=arities)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UserError(f"signature: not in the form of docs/signature.md ({error!r})") from error

    @staticmethod
    def load(path: Path | str) -> Signature:
        """Read a JSON file, plain or compressed (`.gz`, `.zst`)."""
        return Signature.from_json(load_document(path))


def from_zstandard(raw: bytes) -> bytes:
    """What lies in a Zstandard file."""
    import zstandard  # only here: models answer on machines that have torch and little else

    unpack = zstandard.ZstdDecompressor()
    if zstandard.get_frame_parameters(raw).content_size != zstandard.CONTENTSIZE_UNKNOWN:
        return unpack.decompress(raw)  # one call takes half the time
    return unpack.stream_reader(raw).readall()


def load_document(path: Path | str) -> dict[str, Any]:
    """The JSON document of a file, plain or compressed (`.gz`, `.zst`)."""
    document: dict[str, Any] = read_json(Path(path), "docs/signature.md describes such files", dict[str, Any])
    return document


def _close_classes(direct: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    closed = {name: above - {name} for name, above in direct.items()}
    while True:  # what a file has is closed already, and one look is enough
        more = {name: above.union(*(closed.get(each, ()) for each in above)) - {name} for name, above in closed.items()}
        if more == closed:
            return closed
        closed = more


def _declare_constructors(typ: Typ, constructors: dict[str, int]) -> None:
    for part in parts_of_type(typ):
        if type(part) is Type:
            constructors.setdefault(part.name, len(part.args))
