"""The statement of a lemma or of a step inside a proof: what it fixes, assumes and shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from isarstep.isabelle.syntax.grammar.symbols import to_isabelle
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Free, Term, Typ, abstract, frees, strip_comb
from isarstep.isabelle.theory.environment.declarations import (
    NewName,
    new_names,
    open_type,
    pattern_of,
    target_of,
    types_of,
)
from isarstep.isabelle.theory.environment.file_environment import TokenReader
from isarstep.isabelle.theory.text.is_patterns import PATTERN_NAME, bound_in_statement
from isarstep.isabelle.theory.text.source import SourceToken
from isarstep.isabelle.theory.text.statements import NotRead, Scope, Together, read_together, with_type_marks

_LONG = ("fixes", "assumes", "shows", "obtains", "notes", "defines", "constrains", "includes")


@dataclass
class StatedProps:
    """`a [simp]: "A" (is ?P) "B"`."""

    label: str
    attributes: list[list[SourceToken]]
    texts: list[SourceToken]
    patterns: list[list[SourceToken]]
    terms: list[Term] = field(default_factory=list)
    defines: bool = False


@dataclass
class Witnesses:
    """`x y where a: "A" and b: "B"`, one alternative of `obtains`, `obtain` or `consider`."""

    label: str
    names: list[NewName]
    props: list[StatedProps]


@dataclass
class ReadStatement:
    """A statement with typed terms."""

    label: str
    attributes: list[list[SourceToken]]
    fixed: dict[str, Typ]  # all variables that it speaks of
    new: list[str]  # those that it fixes itself, written or not
    assumes: list[StatedProps]
    shows: list[StatedProps]
    obtains: list[Witnesses]
    place: int
    structures: tuple[str, ...] = ()  # that notation with an index means by itself

    @property
    def goals(self) -> list[Term]:
        return [term for props in self.shows for term in props.terms]

    @property
    def premises(self) -> list[Term]:
        return [term for props in self.assumes for term in props.terms]


def stated_props(reader: TokenReader, *ends: str) -> list[StatedProps]:
    found: list[StatedProps] = []
    while reader.here is not None and not reader.is_keyword(*ends):
        label, attributes = reader.label()
        props = StatedProps(label, attributes, [], [])
        while reader.here is not None and not reader.is_keyword("and", *ends):
            props.texts.append(reader.proposition())
            props.patterns.append(pattern_of(reader) if reader.is_keyword("(") else [])
        if not props.texts:
            raise reader.refused("expected a proposition")
        found.append(props)
        if not reader.accept("and"):
            break
    return found


def read_rows(rows: Sequence[StatedProps], scope: Scope) -> Together:
    """All propositions of these, typed together and put in their places."""
    read = read_together([text for row in rows for text in row.texts], scope)
    terms = iter(read.terms)
    for row in rows:
        row.terms = [next(terms) for _ in row.texts]
    return read


def witnesses_of(reader: TokenReader, scope: Scope) -> list[Witnesses]:
    """`x where "A" | (b) y where "B"`."""
    found: list[Witnesses] = []
    while True:
        label = reader.bracket()[0].text if reader.is_keyword("(") else ""
        names: list[NewName] = []
        alternative = takewhile(lambda token: not token.keyword("|"), reader.tokens[reader.at :])
        if any(token.keyword("where") for token in alternative):
            names = new_names(reader, scope, "where")
            reader.expect("where")
        found.append(Witnesses(label, names, stated_props(reader, "|")))
        if not reader.accept("|"):
            return found


def read_lemma(reader: TokenReader, scope: Scope) -> ReadStatement:
    """The statement of `lemma`, `have`, `show` and the like; variables that nobody fixes are fixed by it."""
    target_of(reader)
    label, attributes = reader.label()
    inner = scope.inner()
    made = ReadStatement(label, attributes, {}, [], [], [], [], reader.start)
    if reader.is_keyword(*_LONG):
        _long(reader, inner, made)
    else:
        made.shows = stated_props(reader, "if", "when", "for")
        if reader.accept("if", "when"):
            made.assumes = stated_props(reader, "for")
        if reader.accept("for"):
            _fix(new_names(reader, inner), inner, made)
    reader.end()
    for witnesses in made.obtains:
        inner.fixed.update(types_of(witnesses.names))
    _read(made, inner, scope)
    made.structures = inner.structures
    return made


def _long(reader: TokenReader, inner: Scope, made: ReadStatement) -> None:
    while reader.here is not None:
        if reader.accept("fixes"):
            _fix(new_names(reader, inner, *_LONG), inner, made)
        elif reader.accept("assumes"):
            made.assumes += stated_props(reader, *_LONG)
        elif reader.accept("shows"):
            made.shows += stated_props(reader, *_LONG, "if", "for")
        elif reader.accept("defines"):
            made.assumes += [_defined(props, inner, made) for props in stated_props(reader, *_LONG)]
        elif reader.accept("obtains"):
            made.obtains = witnesses_of(reader, inner)
        else:
            raise reader.refused(f"{reader.take().text!r} in a statement is not read")


def _defined(props: StatedProps, inner: Scope, made: ReadStatement) -> StatedProps:
    """`defines n_def: "n \\<equiv> t"`: an assumption about a variable, which is fixed here where it was not before."""
    if len(props.texts) != 1:
        raise NotRead(inner.source, props.texts[0].inside, "a definition of one variable is read")
    name = to_isabelle(props.texts[0].text.split()[0])
    if not name.replace("'", "").replace("_", "").isalnum():
        raise NotRead(inner.source, props.texts[0].inside, "a definition of a variable without arguments is read")
    if name not in inner.fixed:
        inner.fixed[name] = open_type(name)
        made.new.append(name)
    props.label, props.defines = props.label or f"{name}_def", True
    return props


def _fix(names: Sequence[NewName], inner: Scope, made: ReadStatement) -> None:
    for each in names:
        if each.mixfix and each.mixfix[0].keyword("structure"):
            inner.structures = (*inner.structures, each.name)
        elif each.mixfix and not inner.knows_notation(each.name):
            raise NotRead(inner.source, each.mixfix[0].start, "notation of a fixed variable is not read")
        inner.fixed[each.name] = each.type or open_type(each.name)
        made.new.append(each.name)


def _read(made: ReadStatement, inner: Scope, scope: Scope) -> None:
    """Type all propositions together and put the terms in their places."""
    places = [*made.assumes, *made.shows, *(props for one in made.obtains for props in one.props)]
    texts = [text for props in places for text in props.texts]
    special = [_bound_goal(text, scope) for text in texts]
    rest = [text for text, known in zip(texts, special, strict=True) if known is None]
    if rest:
        first = _bind_patterns(made, inner, rest)
        read = read_together(rest, inner)
        if any(read.frees.get(name) != typ for name, typ in first.items()):
            raise NotRead(inner.source, made.place, "what a pattern binds gets its types from what follows")
        terms, types, sorts = iter(read.terms), read.frees, read.sorts
    else:
        terms, types, sorts = iter(()), dict(inner.fixed), inner.sorts
    for props in places:
        props.terms = [_bound_goal(text, scope) or next(terms) for text in props.texts]
        if props.defines:
            props.terms = [as_equation(term) for term in props.terms]
    used = {node.name for props in places for term in props.terms for node in frees(term)}
    obtained = {each.name for one in made.obtains for each in one.names}
    made.new += [name for name in types if name not in scope.fixed and name not in made.new and name in used - obtained]
    made.fixed = {name: typ for name, typ in types.items() if name not in obtained}
    made.fixed.update({name: typ for name, typ in scope.fixed.items() if name not in made.fixed})
    scope.sorts.update(sorts)


def _bind_patterns(made: ReadStatement, inner: Scope, texts: Sequence[SourceToken]) -> dict[str, Typ]:
    """`assumes "A x" (is "?P x") shows "?P y"`: what the patterns of assumptions bind, for the texts behind them. The
    types of variables as the assumptions alone have them."""
    given = [
        (text, patterns) for props in made.assumes for text, patterns in zip(props.texts, props.patterns, strict=True)
    ]
    named = {name for text in texts for name in PATTERN_NAME.findall(text.text)} - set(inner.bound)
    if not named or not any(patterns for _, patterns in given):
        return {}
    read = read_together([text for text, _ in given], inner)
    known = replace(inner, fixed={**inner.fixed, **read.frees})
    for term, (_, patterns) in zip(read.terms, given, strict=True):
        for pattern in patterns:
            bound = bound_in_statement(pattern, term, known)
            inner.bound.update({name: with_type_marks(value) for name, value in bound.items()})
    return read.frees


def _bound_goal(text: SourceToken, scope: Scope) -> Term | None:
    """`?thesis` and `?case` alone are what they stand for, types and all."""
    name = text.text.strip()
    if name not in ("?thesis", "?case"):
        return None
    known = scope.goals.get(name)
    if known is None:
        raise NotRead(scope.source, text.inside, f"nothing says here what {name} stands for")
    return hol.trueprop(known, typed=True)


def some_witnesses(alternatives: Sequence[Witnesses], types: Mapping[str, Typ]) -> Term:
    """`(∃x. A x ∧ B x) ∨ ...` as a proposition."""
    parts = []
    for one in alternatives:
        conjuncts = [formula_of(term) for props in one.props for term in props.terms]
        part = hol.list_conj(conjuncts, typed=True)
        for each in reversed(one.names):
            typ = next((n.type for n in frees(part) if n.name == each.name), types.get(each.name) or each.type)
            part = hol.exists(each.name, typ, abstract(part, Free(each.name, typ)))
        parts.append(part)
    return hol.trueprop(hol.list_disj(parts, typed=True), typed=True)


def rules_for_witnesses(alternatives: Sequence[Witnesses], thesis: Term) -> list[Term]:
    """`⋀x. A x ⟹ B x ⟹ thesis` for each alternative."""
    rules = []
    for one in alternatives:
        terms = [term for props in one.props for term in props.terms]
        types = {node.name: node.type for term in terms for node in frees(term)}
        own = {each.name: typ for each in one.names if (typ := types.get(each.name) or each.type) is not None}
        rules.append(exported(thesis, own, terms))
    return rules


def as_equation(term: Term) -> Term:
    """`≡` as `=`."""
    sides = hol.dest_binary("Pure.eq", term)
    if sides is None:
        return term
    head = strip_comb(term)[0]
    typ = getattr(head, "type", None)
    return hol.trueprop(hol.eq(*sides, None if typ is None else typ.args[0]), typed=True)


def formula_of(prop: Term) -> Term:
    """A proposition without free schematic variables as one formula. Raises ValueError where it is none."""
    found = hol.as_formula(prop)
    if found is None:
        raise ValueError("no formula of HOL")
    return found


def exported(prop: Term, variables: Mapping[str, Typ], premises: Sequence[Term]) -> Term:
    """What a step shows around its block: under its premises and for all that it fixes."""
    made = hol.list_pure_imp(premises, prop, typed=True)
    for name, typ in reversed(list(variables.items())):
        if any(node.name == name for node in frees(made)):
            free = next(node for node in frees(made) if node.name == name)
            made = hol.pure_all(name, free.type or typ, abstract(made, free))
    return made
