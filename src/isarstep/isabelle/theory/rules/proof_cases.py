"""Cases of `proof (induct x)`, `proof (cases t)`: what `case` fixes and assumes, and what ?case stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.syntax.reading.record_syntax import UNIT, UNITY, record_levels, record_made
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    App,
    Const,
    Free,
    Term,
    Typ,
    Type,
    funs,
    list_comb,
    strip_fun,
)
from isarstep.isabelle.terms.types import instantiate_type, match_type
from isarstep.isabelle.terms.variables import rename_frees, with_bound
from isarstep.isabelle.theory.text.source import SourceToken, split_at

LITERALS = ("Groups.zero_class.zero", "Groups.one_class.one", "Num.numeral_class.numeral")
_OF_NAT = (("0", "Groups.zero_class.zero", 0), ("Suc", "Nat.Suc", 1))
_FIRST = {"Nat.nat": "Nat.Suc", "List.list": "List.list.Nil", "Option.option": "Option.option.None"}
FIRST_CONSTRUCTORS = tuple(_FIRST.values())


@dataclass(frozen=True)
class ProofCase:
    """One case: variables with types, named groups of assumptions, and what is to be shown; of several goals, a case
    for each inside it."""

    variables: tuple[tuple[str, Typ], ...]
    groups: tuple[tuple[str, tuple[Term, ...]], ...]  # IH, hyps, prems
    goal: Term | None  # a formula
    inner: tuple[tuple[str, ProofCase], ...] = ()

    def called(self, names: Sequence[str]) -> list[str]:
        """What its variables are called with the author's names; `_` keeps the old one, which nobody can write."""
        known = [name for name, _ in self.variables]
        return [name if name != "_" else old for name, old in zip(names, known, strict=False)] + known[len(names) :]

    def renamed(self, names: Sequence[str]) -> ProofCase:
        """With the author's names."""
        return self._with({old: new for (old, _), new in zip(self.variables, self.called(names), strict=True)})

    def about(self, old: str, new: str) -> ProofCase:
        """With another name for a variable that is not its own."""
        return self if any(name == old for name, _ in self.variables) else self._with({old: new})

    def _with(self, pairs: Mapping[str, str]) -> ProofCase:
        return ProofCase(
            tuple((pairs.get(name, name), typ) for name, typ in self.variables),
            tuple((name, tuple(rename_frees(term, pairs) for term in terms)) for name, terms in self.groups),
            None if self.goal is None else rename_frees(self.goal, pairs),
            tuple((name, case._with(pairs)) for name, case in self.inner),
        )


def joined_cases(of_goals: Sequence[Mapping[str, ProofCase]]) -> dict[str, ProofCase]:
    """Cases of several goals as one: hypotheses of all, and inside each case one for every goal, by number."""
    if len(of_goals) == 1:
        return dict(of_goals[0])
    found: dict[str, ProofCase] = {}
    for name, first in of_goals[0].items():
        names = [variable for variable, _ in first.variables]
        each = [cases[name].renamed(names) for cases in of_goals]
        known = [dict(case.groups) for case in each]
        groups = tuple(
            (group, tuple(dict.fromkeys(term for row in known for term in row.get(group, ()))))
            for group, _ in first.groups
            if group != "prems"
        )
        inner = tuple(
            (str(number), ProofCase((), (("prems", row.get("prems", ())),), case.goal))
            for number, (case, row) in enumerate(zip(each, known, strict=True), 1)
        )
        found[name] = ProofCase(first.variables, groups, None, inner)
    return found


def constructors_at(typ: Typ, language: Language) -> list[tuple[str, Const, list[Typ]]]:
    """Short name, constructor and types of its arguments, for a datatype. Raises UserError where it is none."""
    if not isinstance(typ, Type):
        raise UserError("its type is no datatype")
    name = typ.name
    first = _FIRST.get(name)
    if first is None:
        known = [made for made, (case, _) in language._datatypes.items() if case.startswith(name + ".case_")]
        first = known[0] if known else ""
    if not first:
        raise UserError(f"{name} is no datatype that is read here")
    shape = language.datatype(first)[1]
    found = []
    for constructor, _ in shape:
        declared = language.signature.constants[constructor].type
        arguments, result = strip_fun(declared)
        if constructor == "Groups.zero_class.zero":
            arguments, result = [], typ
        values: dict[Typ, Typ] = {}
        match_type(result, typ, values)
        types = [instantiate_type(argument, values) for argument in arguments]
        short = "0" if constructor == "Groups.zero_class.zero" else constructor.rpartition(".")[2]
        found.append((short, Const(constructor, funs(types, typ)), types))
    return found


@dataclass(frozen=True)
class GoalParts:
    """`⋀y. A y ⟹ B y` with variables in the place of its own: what an induction is about."""

    formula: Term
    premises: tuple[Term, ...]
    variables: tuple[tuple[str, Typ], ...]


def goal_parts(goal: Term, taken: set[str]) -> GoalParts:
    """Raises UserError where the goal is of another form."""
    binders, body = hol.strip_pure_all(goal)
    variables: list[tuple[str, Typ]] = []
    for binder in binders:
        name = binder.name
        while name in taken:
            name += "_"
        if binder.type is None:
            raise UserError("an induction on a goal without types is not read")
        variables.append((name, binder.type))
        taken = {*taken, name}
    for number, (name, typ) in enumerate(reversed(variables)):
        body = with_bound(body, number, Free(name, typ))
    premises, conclusion = hol.strip_pure_imp(body)
    formula = hol.dest_trueprop(conclusion)
    if formula is None:
        raise UserError("an induction on a goal of this form is not read")
    return GoalParts(formula, tuple(premises), tuple(variables))


def _names(types: Sequence[Typ], taken: set[str]) -> list[tuple[str, Typ]]:
    """Names that nobody has written: those of Isabelle depend on how the datatype was declared."""
    found: list[tuple[str, Typ]] = []
    for place, typ in enumerate(types):
        name = f"x{place}__"
        while name in taken:
            name += "_"
        found.append((name, typ))
    return found


def distinction_cases(term: Term, typ: Typ, taken: set[str], language: Language) -> dict[str, ProofCase]:
    """`cases t` on a truth value or a datatype."""
    if typ == hol.BOOL:
        yes = hol.trueprop(term, typed=True)
        no = hol.trueprop(App(Const(hol.NOT, Type("fun", (hol.BOOL, hol.BOOL))), term), typed=True)
        return {name: ProofCase((), (("", (prop,)),), None) for name, prop in (("True", yes), ("False", no))}
    of_record = _record_case(term, typ, taken, language)
    if of_record is not None:
        return {"fields": of_record}
    found: dict[str, ProofCase] = {}
    for short, constructor, types in constructors_at(typ, language):
        names = _names(types, taken)
        value = list_comb(constructor, [Free(name, each) for name, each in names])
        prop = hol.trueprop(hol.eq(term, value, typ), typed=True)
        found[short] = ProofCase(tuple(names), (("", (prop,)),), None)
    return found


def _record_case(term: Term, typ: Typ, taken: set[str], language: Language) -> ProofCase | None:
    """`r = ⦇x = a, y = b⦈`; None where the type is none of a record."""
    levels, rest = record_levels(typ, language.signature.constants)
    if not levels:
        return None
    types = [each for _, own in levels for each in own]
    whole = rest == UNIT
    names = _names([*types, *([] if whole else [rest])], taken)
    fields: list[Term] = [Free(name, each) for name, each in names]
    more = Const(UNITY, UNIT) if whole else fields.pop()
    value = record_made([(maker, len(own)) for maker, own in levels], fields, more)
    return ProofCase(tuple(names), (("", (hol.trueprop(hol.eq(term, value, typ), typed=True),)),), None)


@dataclass(frozen=True)
class MethodText:
    """`(induct xs arbitrary: y rule: r)`."""

    name: str
    arguments: tuple[SourceToken, ...]
    arbitrary: tuple[str, ...]
    other: str  # an option that is not read, or ""
    rule: str = ""  # `set r` for `set: r`
    attributes: tuple[tuple[SourceToken, ...], ...] = ()  # of the rule, each without its commas and brackets


def method_text(tokens: Sequence[SourceToken]) -> MethodText:
    """The first method of `proof ...`; what is joined to it by `,` or `;` makes its cases unknown."""
    inner = list(tokens)
    if inner and inner[0].keyword("("):
        inner = inner[1:-1]
    if not inner:
        return MethodText("", (), (), "")
    name, rest = inner[0].text, inner[1:]
    arguments: list[SourceToken] = []
    arbitrary: list[str] = []
    section, other, rule = "", "", ""
    attributes: list[tuple[SourceToken, ...]] = []
    place = 0
    while place < len(rest):
        token = rest[place]
        following = rest[place + 1] if place + 1 < len(rest) else None
        if following is not None and following.keyword(":") and not token.quoted:
            section = token.text
            other = other or (section if section not in ("arbitrary", "rule", "set", "pred") else "")
            place += 2
            continue
        if token.keyword("[") and section == "rule" and rule and not attributes:
            end = next((at for at in range(place, len(rest)) if rest[at].keyword("]")), len(rest))
            attributes = list(map(tuple, split_at(",", rest[place + 1 : end])))
            place = end
        elif token.keyword(",", ";", "|", "+", "?", "(", "[", "!"):
            other = other or token.text
        elif section == "arbitrary":
            arbitrary.append(token.text)
        elif section in ("rule", "set", "pred"):
            other = other or ("several rules" if rule else "")
            rule = f"{'' if section == 'rule' else 'set '}{token.text}"
        elif not section:
            arguments.append(token)
        place += 1
    return MethodText(name, tuple(arguments), tuple(arbitrary), other, rule, tuple(attributes))
