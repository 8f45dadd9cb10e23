"""`nonterminal`, `syntax` and `translations`: productions of the file, and the rules that say what they stand for.

A rule is read as Isabelle reads it, as a pattern of syntax trees: names are its variables, `CONST c` is a constant, and
names that begin with `_` are constants of the syntax. Rules that only say how something is printed are passed over.
What a production without a rule stands for is not known, and a text with it is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isarstep.isabelle.syntax.grammar.bundles import BUNDLES
from isarstep.isabelle.syntax.grammar.language import leaves
from isarstep.isabelle.syntax.grammar.parser import NONTERMINALS, Token, Tree, parse_trees, row_of
from isarstep.isabelle.syntax.grammar.productions import TERM, TYPE
from isarstep.isabelle.syntax.grammar.symbols import normal, to_isabelle
from isarstep.isabelle.terms.read_error import ReadError
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.text.mixfix import Row, syntax_rows
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import NotRead

_CONST, _FUN = "\\<^const>", "\\<^type>fun"
_BOTH, _READ = ("==", "\\<rightleftharpoons>", "⇌"), ("=>", "\\<rightharpoonup>", "⇀")
_PRINTED = ("<=", "\\<leftharpoondown>", "↽")


def nonterminal(context: OwnContext, reader: TokenReader) -> None:
    """`nonterminal a and b`."""
    for token in reader.tokens:
        if not token.keyword("and"):
            context.nonterminals.add(to_isabelle(token.text))


def syntax(context: OwnContext, reader: TokenReader) -> None:
    """`syntax` and `no_syntax`: `"_name" :: "type" (mixfix)` for each production."""
    if context.target is not None:
        raise reader.refused(f"`{reader.command}` inside a context is not read")
    mode = [token.text for token in reader.bracket()] if reader.is_keyword("(") else []
    if "output" in mode:  # how something is printed
        return
    found: list[Row] = []
    while reader.here is not None:
        name = reader.take("a name")
        if not reader.accept("::"):
            raise reader.refused("expected '::'")
        typ = reader.type()
        mixfix = reader.mixfix()
        if mixfix:
            head = _head(context, name)
            arguments, result = _nonterminals(context, typ)
            found += syntax_rows(mixfix, context.source, head, arguments, result, printed=not mode)
    if reader.command == "no_syntax":
        context.remove_notation({str(row[2]) for row in found}, found)
    else:
        context.add_notation(found)


def _head(context: OwnContext, name: SourceToken) -> str:
    """Of the trees of a production: a constant of the syntax, or one of the logic by its full name."""
    text = to_isabelle(name.text)
    if text.startswith(_CONST):
        if text.removeprefix(_CONST) not in context.signature.constants:
            raise NotRead(context.source, name.start, f"there is no constant {name.text!r}")
        return text
    if text and not text.startswith("_"):
        raise NotRead(
            context.source, name.start, "a constant of the syntax whose name does not begin with _ is not read"
        )
    return text


def _nonterminals(context: OwnContext, token: SourceToken) -> tuple[list[str], str]:
    """Those of the arguments and of the result, from the type that is written."""
    (tree, *others) = _trees(context, replace(token, text=token.text.replace("=>", "\\<Rightarrow>")), TYPE)
    if others:
        raise NotRead(context.source, token.inside, "the type can be read in several ways")
    arguments: list[str] = []
    while type(tree) is tuple and tree[0] in (_FUN, "_bracket"):
        arguments += [_nonterminal(context, token, each, "any") for each in row_of("_types", tree[1])]
        tree = tree[2]
    return arguments, _nonterminal(context, token, tree, "logic")


def _nonterminal(context: OwnContext, token: SourceToken, tree: Tree, logical: str) -> str:
    """A name that is no type is a nonterminal that is known."""
    if type(tree) is not Token or tree.kind != "name":
        return logical
    name = to_isabelle(str(tree))
    if name == "prop":
        return "prop"
    if name in NONTERMINALS or name in context.nonterminals or name in context.language.grammar.rules:
        return name
    if context.language.types.resolve(name) is None:
        raise NotRead(context.source, token.inside, f"there is no type and no nonterminal {str(tree)!r}")
    return logical


def translations(context: OwnContext, reader: TokenReader) -> None:
    """`translations "left" ⇌ "right"`, one or several."""
    if context.target is not None:
        raise reader.refused("`translations` inside a context is not read")
    rows: list[tuple[str, Row]] = []
    while reader.here is not None:
        left, of_types = _side(reader)
        sign = reader.take("⇌, ⇀ or ↽")
        if not sign.keyword(*_BOTH, *_READ, *_PRINTED):
            raise NotRead(context.source, sign.start, f"expected ⇌, ⇀ or ↽, found {sign.text!r}")
        right, right_of_types = _side(reader)
        if sign.keyword(*_PRINTED):
            continue
        if of_types or right_of_types:
            raise NotRead(context.source, left.start, "a translation of types is not read")
        patterns = _pattern(context, left), _pattern(context, right)
        _refuse_rule(context, left, *patterns)
        rule = [_listed(each) for each in patterns]
        rows += [(field, rule) for field in ("parse_rules", "print_rules")[: 1 + sign.keyword(*_BOTH)]]
    context.add_rules(reversed(rows))  # the first of one command is tried first, and the last command before others


def _side(reader: TokenReader) -> tuple[SourceToken, bool]:
    """A side of a rule, and whether it is one of types."""
    kind = [token.text for token in reader.bracket()] if reader.is_keyword("(") else ["logic"]
    if kind not in (["logic"], ["type"], ["prop"], ["any"]):
        raise reader.refused(f"a translation of {' '.join(kind)} is not read")
    return reader.proposition(), kind == ["type"]


def _trees(context: OwnContext, token: SourceToken, kind: str) -> list[Tree]:
    try:
        scanned = context.language.lexicon.scan(normal(token.text).replace("XCONST", "CONST"))
        return parse_trees(context.language.grammar, scanned, kind)
    except ReadError as error:
        raise NotRead(context.source, token.inside, str(error)) from None


def _pattern(context: OwnContext, token: SourceToken) -> Any:
    found = {_as_pattern(context, token, tree) for tree in _trees(context, token, TERM)}
    if len(found) != 1:
        raise NotRead(context.source, token.inside, "this side can be read in several ways")
    return found.pop()


def _as_pattern(context: OwnContext, token: SourceToken, tree: Tree) -> Any:
    """A tree with `?x` for the names that are variables."""
    if type(tree) is Token:
        if tree.kind != "name" or "." in tree:
            raise NotRead(context.source, token.inside, f"{str(tree)!r} in a translation is not read")
        text = to_isabelle(str(tree))
        return text if text.startswith("_") else f"?{text}"
    if type(tree) is str:
        if tree == "_dummy":
            raise NotRead(context.source, token.inside, "'_' in a translation is not read")
        return tree
    head, *arguments = tree
    if head == "_const":
        full = context.language.constants.resolve(to_isabelle(str(arguments[0])))
        if full is None:
            raise NotRead(context.source, token.inside, f"there is no constant {str(arguments[0])!r}")
        return f"{_CONST}{full}"
    if head in ("_constrain", "_Numeral", "_Float", "_String", "_index", "_aprop", "_bigimpl", "_TYPE"):
        raise NotRead(context.source, token.inside, "a translation of this form is not read")
    if head == "_lambda":
        inner = _as_pattern(context, token, arguments[1])
        for each in reversed(row_of("_pttrns", arguments[0])):
            inner = ("_abs", _as_pattern(context, token, each), inner)
        return inner
    made = tuple(_as_pattern(context, token, each) for each in ([] if head == "_applC" else [head]) + arguments)
    return (*made[0], *made[1:]) if type(made[0]) is tuple and head == "_applC" else made


def _refuse_rule(context: OwnContext, place: SourceToken, left: Any, right: Any) -> None:
    """Isabelle refuses variables that stand twice on the left side or only on the right one. A rule for a constant of
    the logic is read where it fits whatever its arguments are."""
    variables = [name for name in leaves(left) if name.startswith("?")]
    head = left if type(left) is str else left[0]
    if type(head) is not str or head.startswith("?"):
        raise NotRead(context.source, place.inside, "the left side of a translation has no constant at its head")
    if len(set(variables)) != len(variables) or any(n.startswith("?") and n not in variables for n in leaves(right)):
        raise NotRead(context.source, place.inside, "the variables of both sides do not fit together")
    nested = type(left) is tuple and any(type(each) is tuple or not each.startswith("?") for each in left[1:])
    if not head.startswith("_") and nested:
        raise NotRead(context.source, place.inside, "a translation of this form is not read")


def _listed(pattern: Any) -> Any:
    return [_listed(part) for part in pattern] if type(pattern) is tuple else pattern


def unbundle(context: OwnContext, reader: TokenReader) -> None:
    """`unbundle lattice_syntax`, `unbundle no lattice_syntax`: notation of the library's bundles that are known."""
    if context.target is not None:
        raise reader.refused("`unbundle` inside a context is not read")
    switched_off = reader.accept("no")
    rows: list[Row] = []
    while reader.here is not None:
        if not reader.accept("and"):
            name = reader.name()
            if name.text not in BUNDLES:
                raise NotRead(context.source, name.start, f"the bundle {name.text!r} is not read")
            rows += BUNDLES[name.text]
    known = context.signature.constants
    rows = [row for row in rows if str(row[2]).startswith("_") or str(row[2]).removeprefix(_CONST) in known]
    if switched_off:
        context.remove_notation({str(row[2]) for row in rows}, rows)
    else:
        context.add_notation(rows)


READERS = {
    "nonterminal": nonterminal,
    "syntax": syntax,
    "no_syntax": syntax,
    "translations": translations,
    "unbundle": unbundle,
}
