"""Names, symbols and words that a command which is not read may have brought, and constants that a command makes beside
what it names: a text with one of them is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from itertools import dropwhile, pairwise, product

from isarstep.isabelle.syntax.grammar.symbols import normal
from isarstep.isabelle.theory.text.source import OuterCommand

_BETWEEN = re.compile(r"[\s_()/]+|'(?=[^\w])")
_NAME = re.compile(r"[^\W\d][\w']*")
_INFIX = ("infix", "infixl", "infixr", "binder")
_BOTH, _READ, _PRINTED = ("==", "\\<rightleftharpoons>"), ("=>", "\\<rightharpoonup>"), ("<=", "\\<leftharpoondown>")
IN_CODE = ("ML", "setup", "local_setup", "ML_file", "declaration", "syntax_declaration", "overloading")
# They declare nothing that has a name of one part, but for what stands behind `defines`.
_ABOUT_OTHERS = (
    "instantiation", "instance", "interpretation", "sublocale", "global_interpretation", "subclass", "setup_lifting",
    "lifting_forget", "lifting_update", "code_pred", "functor", "bnf", "lift_bnf", "fun_cases", "inductive_cases",
    "inductive_simps", "extract", "extract_type", "realizers", "realizability", "datatype_compat", "simproc_setup",
    "method_setup", "attribute_setup",
)  # fmt: skip
_WITH_EQUATIONS = tuple("definition abbreviation fun primrec function inductive inductive_set coinductive".split())
_MINOR = frozenset("where and for fixes assumes in begin infix infixl infixr binder input plugins".split())
_HEAD = re.compile(r"\s*\(*\s*([^\W\d][\w']*)")
_OF_FUNCTIONS = ("{}_dom", "{}_rel", "{}_graph", "{}_sumC")
_OF_DATATYPES = tuple(f"{made}_{{}}" for made in "map set set1 set2 set3 set4 rel pred size rec corec case".split())
# What a command makes beside what it names.
_BESIDE = {
    "fun": _OF_FUNCTIONS, "function": _OF_FUNCTIONS, "datatype": _OF_DATATYPES, "codatatype": _OF_DATATYPES,
    "copy_bnf": _OF_DATATYPES, "lift_bnf": _OF_DATATYPES, "record": ("{}_update", "{}_ext"), "locale": ("{}_axioms",),
    "inductive_set": ("{}p",), "coinductive_set": ("{}p",), "setup_lifting": ("cr_{}", "pcr_{}"),
    "code_pred": tuple(f"{{}}_{'_'.join(mode)}" for many in range(1, 5) for mode in product("io", repeat=many)),
}  # fmt: skip
# The same of those that are not read: whoever reads the command declares them.
_OF_TYPES = tuple(f"{sign}_{{}}" for sign in ("Rep", "Abs", "rep", "abs", "cr", "pcr"))
_OF_CONSTRUCTORS = ("is_{}", "un_{}", *(f"un_{{}}{place}" for place in range(1, 10)))
_UNREAD_BESIDE = {
    "typedef": _OF_TYPES, "quotient_type": _OF_TYPES, "datatype": _OF_CONSTRUCTORS, "codatatype": _OF_CONSTRUCTORS,
}  # fmt: skip
_LIFTED = re.compile(r"(?:.*\.)?(?:type_definition_|Quotient_)?(.*?)(?:\.\w+)?")
NOTATION = ("syntax", "notation", "type_notation", "no_notation", "no_syntax")


def unread_symbols(command: OuterCommand, known: Container[str]) -> Iterator[str]:
    """Of a command that declares notation or translates it; `known` are those that are not read already."""
    if command.name in NOTATION:
        for before, token in zip(command.tokens, command.tokens[1:], strict=False):
            if token.quoted and before.keyword("(", *_INFIX):
                yield from _words(token.text)
    elif command.name == "translations":
        for left, right in _rules(command):
            yield from _left_side(left, right, known)


def _rules(command: OuterCommand) -> Iterator[tuple[str, str]]:
    """What is read as what; a rule in another form is taken as a whole."""
    # `(type)` before a side is left out.
    tokens = [t for t in command.tokens if t.quoted or not t.keyword("(", ")", "type", "logic", "prop")]
    place = 0
    while place < len(tokens):
        sides = tokens[place : place + 3]
        if len(sides) == 3 and sides[0].quoted and sides[2].quoted and sides[1].keyword(*_BOTH, *_READ, *_PRINTED):
            if not sides[1].keyword(*_PRINTED):
                yield sides[0].text, sides[2].text
            place += 3
        else:
            if tokens[place].quoted:
                yield tokens[place].text, ""
            place += 1


def _left_side(left: str, right: str, known: Container[str]) -> Iterator[str]:
    words = list(_words(left))
    if any(word in known for word in words):
        return  # whoever writes it is refused for that word
    variables = {word for word in _words(right) if _NAME.fullmatch(word)}
    yield from (word for word in words if word not in variables)


def _words(text: str) -> Iterator[str]:
    for word in _BETWEEN.split(text):
        if word and word != "CONST":
            plain = word.replace("'", "")
            yield from dict.fromkeys((plain, normal(plain)))  # as it is written, and as it is read


def declared_names(command: OuterCommand, is_type: Callable[[str], bool]) -> Iterator[str]:
    """All that an unread declaration may name: what stands where names are declared, no types."""
    if command.name in _ABOUT_OTHERS:
        yield from _defined(command)
    if command.name in (*IN_CODE, *_ABOUT_OTHERS, "context"):  # what a context fixes is known inside alone
        return
    tokens, where = command.tokens, any(token.keyword("where") for token in command.tokens)
    begun, before = False, ""  # behind `=`, and the token before
    for token in tokens:
        if command.name in _WITH_EQUATIONS and token.keyword("where", "for"):
            return
        if token.keyword("="):
            begun = True
        elif token.kind == "name" and before not in ("::", ":") and token.text not in _MINOR:
            if not (begun and is_type(token.text)):
                yield token.text
                yield from (pattern.format(token.text) for pattern in _UNREAD_BESIDE.get(command.name, ()))
        elif token.quoted and _NAME.fullmatch(token.text) and before not in ("::", ":"):
            if not (begun and is_type(token.text)):
                yield token.text
        elif token.quoted and command.name in _WITH_EQUATIONS and not where:
            head = _HEAD.match(token.text)
            if head is not None:
                yield head[1]
        before = token.text if not token.quoted else ""


def made_beside(command: OuterCommand) -> Iterator[str]:
    """Constants that a command makes beside those that it names: they look like variables. A reader declares some."""
    patterns = _BESIDE.get(command.name, ())
    names = list(_named_by(command)) if patterns else []
    if command.name in ("fun", "function") and len(names) > 1:
        names.append("_".join(names))  # of functions that call each other
    yield from (pattern.format(name) for name in names for pattern in patterns)
    if patterns is _OF_DATATYPES:  # `for map: m rel: r`
        behind = dropwhile(lambda token: not token.keyword("for"), command.tokens)
        yield from (token.text for before, token in pairwise(behind) if before.keyword(":"))


def _named_by(command: OuterCommand) -> Iterator[str]:
    if command.name in ("locale", "setup_lifting", "code_pred", "lift_bnf"):
        for token in command.tokens:
            if token.kind == "name":
                found = _LIFTED.fullmatch(token.text) if command.name == "setup_lifting" else None
                yield found[1] if found else token.text
    else:
        yield from declared_names(command, lambda _: False)


def _defined(command: OuterCommand) -> Iterator[str]:
    """`defines c = I.d and ...` behind an interpretation: constants of the theory."""
    behind = False
    for token, following in pairwise(command.tokens):
        behind = behind or token.keyword("defines")
        if behind and following.keyword("=") and (token.kind == "name" or token.quoted):
            yield token.text
