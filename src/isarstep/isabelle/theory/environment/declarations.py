"""Declarations of a theory file: constants, types, notation and what is stated without proof."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import infer
from isarstep.isabelle.syntax.grammar.symbols import from_isabelle, to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, Free, Term, TVar, Typ, abstract, erase, frees, strip_comb, strip_fun
from isarstep.isabelle.terms.variables import substitute_frees
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader, declares_simp
from isarstep.isabelle.theory.text.mixfix import mixfix_rows
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import (
    NotRead,
    Scope,
    generalised,
    read_together,
    read_written_type,
    type_names,
    types_inside,
)

MOST_FACTS = 1_000  # under one name
MOST_ARGUMENTS = 20  # of a constant whose type is not known yet
OPEN = -7  # index of a type that is not known yet
_DUMMY = re.compile(r"(\\<\^?\w+>)?(?<![\w'?.\\<^⇩])_(?![\w'>])")


@dataclass(frozen=True)
class NewName:
    """`name :: type (mixfix)`, as declarations begin."""

    token: SourceToken
    type: Typ | None
    mixfix: Sequence[SourceToken]

    @property
    def name(self) -> str:
        return to_isabelle(self.token.text)


def open_type(name: str) -> Typ:
    return TVar(f"{name}~", OPEN, ("HOL.type",))


def types_of(names: Iterable[NewName]) -> dict[str, Typ]:
    """By name; of some the type is not known yet."""
    return {new.name: new.type or open_type(new.name) for new in names}


def new_names(reader: TokenReader, scope: Scope, *ends: str) -> list[NewName]:
    """`a b :: type (mixfix) and c ...`, up to one of these keywords or the end."""
    found: list[NewName] = []
    while reader.here is not None and not reader.is_keyword(*ends):
        group = [reader.name()]
        while reader.here is not None and not reader.is_keyword("::", "(", "and", *ends):
            group.append(reader.name())
        typ = read_written_type(reader.type(), scope) if reader.accept("::") else None
        mixfix = reader.mixfix()
        found += [NewName(token, typ, mixfix if token is group[-1] else ()) for token in group]
        if not reader.accept("and"):
            break
    return found


def plain_names(reader: TokenReader, scope: Scope) -> list[NewName]:
    """The same where notation of their own is not read."""
    found = new_names(reader, scope)
    for new in found:
        if new.mixfix:
            raise NotRead(scope.source, new.mixfix[0].start, "notation of a fixed variable is not read here")
    return found


def target_of(reader: TokenReader) -> str:
    """`(in locale)`, if it stands here."""
    inside = reader.option("in")
    if inside and len(inside) != 2:
        raise reader.refused("expected one locale")
    return inside[1].text if inside else ""


def announce(context: OwnContext, scope: Scope, new: NewName) -> None:
    """A name that a declaration is about: a variable of its texts, with its notation from the beginning."""
    typ = new.type or open_type(new.name)
    scope.fixed[new.name] = typ
    if new.mixfix:
        full = context.full_name(new.name)
        if context.in_locale:
            context.add_notation(mixfix_rows(new.mixfix, context.source, new.name, MOST_ARGUMENTS, fixed=True))
            return
        context.add_notation(mixfix_rows(new.mixfix, context.source, full, MOST_ARGUMENTS))
        scope.new[full] = new.name


def retyped(context: OwnContext, prop: Term, fixed: Mapping[str, Typ]) -> Term:
    """The proposition typed again, after constants took the place of variables."""
    return infer([erase(prop)], context.signature, fixed).propositions[0]


def sides_of(prop: Term) -> tuple[Term, Term] | None:
    """Left and right of an equation of either kind."""
    formula = hol.dest_trueprop(prop)
    if formula is None:
        return hol.dest_binary("Pure.eq", prop)
    return hol.dest_binary(hol.EQ, formula) or hol.dest_binary("HOL.iff", formula)


def definition(context: OwnContext, reader: TokenReader) -> None:
    """`definition` and `abbreviation`."""
    short = reader.command == "abbreviation"
    printed = True
    if short and reader.is_keyword("("):  # a print mode: all are read, and printed where nobody asks for a mode is one
        printed = [token.text for token in reader.bracket()] == ["output"]
    scope = context.scope()
    new: NewName | None = None
    if any(token.keyword("where") for token in reader.tokens):
        names = new_names(reader, scope, "where")
        if len(names) != 1:
            raise reader.refused("a definition of one name is read")
        new = names[0]
        reader.expect("where")
        announce(context, scope, new)
    label, attributes = reader.label()
    text = reader.proposition()
    if reader.is_keyword("if", "for"):
        raise reader.refused("a definition with `if` or `for` is not read")
    reader.end()
    read = read_together([text], scope)
    sides = sides_of(read.terms[0])
    if sides is None:
        raise NotRead(context.source, text.inside, "expected an equation")
    head, arguments = strip_comb(beta_eta_normal(sides[0]))  # a binder is applied to `λx. f x`
    parameters = context.parameters
    if not isinstance(head, Free) or head.name in parameters or (new is not None and head.name != new.name):
        raise NotRead(context.source, text.inside, "the left side is not the new name")
    base = head.name
    variables = [a.name for a in arguments if isinstance(a, Free) and a.name not in parameters]
    if len(set(variables)) != len(arguments) or base in variables:
        raise NotRead(context.source, text.inside, "the new name is not applied to different variables")
    inside = {node.name: node for node in frees(sides[1])}
    extra = [name for name in inside if name not in variables and name not in parameters]
    if extra:
        what = "the definition is about itself" if base in extra else f"{extra[0]!r} stands on the right side only"
        raise NotRead(context.source, text.inside, what)
    mentioned = {node.name: node.type for node in (*frees(sides[0]), *frees(sides[1])) if node.type is not None}
    used = [name for name in parameters if name in mentioned]
    own = mentioned[base]
    assert own is not None
    if types_inside([sides[1]]) - type_names([own, *(parameters[name] for name in used)]):
        raise NotRead(
            context.source, text.inside, "the right side has a type variable that the new constant does not have"
        )
    stands_for: Term | None = None
    if short:
        stands_for = sides[1]
        for variable in reversed((*used, *variables)):
            stands_for = Abs(variable, None, abstract(stands_for, Free(variable, mentioned[variable])))
    meaning = context.declare_applied(base, own, used, stands_for, printed=printed)[1]
    if not short:
        fixed = {name: t for name, t in mentioned.items() if name != base}
        made = retyped(context, substitute_frees(read.terms[0], {base: meaning}), fixed)
        context.add_facts(label or f"{base}_def", [made], simp=declares_simp(attributes))


def consts(context: OwnContext, reader: TokenReader) -> None:
    while reader.here is not None:
        new = new_names(reader, context.scope())
        if not new:
            raise reader.refused("a constant is declared with its type")
        _declare_typed(context, new)


def _declare_typed(context: OwnContext, new: Iterable[NewName]) -> None:
    for each in new:
        if each.type is None:
            raise NotRead(context.source, each.token.start, "a constant without a type is not read")
        name = context.declare_constant(context.full_name(each.name), each.type).name
        if each.mixfix and context.in_locale:
            raise NotRead(context.source, each.mixfix[0].start, "notation inside a locale is not read")
        context.add_mixfix(each.mixfix, name, len(strip_fun(each.type)[0]))


def axiomatization(context: OwnContext, reader: TokenReader) -> None:
    if context.target is not None:
        raise reader.refused("an axiomatization inside a locale is not read")
    scope = context.scope()
    new = new_names(reader, scope, "where")
    _declare_typed(context, new)
    if reader.accept("where"):
        for label, attributes, texts in labelled(reader):
            for text in texts:
                prop = read_together([text], context.scope()).terms[0]
                context.add_facts(label or "axiom", [prop], simp=declares_simp(attributes))
    reader.end()


def labelled(reader: TokenReader) -> list[tuple[str, list[list[SourceToken]], list[SourceToken]]]:
    """`a: "A" "B" and b [simp]: "C"`."""
    found = []
    while reader.here is not None:
        label, attributes = reader.label()
        texts = [reader.proposition()]
        while reader.here is not None and (reader.here.quoted or reader.is_keyword("(")):
            if reader.is_keyword("("):
                pattern_of(reader)
            else:
                texts.append(reader.proposition())
        if reader.is_keyword("if", "for"):
            texts = _under_conditions(reader, texts)
        found.append((label, attributes, texts))
        if not reader.accept("and", "|"):
            break
    return found


@dataclass(frozen=True)
class RecursiveText:
    """What `fun`, `inductive` and the like say: names, and texts about them, typed together."""

    command: str
    names: list[NewName] = field(hash=False)
    types: dict[str, Typ] = field(hash=False)  # of these
    parameters: tuple[str, ...]  # behind `for`
    used: tuple[str, ...]  # parameters of the locale that are mentioned
    rows: list[tuple[str, list[list[SourceToken]], list[SourceToken]]] = field(hash=False)
    texts: list[SourceToken] = field(hash=False)
    terms: tuple[Term, ...]
    strange: set[str] = field(hash=False)  # type variables of the texts that the types of the names do not have

    @property
    def leading(self) -> tuple[str, ...]:
        """Arguments that are the same in all rules."""
        return (*self.used, *self.parameters)


def recursive_text(context: OwnContext, reader: TokenReader) -> RecursiveText:
    """Raises NotRead."""
    scope = context.scope()
    names = new_names(reader, scope, "where", "for", "monos")
    parameters = new_names(reader, scope, "where", "monos") if reader.accept("for") else []
    reader.expect("where")
    if not names:
        raise reader.refused("expected names")
    rows = labelled(reader)
    if reader.accept("monos"):  # they only help Isabelle to see that the rules are monotone
        reader.at = len(reader.tokens)
    reader.end()
    for new in names:
        announce(context, scope, new)
    scope.fixed.update(types_of(parameters))
    texts = [_without_dummies(text) for _, _, texts in rows for text in texts]
    read = read_together(texts, scope, apart=True)
    mentioned = {node.name for term in read.terms for node in frees(term)}
    used = tuple(name for name in context.parameters if name in mentioned)
    types = {new.name: read.frees[new.name] for new in names}
    strange = types_inside(read.terms) - type_names([*types.values(), *(context.parameters[name] for name in used)])
    behind = tuple(new.name for new in parameters)
    return RecursiveText(reader.command, names, types, behind, used, rows, texts, read.terms, strange)


def _without_dummies(text: SourceToken) -> SourceToken:
    """`_` in patterns is a variable that nobody names."""
    number = count()

    def named(found: re.Match[str]) -> str:
        before = found[1] or ""
        in_name = before.startswith("\\<^") or from_isabelle(before).isalpha()
        return found[0] if in_name else f"{before}{before and ' '}uu{next(number)}"

    return replace(text, text=_DUMMY.sub(named, text.text))


def _under_conditions(reader: TokenReader, texts: list[SourceToken]) -> list[SourceToken]:
    """`"C" if "A" and "B"` as `⟦A; B⟧ ⟹ C`, in the place of C."""
    conditions: list[str] = []
    if reader.accept("if"):
        while not conditions or reader.accept("and") or (reader.here is not None and reader.here.quoted):
            reader.label()
            conditions.append(reader.proposition().text)
    if reader.is_keyword("for"):
        raise reader.refused("a rule with `for` is not read")
    premises = f"\\<lbrakk>{'; '.join(conditions)}\\<rbrakk> \\<Longrightarrow> "
    return [replace(text, text=premises + text.text) for text in texts]


def pattern_of(reader: TokenReader) -> list[SourceToken]:
    """`(is "?P x")`, the texts inside."""
    inside = reader.bracket()
    if not inside or not inside[0].keyword("is"):
        raise reader.refused("expected (is ...)")
    return [token for token in inside if not token.keyword("is")]


def type_parameters(reader: TokenReader) -> list[str]:
    """`'a`, `('a, 'b)` or nothing, before the name of a type."""
    if reader.here is not None and reader.here.kind == "typevar":
        return [from_isabelle(reader.take().text)]
    if not reader.is_keyword("("):
        return []
    return [from_isabelle(token.text) for token in reader.bracket() if token.kind == "typevar"]


def type_synonym(context: OwnContext, reader: TokenReader) -> None:
    variables = type_parameters(reader)
    name = reader.name()
    reader.expect("=")
    typ = read_written_type(reader.type(), context.scope())
    mixfix = reader.mixfix()
    reader.end()
    if type_names([typ]) - set(variables):
        raise NotRead(context.source, name.start, "the right side has type variables that the left side has not")
    context.declare_synonym(name.text, variables, typ)
    context.add_mixfix(mixfix, f"{context.theory}.{to_isabelle(name.text)}", len(variables), "type")


def typedecl(context: OwnContext, reader: TokenReader) -> None:
    variables = type_parameters(reader)
    name = reader.name()
    mixfix = reader.mixfix()
    reader.end()
    context.add_mixfix(mixfix, context.declare_type(name.text, len(variables)), len(variables), "type")


def notation(context: OwnContext, reader: TokenReader) -> None:
    """`notation`, `type_notation`, and those that take notation away: `no_notation`, `no_type_notation`."""
    removed, of_types = reader.command.startswith("no_"), reader.command.endswith("type_notation")
    if context.in_locale and reader.command != "notation":
        raise reader.refused(f"`{reader.command}` inside a locale is not read")
    if reader.is_keyword("("):
        reader.bracket()
    while reader.here is not None:
        token = reader.name()
        name, arguments = (_type_written if of_types else _constant_written)(context, token)
        mixfix, kind = reader.mixfix(), "type" if of_types else "logic"
        fixed = name in context.parameters
        rows = mixfix_rows(mixfix, context.source, name, arguments, kind, fixed=fixed) if mixfix else None
        if removed:
            marks = ("type",) if of_types else ("const", "binder")
            context.remove_notation([f"\\<^{mark}>{name}" for mark in marks], rows)
        elif rows is not None:
            context.add_notation(rows)
        reader.accept("and")


def _constant_written(context: OwnContext, token: SourceToken) -> tuple[str, int]:
    """The constant, or the parameter of a locale, of this name, and how many arguments it has at most."""
    base = to_isabelle(token.text)
    name = base if base in context.parameters else context.language.constants.resolve(base)
    if context.in_locale and f"local.{base}" in context.language.local:
        name = f"local.{base}"
    if name is None:
        raise NotRead(context.source, token.start, f"there is no constant {token.text!r}")
    return name, MOST_ARGUMENTS


def _type_written(context: OwnContext, token: SourceToken) -> tuple[str, int]:
    name = context.language.types.resolve(to_isabelle(token.text))
    if name is None:
        raise NotRead(context.source, token.start, f"there is no type {token.text!r}")
    synonym = context.language.synonyms.get(name)
    return name, len(synonym[0]) if synonym else context.signature.types[name]


def hide(context: OwnContext, reader: TokenReader) -> None:
    """`hide_const`, `hide_type`, `hide_fact`."""
    names = [token for token in reader.tokens if token.kind in ("name", "string") and token.text != "open"]
    open_only = any(token.text == "open" for token in reader.tokens)
    if reader.command == "hide_fact":
        for token in names:
            context.unread.names.setdefault(f"fact {token.text}", "a hidden fact")
        return
    if reader.command == "hide_class":
        return
    space = context.language.constants if reader.command == "hide_const" else context.language.types
    for token in names:
        full = space.resolve(to_isabelle(token.text))
        if full is None:
            raise NotRead(context.source, token.start, f"there is no {token.text!r} to hide")
        space.hidden[full] = open_only
        space._known.clear()
        space._short.clear()


def declare(context: OwnContext, reader: TokenReader) -> None:
    """`declare foo [simp] and bar [simp del]`; other attributes say nothing here."""
    group: list[str] = []
    while reader.here is not None:
        if reader.is_keyword("["):
            inside = reader.bracket()
            words = [token.text for token in inside]
            if any(word.startswith("coercion") for word in words) and words != ["[", "coercion_enabled", "]"]:
                context.forget_coercions()
            if "simp" in words:
                for name in group:
                    context.declare_simp(name, simp="del" not in words)
            group = []
        elif reader.is_keyword("("):
            reader.bracket()
        else:
            token = reader.take()
            group = [] if token.keyword("and") else [*group, token.text]


def lemmas(context: OwnContext, reader: TokenReader) -> None:
    """`lemmas foo [simp] = a b`: facts of the file by another name."""
    while reader.here is not None:
        name = ""
        attributes: list[list[SourceToken]] = []
        equals = next((i for i, t in enumerate(reader.tokens[reader.at :]) if t.keyword("=", "and")), None)
        if equals is not None and reader.tokens[reader.at + equals].keyword("="):
            name = "" if reader.is_keyword("[") else reader.name().text
            if reader.is_keyword("["):
                attributes = [[token] for token in reader.bracket()]
            reader.expect("=")
        props: list[Term] = []
        whole, unproved = True, False
        made_simp = declares_simp(attributes) and not name
        while reader.here is not None and not reader.is_keyword("and", "for"):
            token = reader.take()
            if reader.is_keyword("[", "("):
                reader.bracket()
                whole = False
                continue
            found = context.find_facts(token.text)
            if made_simp and not any(each.text == "del" for row in attributes for each in row):
                context.declare_simp(token.text, simp=True)
            whole = whole and found is not None
            unproved = unproved or any(fact.unproved for fact in found or ())
            props += [fact.prop for fact in found or ()]
            if len(props) > MOST_FACTS:
                raise reader.refused(f"more than {MOST_FACTS} facts under one name are not read")
        if name and whole:
            context.add_facts(name, props, simp=declares_simp(attributes), unproved=unproved)
        elif name:
            context.unread.names[f"fact {name}"] = f"lemmas at {context.source.where(reader.start)}"
        if reader.is_keyword("for"):
            return
        reader.accept("and")


READERS: dict[str, Callable[[OwnContext, TokenReader], None]] = {
    "definition": definition,
    "abbreviation": definition,
    "consts": consts,
    "axiomatization": axiomatization,
    "type_synonym": type_synonym,
    "typedecl": typedecl,
    "notation": notation,
    "no_notation": notation,
    "type_notation": notation,
    "no_type_notation": notation,
    "hide_const": hide,
    "hide_type": hide,
    "hide_fact": hide,
    "hide_class": hide,
    "declare": declare,
    "lemmas": lemmas,
}


def closed_fact(context: OwnContext, term: Term) -> Term:
    """A proposition of constants and schematic variables, without types, typed and for all types."""
    try:
        return generalised(infer([term], context.signature).propositions[0])
    except UserError as error:
        raise UserError(f"{context.source.path}: {error}") from None
