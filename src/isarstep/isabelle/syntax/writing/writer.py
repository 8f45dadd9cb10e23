"""Write terms so that Isabelle reads them back in the same context: by the mined formats, priorities and print rules.

Constants get the shortest name that means them there; bound variables keep their names where nothing else has them.
Lists, sets, tuples, numbers and strings are written by hand, as they are read by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.inner_tokens import LETTER
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.grammar.parser import APPLICATION, MAX_PRIORITY
from isarstep.isabelle.syntax.grammar.patterns import (
    CASE_PROD,
    NUMERAL,
    TAKES_PROPOSITIONS,
    Variables,
    abstraction,
    is_meta,
    numeral_value,
    shown_tuple,
)
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle
from isarstep.isabelle.syntax.writing.print_formats import BINDER, CONST, Format, formats_of
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TFree,
    TVar,
    Typ,
    Type,
    Var,
    applied_constant,
    head_name,
    occurs_bound,
    strip_comb,
)

_TYPE = "\\<^type>"
_ENUMERATIONS = {
    "List.list.Cons": ("List.list.Nil", "[", "]"),
    "Set.insert": ("Set.empty", "{", "}"),
    "Product_Type.Pair": ("", "(", ")"),
}
_SPECIAL = frozenset((NUMERAL, CASE_PROD, "Pure.type", "Set.Collect", "HOL.eq", *_ENUMERATIONS))
_SYMBOLIC = frozenset("!#$%&*+-/:<=>?@\\^|~.")  # ASCII that could grow together with its like; brackets do not
_IN_NAMES = re.compile(rf"[{LETTER}0-9_'][{LETTER}0-9_'⇩₀-₉]")  # for Isabelle σx is a name

_BOOL = Type("HOL.bool")
_TRUTHS = frozenset(
    ("HOL.eq", "HOL.not_equal", "HOL.conj", "HOL.disj", "HOL.implies", "HOL.Not", "HOL.All", "HOL.Ex", "Set.member")
)


def write_formula(
    term: Term,
    language: Language,
    *,
    prop: bool = True,
    names: Mapping[str, str] | None = None,
    typed: bool = False,
    functions: bool = False,
) -> str:
    """The text of a proposition (or, without `prop`, of any term). `names` says how variables are called.

    With `typed`, bound variables and constants whose type nothing else decides carry it, with `functions` even those
    that are applied to something.
    """
    writer = _Writer(language, {} if names is None else names, typed)
    writer.functions = functions
    writer.note_names(term)
    try:
        return writer.proposition(term, 0) if prop else writer.term(term, 0)
    except RecursionError:
        raise UserError("a term that is nested too deeply to be written") from None


def write_type(typ: Typ, language: Language, low: int = 0, *, sorts: bool = False) -> str:
    """A type as people write it; with `sorts`, its variables with theirs."""
    if type(typ) is TFree:
        classes = [language.classes.shortest(c) for c in typ.sort if c != "HOL.type"] if sorts else []
        if not classes:
            return typ.name
        sort = classes[0] if len(classes) == 1 else "{" + ", ".join(classes) + "}"
        return f"({typ.name}::{sort})"
    if type(typ) is TVar:
        return f"?{typ.name}" + (f".{typ.index}" if typ.index > 0 else "")
    count = len(typ.args)
    form = formats_of(language).find(_TYPE + typ.name, count)
    if form is not None and form.arguments == count and count:
        parts = iter(typ.args)
        text = "".join(p if type(p) is str else write_type(next(parts), language, p, sorts=sorts) for p in form.pieces)  # type: ignore[arg-type]
        return f"({text})" if form.priority < low else text
    name = from_isabelle(language.types.shortest(typ.name))
    if count == 0:
        return name
    if count == 1:
        return f"{write_type(typ.args[0], language, MAX_PRIORITY, sorts=sorts)} {name}"
    return f"({', '.join(write_type(argument, language, sorts=sorts) for argument in typ.args)}) {name}"


class _Writer:
    """One term."""

    def __init__(self, language: Language, names: Mapping[str, str], typed: bool) -> None:
        self.language = language
        self.names = names
        self.typed = typed
        self.functions = False
        self.formats = formats_of(language)
        self.judgment = language.judgment
        self.scope: list[str] = []
        self.shown: dict[str, str] = {}  # free variables
        self.taken: set[str] = set()
        self.words = language.lexicon.words

    def note_names(self, term: Term) -> None:
        """Names that bound variables must not have: those of the free variables."""
        todo = [term]
        shown = self.shown
        while todo:
            node = todo.pop()
            while type(node) is App:
                todo.append(node.arg)
                node = node.fun
            if type(node) is Abs:
                todo.append(node.body)
            elif type(node) is Free and node.name not in shown:
                called = self.names.get(node.name)
                shown[node.name] = from_isabelle(node.name) if called is None else called
        self.taken.update(shown.values())

    def proposition(self, term: Term, low: int) -> str:
        if type(term) is App and type(term.fun) is Const and term.fun.name == self.judgment:
            if not is_meta(term.arg):
                return self.term(term.arg, low)
        elif is_meta(term) or self.language.takes_propositions(head_name(term)):
            return self.term(term, low)
        return self.bracketed(f"PROP {self.term(term, MAX_PRIORITY)}", MAX_PRIORITY, low)

    @staticmethod
    def bracketed(text: str, priority: int, low: int) -> str:
        return f"({text})" if priority < low else text

    def term(self, term: Term, low: int) -> str:
        kind = type(term)
        if kind is App:
            head, arguments = strip_comb(term)
            if type(head) is Const:
                return self.constant(head, arguments, low)
            return self.application(self.term(head, MAX_PRIORITY), arguments, low)
        if kind is Const:
            return self.constant(term, [], low)  # type: ignore[arg-type]
        if kind is Abs:
            return self.function(term, low)
        if kind is Free:
            return self.shown[term.name]  # type: ignore[union-attr]
        if kind is Bound:
            index = term.index  # type: ignore[union-attr]
            if index >= len(self.scope):
                raise UserError("a bound variable that nothing binds cannot be written")
            return self.scope[-1 - index]
        assert isinstance(term, Var)
        return self.names.get(term.name) or schematic_name(term) if term.name[:1] == "<" else schematic_name(term)

    def application(self, function: str, arguments: list[Term], low: int) -> str:
        texts = [self.term(argument, MAX_PRIORITY) for argument in arguments]
        return self.bracketed(" ".join([function, *texts]), APPLICATION, low)

    # Constants

    def constant(self, head: Const, arguments: list[Term], low: int) -> str:
        name, count = head.name, len(arguments)
        if name == self.judgment:  # where no proposition is expected, it must be said
            return self.application(self.name(head), arguments, low) if arguments else self.name(head)
        if name in _SPECIAL and (special := self.by_hand(head, arguments, low)) is not None:
            return special
        for rule in self.formats.rules.get(name, ()):
            found: dict[str, Any] = {}
            if len(rule.patterns) == count and all(map(_match, rule.patterns, arguments, repeat(found))):
                return self.tree(rule.tree, found, low)
        binder = self.formats.formats.get(BINDER + name) if count == 1 else None
        if binder and (parts := abstraction(arguments[0])) is not None and len(parts[0]) == 1:
            return self.binder(name, binder[0], arguments[0], low)
        form = self.formats.find(CONST + name, count)
        if form is None:
            if count == 0:
                return self.name(head)
            return self.application(self.name(head), arguments, low)
        if form.arguments < count:
            inner = self.fill(form, arguments[: form.arguments], MAX_PRIORITY, name)
            return self.application(inner, arguments[form.arguments :], low)
        text = self.fill(form, arguments, low, name)
        return self.constrained(text, head) if self.typed and count == 0 else text

    def name(self, head: Const) -> str:
        name = head.name
        shown = from_isabelle(self.language.constants.shortest(name))
        if shown in self.taken or shown in self.scope:
            shown = from_isabelle(name)
        if self.typed and head.type is not None:
            return self.constrained(shown, head)
        return shown

    def constrained(self, text: str, head: Const) -> str:
        """With its type, where the constant's type has variables and the type is known."""
        declared = self.language.signature.constants.get(head.name)
        if head.type is None or declared is None:
            return text
        if type(head.type) is Type and head.type.name == "fun" and not self.functions:
            return text
        if declared.type == head.type:
            return text
        return f"({text}::{write_type(head.type, self.language, sorts=True)})"

    def fill(self, form: Format, arguments: list[Term], low: int, name: str) -> str:
        propositions = name in TAKES_PROPOSITIONS or self.language.takes_propositions(name)
        write = self.proposition if propositions else self.term
        parts = iter(arguments)
        texts = [p if type(p) is str else write(next(parts), p) for p in form.pieces]  # type: ignore[arg-type]
        return self.bracketed(joined(texts), form.priority, low)

    # Binders and rules

    def binder(self, name: str, form: Format, function: Term, low: int) -> str:
        """`∀x y. P`, all variables that the same constant binds one after the other."""
        shown: list[str] = []
        body: Term = function
        while True:
            assert type(body) is Abs
            shown.append(self.enter(body))
            body = body.body
            again = type(body) is App and type(body.fun) is Const and body.fun.name == name and type(body.arg) is Abs
            if not again:
                break
            body = body.arg  # type: ignore[union-attr]
        inner = [p for p in form.pieces if type(p) is int][-1]
        text = self.proposition(body, inner) if name in TAKES_PROPOSITIONS else self.term(body, inner)
        self.leave(len(shown))
        filled = iter([" ".join(shown), text])
        return self.bracketed(joined([p if type(p) is str else next(filled) for p in form.pieces]), form.priority, low)

    def function(self, term: Term, low: int) -> str:
        shown: list[str] = []
        entered = 0
        while (parts := abstraction(term)) is not None:
            variables, body = parts
            shown.append(self.enter_all(variables, term))
            entered += sum(1 for v in variables if v is not None)
            term = body
        text = f"λ{' '.join(shown)}. {self.term(term, 3)}"
        self.leave(entered)
        return self.bracketed(text, 3, low)

    def enter(self, function: Abs) -> str:
        name = self.fresh(function.name)
        self.scope.append(name)
        if self.typed and function.type is not None:
            return f"({name}::{write_type(function.type, self.language, sorts=True)})"
        return name

    def enter_all(self, variables: Variables, function: Term) -> str:
        if len(variables) == 1:
            assert type(function) is Abs
            return self.enter(function)
        names: list[str] = []
        for entry in variables:
            if entry is not None:
                names.append(self.fresh(entry))
                self.scope.append(names[-1])
        return shown_tuple(names, variables)

    def leave(self, count: int) -> None:
        if count:
            del self.scope[-count:]

    def fresh(self, hint: str) -> str:
        base = from_isabelle(hint).strip("_") or "x"
        if base == "uu":
            base = "x"
        name = base
        number = 0
        resolve = self.language.constants.resolve
        while name in self.taken or name in self.scope or name in self.words or resolve(name) is not None:
            number += 1
            name = f"{base}{number}" if not base[-1:].isdigit() else f"{base}'{number}"
        return name

    def tree(self, tree: Any, found: dict[str, Any], low: int) -> str:
        """A tree of heads over what a rule has found; a function's variable comes into scope for its body only."""
        if isinstance(tree, str):
            if tree[0] != "?":
                return from_isabelle(tree)
            return self.piece(found[tree], found, low)
        form = self.formats.find(tree[0], len(tree) - 1)
        if form is None:
            raise UserError(f"no way to write {tree[0]}")
        parts = iter(tree[1:])
        applied = form.arguments < len(tree) - 1
        # the variable is named first, so that its place and its body agree, wherever they stand
        texts = [p if type(p) is str else self.tree(next(parts), found, p) for p in form.pieces]  # type: ignore[arg-type]
        text = self.bracketed(joined(texts), form.priority, MAX_PRIORITY if applied else low)
        if not applied:
            return text
        return self.bracketed(
            " ".join([text, *(self.tree(each, found, MAX_PRIORITY) for each in parts)]), APPLICATION, low
        )

    def piece(self, item: Any, found: dict[str, Any], low: int) -> str:
        if isinstance(item, _Variable):
            return self.named(item.function)[0]
        if isinstance(item, _Body):
            _, entered = self.named(item.function)
            self.scope.extend(entered)
            text = self.term(item.term, low)
            self.leave(len(entered))
            return text
        return self.term(item, low)

    def named(self, function: Term) -> tuple[str, list[str]]:
        """How an abstraction shows its variables, and their names; the same answer whenever it is asked."""
        parts = abstraction(function)
        assert parts is not None
        before = len(self.scope)
        shown = self.enter_all(parts[0], function)
        entered = self.scope[before:]
        self.leave(len(entered))
        return shown, entered

    # By hand

    def by_hand(self, head: Const, arguments: list[Term], low: int) -> str | None:
        name, count = head.name, len(arguments)
        if name == NUMERAL and count:
            value = numeral_value(arguments[0])
            if value is None:
                return None
            text = str(value)
            if self.typed and head.type is not None and type(head.type) is Type and len(head.type.args) == 2:
                text = f"({text}::{write_type(head.type.args[1], self.language, sorts=True)})"
            return self.application(text, arguments[1:], low) if count > 1 else text
        if name in _ENUMERATIONS and count == 2:
            return self.enumeration(name, arguments)
        if name == "Pure.type" and count == 0 and head.type is not None and type(head.type) is Type:
            return f"TYPE({write_type(head.type.args[0], self.language, sorts=True)})"
        if name == CASE_PROD and count and abstraction(App(head, arguments[0])) is not None:
            if count == 1:
                return self.function(App(head, arguments[0]), low)
            return self.application(self.function(App(head, arguments[0]), MAX_PRIORITY), arguments[1:], low)
        if name == "HOL.eq" and count == 2 and self.between_truths(head, arguments):
            left, right = (self.term(argument, low_) for argument, low_ in zip(arguments, (26, 25), strict=True))
            return self.bracketed(f"{left} ⟷ {right}", 25, low)
        if name == "Set.Collect" and count == 1 and (image := _image_set(arguments[0])) is not None:
            return self.set_of_images(*image)
        return None

    def between_truths(self, head: Const, arguments: list[Term]) -> bool:
        """Is this an equation of truth values, which reads better as ⟷?"""
        if "⟷" not in self.words:
            return False
        if head.type is not None:
            return type(head.type) is Type and head.type.args[0] == _BOOL
        return any(head_name(argument) in _TRUTHS for argument in arguments)

    def enumeration(self, name: str, arguments: list[Term]) -> str | None:
        nil, opening, closing = _ENUMERATIONS[name]
        elements, rest = [arguments[0]], arguments[1]
        while (both := hol.dest_binary(name, rest)) is not None:
            elements.append(both[0])
            rest = both[1]
        if not nil:
            elements.append(rest)
        elif type(rest) is not Const or rest.name != nil:
            return None
        if name == "List.list.Cons" and (text := _string(elements)) is not None:
            return text
        return opening + ", ".join(self.term(element, 0) for element in elements) + closing

    def set_of_images(self, functions: list[Abs], element: Term, condition: Term) -> str:
        """`{f x |x. P x}`; the variable of the set itself is not written."""
        self.scope.append("")
        shown = [self.enter(function) for function in functions]
        text = f"{{{self.term(element, 0)} |{' '.join(shown)}. {self.term(condition, 0)}}}"
        self.leave(len(functions) + 1)
        return text


@dataclass(frozen=True, slots=True)
class _Variable:
    function: Term


@dataclass(frozen=True, slots=True)
class _Body:
    function: Term
    term: Term


def _match(pattern: Any, term: Term, found: dict[str, Any]) -> bool:
    if isinstance(pattern, str):
        if pattern[0] == "?":
            found[pattern] = term
            return True
        return type(term) is Const and CONST + term.name == pattern
    if pattern[0] == "_abs":
        parts = abstraction(term)
        if parts is None:
            return False
        found[pattern[1]] = _Variable(term)
        found[pattern[2]] = _Body(term, parts[1])
        return True
    name, arguments = applied_constant(term)
    if CONST + name != pattern[0] or len(arguments) != len(pattern) - 1:
        return False
    return all(_match(p, t, found) for p, t in zip(pattern[1:], arguments, strict=True))


def _image_set(function: Term) -> tuple[list[Abs], Term, Term] | None:
    """`λu. ∃x y. u = f x y ∧ P x y` taken apart."""
    if type(function) is not Abs:
        return None
    functions: list[Abs] = []
    body = function.body
    while type(body) is App and type(body.fun) is Const and body.fun.name == "HOL.Ex" and type(body.arg) is Abs:
        functions.append(body.arg)
        body = body.arg.body
    depth = len(functions)
    both = hol.dest_binary(hol.CONJ, body)
    sides = None if both is None else hol.dest_binary(hol.EQ, both[0])
    if not functions or both is None or sides is None or sides[0] != Bound(depth):
        return None
    if occurs_bound(sides[1], depth) or occurs_bound(both[1], depth):
        return None
    return functions, sides[1], both[1]


def _string(elements: list[Term]) -> str | None:
    """Characters given bit by bit, as a string, where all of them may stand in one."""
    codes = []
    for element in elements:
        bits: list[str] = []
        while type(element) is App and type(element.arg) is Const:
            bits.append(element.arg.name)
            element = element.fun
        if type(element) is not Const or element.name != "String.char.Char" or len(bits) != 8:
            return None
        codes.append(sum((bit == "HOL.True") << i for i, bit in enumerate(reversed(bits))))
    text = "".join(map(chr, codes))
    return f"''{text}''" if all(32 <= code < 127 and chr(code) not in "'\\\"" for code in codes) else None


def schematic_name(variable: Var) -> str:
    """`?x`, or `?x1.0` where the name alone could be mistaken for a name with an index."""
    name = from_isabelle(variable.name)
    return f"?{name}.{variable.index}" if variable.index or name[-1:].isdigit() else f"?{name}"


def joined(texts: list[str]) -> str:
    """Pieces of text, with a blank where two of them would otherwise be read as one."""
    out = ""
    for text in texts:
        if out and text:
            meeting = out[-1] + text[0]
            # `τ.` and `x`: Isabelle reads `τ.x` as one name.
            qualified = text[0].isalpha() and out[-1] == "." and out[-2:-1].isalnum()
            if qualified or _SYMBOLIC.issuperset(meeting) or _IN_NAMES.match(meeting):
                out += " "
        out += text
    return out
