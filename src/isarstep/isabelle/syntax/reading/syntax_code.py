"""What Isabelle reads by code, not by rules: numbers, strings, comprehensions, `case`, records, `⟦A; B⟧ ⟹ C`.

Every function gets the translator and the arguments of its head, and makes a term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isarstep.isabelle.syntax.grammar.case_expressions import Clause, split_cases
from isarstep.isabelle.syntax.grammar.parser import Tree, row_of, token
from isarstep.isabelle.syntax.grammar.patterns import MAX_BITS, numeral
from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.syntax.reading.record_syntax import Reader, record_update, record_value
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.read_error import NoStructure, ReadError
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Type, list_comb

_MAX_DIGITS = MAX_BITS * 3 // 10


def application(reader: Reader, function: Tree, *arguments: Tree) -> Term:
    if type(function) is str and function.startswith("_"):  # a rule may want some of the arguments
        for count in range(len(arguments), 0, -1):
            rewritten = reader.rewrite(function, (function, *arguments[:count]))
            if rewritten is not None:
                return list_comb(reader.term(rewritten), [reader.term(argument) for argument in arguments[count:]])
    return list_comb(reader.term(function), [reader.term(argument) for argument in arguments])


def function(reader: Reader, variables: Tree, body: Tree) -> Term:
    return reader.term(reader.nested(variables, body))


def constraint(reader: Reader, term: Tree, typ: Tree) -> Term:
    return reader.constrain(reader.term(term), reader.typ(typ))


def meta_implication(reader: Reader, assumptions: Tree, conclusion: Tree) -> Term:
    *first, (_, last) = row_of("_asms", assumptions)
    premises = [reader.proposition(each) for each in (*first, last)]
    return hol.list_pure_imp(premises, reader.proposition(conclusion))


def number_literal(_reader: Reader, digits: Any) -> Term:
    if len(digits) > _MAX_DIGITS:
        raise ReadError(max(digits.start, 0), digits, f"a number of at most {_MAX_DIGITS} digits")
    value = int(digits, 0 if digits[:2] in ("0x", "0b") else 10)
    return _natural(value)


def decimal(reader: Reader, digits: Any) -> Term:
    """`3.14` is `314 / 10^2`."""
    if "Fields.inverse_class.inverse_divide" not in reader.language.signature.constants:
        raise ReadError(max(digits.start, 0), digits, "no decimal number: this context has no fractions")
    whole, _, rest = digits.partition(".")
    if len(digits) > _MAX_DIGITS:
        raise ReadError(max(digits.start, 0), digits, f"a number of at most {_MAX_DIGITS} digits")
    places: Term = _natural(10)
    if len(rest) > 1:
        places = list_comb(Const("Power.power_class.power"), [places, _natural(len(rest))])
    return list_comb(Const("Fields.inverse_class.inverse_divide"), [_natural(int(whole + rest)), places])


def _natural(value: int) -> Term:
    return numeral(value) if value > 1 else Const("Groups.one_class.one" if value else "Groups.zero_class.zero")


def dummy(_reader: Reader) -> Term:
    raise ReadError(0, "_", "a variable or an expression")


def _bits(code: int, count: int) -> list[Term]:
    return [Const("HOL.True" if code >> i & 1 else "HOL.False") for i in range(count)]


def _characters(text: Any) -> list[int]:
    codes = [ord(character) for character in text[2:-2]]
    if any(code > 127 for code in codes):
        raise ReadError(max(text.start, 0), text, "ASCII characters in a string")
    return codes


def string_literal(_reader: Reader, text: Any) -> Term:
    made: Term = Const("List.list.Nil")
    for code in reversed(_characters(text)):
        made = list_comb(Const("List.list.Cons"), [list_comb(Const("String.char.Char"), _bits(code, 8)), made])
    return made


def character(_reader: Reader, text: Any) -> Term:
    codes = _characters(text)
    if len(codes) != 1:
        raise ReadError(max(text.start, 0), text, "one character")
    return list_comb(Const("String.char.Char"), _bits(codes[0], 8))


def literal(_reader: Reader, text: Any) -> Term:
    made: Term = Const("String.empty_literal")
    for code in reversed(_characters(text)):
        made = list_comb(Const("String.Literal"), [*_bits(code, 7), made])
    return made


def type_term(reader: Reader, typ: Tree) -> Term:
    return reader.constrain(Const("Pure.type"), Type("itself", (reader.typ(typ),)))


def constant(reader: Reader, name: Any) -> Term:
    found = reader.language.constants.resolve(to_isabelle(str(name)))
    if found is None:
        raise ReadError(max(name.start, 0), name, "a constant of this context")
    return Const(found)


def set_of_images(reader: Reader, element: Tree, variables: Tree, condition: Tree) -> Term:
    """`{f x |x. P x}` is `{u. ∃x. u = f x ∧ P x}`."""
    reader.depth += 1
    here = reader.depth

    def body() -> Term:
        equation = list_comb(Const("HOL.eq"), [Bound(reader.depth - here), reader.term(element)])
        return list_comb(Const("HOL.conj"), [equation, reader.term(condition)])

    made = reader.binder("HOL.Ex", variables, body)
    reader.depth -= 1
    return App(Const("Set.Collect"), Abs("uu_", None, made))


def list_of_images(reader: Reader, element: Tree, first: Tree, rest: Tree) -> Term:
    qualifiers = [first, *row_of("_lc_quals", rest)[:-1]]

    def made(position: int) -> Term:
        """What the qualifiers from here on make of the element."""
        nil = Const("List.list.Nil")
        if position == len(qualifiers):
            return list_comb(Const("List.list.Cons"), [reader.term(element), nil])
        kind, *parts = qualifiers[position]
        if kind == "_lc_test":
            return list_comb(Const("HOL.If"), [reader.term(parts[0]), made(position + 1), nil])
        pattern, source = parts
        last = position == len(qualifiers) - 1
        listed = reader.term(source)
        simple = type(pattern) is not tuple and type(pattern) is not str
        if not simple:
            raise ReadError(0, None, "a variable before ← of a list comprehension")
        inner = reader.abstraction(pattern, lambda: reader.term(element) if last else made(position + 1))
        mapped = list_comb(Const("List.list.map"), [inner, listed])
        return mapped if last else App(Const("List.concat"), mapped)

    return made(0)


def cases(reader: Reader, subject: Tree, branches: Tree) -> Term:
    clauses = [_clause(reader, pattern, body) for _, pattern, body in row_of("_case2", branches)]
    return split_cases([reader.term(subject)], clauses, reader.language.datatype)


def case_function(reader: Reader, branches: Tree) -> Term:
    name = token("name", "case'")
    return reader.abstraction(name, ("_case_syntax", name, branches))


def _clause(reader: Reader, pattern: Tree, body: Tree) -> Clause:
    """A pattern with its variables, which get names of their own, and what it yields."""
    names: list[str] = []
    pattern = _named_dummies(pattern, [0])
    unique = reader.pattern_variables(pattern, names)
    for name in names:
        reader.scope.setdefault(name, []).append(unique[name])
    shape, made = reader.term(pattern), reader.term(body)
    for name in names:
        reader.scope[name].pop()
    return Clause([shape], made)


def _named_dummies(tree: Any, counter: list[int]) -> Any:
    """`_` of a pattern as a variable that the text cannot name."""
    if tree == "_dummy" and type(tree) is str:
        counter[0] += 1
        return token("name", f"uu_{counter[0]}_")
    return tuple(_named_dummies(part, counter) for part in tree) if type(tree) is tuple else tree


def copied(reader: Reader, tree: Tree) -> Term:
    return reader.term(tree)


def structure(reader: Reader) -> Term:
    """The structure that an operation means by itself: the first one of the locale."""
    if not reader.structures:
        raise NoStructure(
            0, None, "the structure of an operation, such as G in x ⊗⇘G⇙ y, because nothing says which is meant"
        )
    return Free(reader.structures[0])


def dots(reader: Reader) -> Term:
    found = reader.bound.get("...")
    if found is None:
        raise ReadError(0, "...", "a term; nothing before says what it stands for")
    return found


CODE: dict[str, Callable[..., Term]] = {
    "_applC": application,
    "_appl": application,
    "_lambda": function,
    "_abs": lambda reader, pattern, body: reader.abstraction(pattern, body),
    "_constrain": constraint,
    "_bigimpl": meta_implication,
    "_aprop": copied,
    "_asm": copied,
    "_constify": copied,
    "_Numeral": number_literal,
    "_Float": decimal,
    "_dummy": dummy,
    "_String": string_literal,
    "_Char": character,
    "_Literal": literal,
    "_TYPE": type_term,
    "_const": constant,
    "_Setcompr": set_of_images,
    "_listcompr": list_of_images,
    "_case_syntax": cases,
    "_lam_pats_syntax": case_function,
    "_record_update": record_update,
    "_record": record_value,
    "_record_scheme": record_value,
    "_struct": structure,
    "_DDDOT": dots,
}
