"""`primrec`, `fun` and `function`: their constants, and their equations where these surely hold.

Equations of `fun` are tried in order: a later one holds only where no earlier one fits, so it is split until none does.
An equation is a fact only where termination is seen here or proved in the file; otherwise the constant alone is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from isarstep.common.errors import UserError
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import (
    Const,
    Free,
    Term,
    Typ,
    Type,
    frees,
    list_comb,
    rebuild,
    strip_comb,
    strip_fun,
    subterms,
)
from isarstep.isabelle.terms.variables import substitute_frees
from isarstep.isabelle.theory.declarations.termination import all_terminate, loops_forever
from isarstep.isabelle.theory.environment.declarations import recursive_text, retyped, sides_of
from isarstep.isabelle.theory.environment.file_environment import OwnContext, TokenReader
from isarstep.isabelle.theory.rules.function_induction import induction_of_function
from isarstep.isabelle.theory.rules.proof_cases import FIRST_CONSTRUCTORS, LITERALS
from isarstep.isabelle.theory.rules.recursive_calls import Shape
from isarstep.isabelle.theory.rules.rule_cases import InductionRule
from isarstep.isabelle.theory.text.statements import NotRead, type_names, types_inside

_MADE = re.compile(r"(?:v|uu)\d+")  # variables that are made here
MOST_EQUATIONS = 200  # after splitting
_TRUTH = {"HOL.True": 0, "HOL.False": 0}
# Datatypes whose recursors have other names.
_WITHOUT_RECURSOR = ("Nat.nat", "Product_Type.prod", "Product_Type.unit", "Sum_Type.sum", "HOL.bool")


@dataclass(frozen=True)
class FunctionEquation:
    """`f p q = r`, with f a constant."""

    head: str
    patterns: tuple[Term, ...]
    right: Term
    place: int
    conditions: tuple[Term, ...] = ()


def recursive_function(context: OwnContext, reader: TokenReader) -> None:
    """`fun`, `primrec` and `function`."""
    options = [token.text for token in reader.bracket()] if reader.is_keyword("(") else []
    text = recursive_text(context, reader)
    names, used, types = text.names, text.used, text.types
    _refuse_parameters(context, reader, [each.name for each in names], used)
    sequential = reader.command == "fun" or "sequential" in options
    places = [each.inside for each in text.texts]
    equations = [_sides(context, t, place, types, used) for t, place in zip(text.terms, places, strict=True)]
    under = next((each for each in equations if each.conditions), None)
    if under is not None and (sequential or reader.command == "primrec"):
        raise NotRead(context.source, under.place, "expected an equation; conditions are read in `function`")

    def inductive(typ: Typ | None) -> bool:
        return isinstance(typ, Type) and is_inductive(typ.name, context)

    meaning: dict[str, Const] = {}
    applied: dict[str, Term] = {}  # as facts have it: with the parameters of the locale
    for each in names:
        full, applied[full] = context.declare_applied(each.name, types[each.name], used)
        meaning[each.name] = Const(full)
    made = [
        replace(each, head=meaning[each.head].name, right=substitute_frees(each.right, meaning)) for each in equations
    ]
    try:
        final = _accepted(made, context, reader.command, sequential=sequential)
        if reader.command == "function" and loops_forever(
            _as_calls(each for each in made if not each.conditions), set(applied), _shapes(context), inductive
        ):
            raise UserError("it does not terminate")
    except UserError as error:
        final = []
        context.note(reader.start, f"the equations of {names[0].name} are left out: {error}")
    terminates = reader.command != "function" and all_terminate(
        _as_calls(made), set(applied), _shapes(context), inductive
    )
    if reader.command != "function" and final and not terminates:
        context.note(
            reader.start, f"the equations of {names[0].name} are left out: that it terminates is not seen here"
        )
    facts = [(each.name, _facts_of(context, final, meaning[each.name], applied)) for each in names]
    full = context.full_name(names[0].name)
    context.waiting[full] = facts
    if reader.command in ("fun", "function") and len(names) == 1 and under is None and not context.own_congruences:
        rule = induction_of_function([(each.patterns, each.right) for each in final], full, _shapes(context))
        if rule is not None and not _speaks_of_locale(rule, full, used):
            context.waiting_rules[full] = rule
    if terminates:
        give_equations(context, names[0].name)


def _shapes(context: OwnContext) -> Shape:
    """Constructors by case constant, for datatypes of the file and the usual ones."""
    language = context.language

    def shape(name: str) -> Sequence[tuple[str, int]] | None:
        known = {case: rows for case, rows in language._datatypes.values() if context.is_own(case)}
        known.update(language.datatype(first) for first in FIRST_CONSTRUCTORS)
        return known.get(name)

    return shape


def _refuse_parameters(context: OwnContext, reader: TokenReader, names: Sequence[str], used: Sequence[str]) -> None:
    """What is not read of a function inside a locale."""
    if any(_MADE.fullmatch(name) for name in context.parameters):
        raise NotRead(context.source, reader.start, f"`{reader.command}` in a locale with parameters of this name")
    if reader.command == "primrec" and len(names) > 1 and used:
        raise NotRead(context.source, reader.start, "a `primrec` of several names inside a locale is not read")


def _speaks_of_locale(rule: InductionRule, full: str, used: Sequence[str]) -> bool:
    """Do its conditions name parameters of a locale, or the function itself, which takes them?"""
    nodes = [node for case in rule.cases for premise in case.premises for node in subterms(premise)]
    parameters = any(isinstance(node, Free) and node.name in used for node in nodes)
    return parameters or (bool(used) and any(isinstance(node, Const) and node.name == full for node in nodes))


def give_equations(context: OwnContext, name: str) -> None:
    """Make the equations of a function that waits facts, once it is known to terminate, where it was declared."""
    full = context.full_name(name)
    for base, props in context.waiting.pop(full):
        if props:
            context.add_facts(f"{base}.simps", props, simp=True)
    if full in context.waiting_rules:
        context.inductions[full] = context.waiting_rules.pop(full)


def withhold_equations(context: OwnContext) -> None:
    """Of the function that was declared last: nobody has proved that its equations fit together."""
    full = next(reversed(context.waiting))
    context.waiting[full] = [(base, []) for base, _ in context.waiting[full]]
    context.waiting_rules.pop(full, None)


def _sides(
    context: OwnContext, term: Term, place: int, new: Mapping[str, Typ], used: Sequence[str]
) -> FunctionEquation:
    conditions, shown = hol.strip_pure_imp(term)
    sides = sides_of(shown)
    if sides is None:
        raise NotRead(context.source, place, "expected an equation")
    head, patterns = strip_comb(sides[0])
    if not isinstance(head, Free) or head.name not in new:
        raise NotRead(context.source, place, "the left side is none of the new functions")
    left = [node.name for pattern in patterns for node in subterms(pattern) if isinstance(node, Free)]
    if len(set(left)) != len(left):
        raise NotRead(context.source, place, "a variable stands twice on the left side")
    if set(left) & set(used):
        raise NotRead(context.source, place, "a parameter of the locale stands in a pattern")
    extra = {node.name for each in (*conditions, sides[1]) for node in frees(each)} - {*left, *new, *used}
    if extra:
        raise NotRead(context.source, place, f"{min(extra)!r} does not stand on the left side")
    if any(node.name in new for each in conditions for node in frees(each)):
        raise NotRead(context.source, place, "a condition about the function itself is not read")
    known = type_names([*new.values(), *(context.parameters[name] for name in used)])
    if types_inside((*conditions, sides[1])) - known:
        raise NotRead(context.source, place, "the right side has a type variable that the function does not have")
    return FunctionEquation(head.name, tuple(patterns), sides[1], place, tuple(conditions))


def _facts_of(
    context: OwnContext, equations: Sequence[FunctionEquation], head: Const, applied: Mapping[str, Term]
) -> list[Term]:
    found = []

    def put(node: Term, _depth: int) -> Term:
        return applied.get(node.name, node) if isinstance(node, Const) else node

    for each in equations:
        if each.head == head.name:
            types = {n.name: n.type for p in each.patterns for n in frees(p) if n.type is not None}
            shown = hol.trueprop(hol.eq(list_comb(head, each.patterns), each.right))
            prop = rebuild(hol.list_pure_imp(each.conditions, shown), put)
            try:
                found.append(retyped(context, prop, {**context.parameters, **types}))
            except UserError:
                found.append(retyped(context, prop, dict(context.parameters)))
    return found


# Patterns


def is_inductive(name: str, context: OwnContext) -> bool:
    """Is a type with constructors a datatype, and no codatatype? Then its values have a size, and it has a recursor."""
    if name in _WITHOUT_RECURSOR or context.is_own(name):  # codatatypes of a file are not read
        return True
    return f"{name}.rec_{name.rpartition('.')[2]}" in context.theory_context.signature.constants


def _as_calls(equations: Iterable[FunctionEquation]) -> list[tuple[str, Sequence[Term], Term]]:
    return [(each.head, each.patterns, each.right) for each in equations]


def _accepted(
    equations: Sequence[FunctionEquation], context: OwnContext, command: str, *, sequential: bool
) -> list[FunctionEquation]:
    """The equations that hold if Isabelle accepts them. Raises UserError where it surely does not, or where that is
    not seen here."""
    widths: dict[str, int] = {}
    for each in equations:
        if not each.patterns:
            raise UserError("it has no arguments")
        if widths.setdefault(each.head, len(each.patterns)) != len(each.patterns):
            raise UserError("its equations have different numbers of arguments")
        for pattern in each.patterns:
            _refuse_pattern(pattern, context.language)
    if command == "primrec":
        _refuse_primitive(equations, context)
    if any(each.conditions for each in equations):
        return list(equations)
    in_order = split_in_order(equations, context.language)
    if not sequential and in_order != list(equations):
        raise UserError("they overlap")
    return in_order


def _refuse_pattern(pattern: Term, language: Language) -> None:
    """Raises UserError where something in a pattern is neither a variable nor a constructor with all its arguments."""
    if isinstance(pattern, Free):
        return
    head, arguments = strip_comb(pattern)
    count = dict(constructors_of(head.name, language)).get(head.name) if isinstance(head, Const) else None
    if count != len(arguments):
        raise UserError("a pattern is made of other things than constructors")
    assert isinstance(head, Const)
    if head.name in LITERALS and head.type is not None and head.type != Type("Nat.nat"):
        raise UserError("a pattern is made of other things than constructors")
    for argument in arguments:
        _refuse_pattern(argument, language)


def _refuse_primitive(equations: Sequence[FunctionEquation], context: OwnContext) -> None:
    """Of `primrec` one argument has a constructor, in all equations the same one, and no other constructor inside."""
    places: dict[str, int] = {}
    for each in equations:
        found = [place for place, pattern in enumerate(each.patterns) if not isinstance(pattern, Free)]
        if len(found) != 1 or places.setdefault(each.head, found[0]) != found[0]:
            raise UserError("one argument with a constructor is expected in each, in the same place")
        head, arguments = strip_comb(each.patterns[found[0]])
        if not all(isinstance(argument, Free) for argument in arguments):
            raise UserError("a constructor of variables is expected")
        typ = strip_fun(head.type)[1] if isinstance(head, Const) and head.type is not None else None
        if not isinstance(typ, Type) or not is_inductive(typ.name, context):
            raise UserError("its argument is of no datatype")


def constructors_of(constructor: str, language: Language) -> list[tuple[str, int]]:
    """All constructors of the datatype that has this one. Raises UserError where it is none."""
    if constructor in _TRUTH:
        return list(_TRUTH.items())
    return language.datatype(constructor)[1]


def split_in_order(equations: Sequence[FunctionEquation], language: Language) -> list[FunctionEquation]:
    """Each equation at the instances that no earlier one of the same function fits. Raises UserError."""
    done: list[FunctionEquation] = []
    for place, equation in enumerate(equations):
        parts = [equation]
        for earlier in equations[:place]:
            if earlier.head == equation.head:
                parts = [rest for part in parts for rest in _less(part, earlier, language)]
            if len(parts) > MOST_EQUATIONS:
                raise UserError("its patterns overlap in too many ways")
        done += parts
    return done


def _less(equation: FunctionEquation, earlier: FunctionEquation, language: Language) -> list[FunctionEquation]:
    """What is left of an equation where the earlier one does not fit."""
    if len(equation.patterns) != len(earlier.patterns):
        raise UserError("its equations have different numbers of arguments")
    where = _first_difference(equation.patterns, earlier.patterns, language)
    if where is None:
        return []
    if where == "apart":
        return [equation]
    assert isinstance(where, tuple)
    variable, constructor = where
    found: list[FunctionEquation] = []
    for constructor_name, arguments in constructors_of(constructor, language):
        taken = {node.name for term in (*equation.patterns, equation.right) for node in frees(term)}
        names = [name for name in (f"v{number}" for number in range(len(taken) + arguments)) if name not in taken]
        put = {variable: list_comb(Const(constructor_name), [Free(name) for name in names[:arguments]])}
        patterns = tuple(substitute_frees(pattern, put) for pattern in equation.patterns)
        instance = replace(equation, patterns=patterns, right=substitute_frees(equation.right, put))
        found += _less(instance, earlier, language) if constructor_name == constructor else [instance]
    return found


def _first_difference(
    patterns: Sequence[Term], earlier: Sequence[Term], language: Language
) -> tuple[str, str] | str | None:
    """None: the earlier patterns fit; "apart": they fit nowhere; else a variable and the constructor it must have for
    them to fit."""
    found: tuple[str, str] | None = None
    todo = list(zip(patterns, earlier, strict=True))
    while todo:
        mine, other = todo.pop(0)
        if isinstance(other, Free):
            continue
        (head, arguments), (wanted, others) = strip_comb(mine), strip_comb(other)
        if not isinstance(wanted, Const) or wanted.name not in dict(constructors_of(wanted.name, language)):
            raise UserError("a pattern is made of other things than constructors")
        if isinstance(mine, Free):
            found = found or (mine.name, wanted.name)
        elif not isinstance(head, Const):
            raise UserError("a pattern is made of other things than constructors")
        elif head.name != wanted.name:
            if head.name not in dict(constructors_of(wanted.name, language)):
                raise UserError("a pattern is made of other things than constructors")
            return "apart"
        else:
            todo = [*zip(arguments, others, strict=True), *todo]
    return found
