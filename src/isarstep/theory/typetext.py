"""Types as people write them: `nat ⇒ 'a list`, short names, `'a :: {order, zero}`; or in full, as benchmarks do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from isarstep.errors import UserError
from isarstep.logic.signature import Signature
from isarstep.logic.terms import TFree, Typ, Type, fun
from isarstep.logic.typestrings import parse_type

_TOKEN = re.compile(r"\s*(?:(⇒|=>|::|[(){},×*+])|('[A-Za-z_][A-Za-z0-9_']*)|([A-Za-z][A-Za-z0-9_'.]*))")
_DEEPEST = 100
_SHORT = {"×": "Product_Type.prod", "+": "Sum_Type.sum"}


def type_of_text(text: str, signature: Signature) -> Typ:
    """The type, its names found in the signature."""
    try:
        full = parse_type(text)
    except UserError:
        full = None
    if full is not None and known(full, signature):
        return full
    return _Reader(text, signature).whole()


def known(typ: Typ, signature: Signature) -> bool:
    if isinstance(typ, Type):
        return signature.types.get(typ.name) == len(typ.args) and all(known(arg, signature) for arg in typ.args)
    # Benchmarks write 'a :: C with blanks; without them it would all be the variable's name.
    return ":" not in typ.name and all(class_ in signature.classes for class_ in typ.sort)


class _Reader:
    def __init__(self, text: str, signature: Signature) -> None:
        self.text = text
        self.signature = signature
        self.tokens: list[str] = []
        self.sorts: dict[str, tuple[str, ...]] = {}
        self.place = 0
        self.depth = 0
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise UserError(f"type {text!r}: character {position + 1} belongs to no type")
            self.tokens.append((match[1] or match[2] or match[3]).replace("=>", "⇒").replace("*", "×"))
            position = match.end()

    def whole(self) -> Typ:
        typ = self.arrow()
        if self.place < len(self.tokens):
            raise self.wrong("the end")
        return typ

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def wrong(self, expected: str) -> UserError:
        return UserError(f"type {self.text!r}: found {self.next or 'the end'!r}, expected {expected}")

    def arrow(self) -> Typ:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.wrong("less nesting")
        left = self.infix(["+", "×"])
        if self.next == "⇒":
            self.place += 1
            left = fun(left, self.arrow())
        self.depth -= 1
        return left

    def infix(self, signs: list[str]) -> Typ:
        """Sums of products; both associate to the right."""
        if not signs:
            return self.applied()
        parts = [self.infix(signs[1:])]
        while self.next == signs[0]:
            self.place += 1
            parts.append(self.infix(signs[1:]))
        typ = parts.pop()
        while parts:
            typ = Type(_SHORT[signs[0]], (parts.pop(), typ))
        return typ

    def applied(self) -> Typ:
        """An atom and the constructors behind it."""
        arguments: list[Typ]
        token = self.next
        if token == "(":
            self.place += 1
            arguments = [self.arrow()]
            while self.next == ",":
                self.place += 1
                arguments.append(self.arrow())
            if self.next != ")":
                raise self.wrong("',' or ')'")
            self.place += 1
        elif token.startswith("'"):
            self.place += 1
            arguments = [TFree(token, self.sort(token))]
        elif token and token[0].isalpha():
            self.place += 1
            arguments = [self.constructor(token, ())]
        else:
            raise self.wrong("a type")
        while self.next and self.next[0].isalpha():
            self.place += 1
            arguments = [self.constructor(self.tokens[self.place - 1], tuple(arguments))]
        if len(arguments) > 1:
            raise self.wrong("the name of a type with several arguments")
        return arguments[0]

    def sort(self, variable: str) -> tuple[str, ...]:
        """A sort stands once; elsewhere the variable has the same."""
        if self.next == "::":
            self.place += 1
            names = []
            if self.next == "{":
                while self.next in ("{", ","):
                    self.place += 1
                    if self.next != "}":
                        names.append(self.next)
                        self.place += 1
                if self.next != "}":
                    raise self.wrong("',' or '}'")
                self.place += 1
            else:
                names.append(self.next)
                self.place += 1
            self.sorts[variable] = tuple(sorted({self.find(n, self.signature.classes, "class") for n in names}))
        return self.sorts.get(variable, ("HOL.type",) if "HOL.type" in self.signature.classes else ())

    def constructor(self, name: str, arguments: tuple[Typ, ...]) -> Typ:
        fitting = [full for full, count in self.signature.types.items() if count == len(arguments)]
        return Type(self.find(name, fitting, f"type of {len(arguments)} arguments"), arguments)

    def find(self, name: str, names: Iterable[str], what: str) -> str:
        """By full name or the end of it; of several the one with the most instances, which is the usual one."""
        found = [full for full in names if full == name or full.endswith("." + name)]
        if not found:
            raise UserError(f"type {self.text!r}: there is no {what} called {name!r}")
        return max(found, key=lambda full: (full == name, len(self.signature.arities.get(full, ())), full))
