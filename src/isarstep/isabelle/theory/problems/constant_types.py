"""Constants of the asker's own have one type in a problem, as its variables have, wherever the problem types so.

A fact about one, `∀xs x. snoc xs x = xs @ [x]`, mentions no variable whose type the goal shares. Left to itself it
would hold at some other type than that of the goal, and nothing would follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import CONSTRAINT, Context, infer_context
from isarstep.isabelle.syntax.grammar.language import Language
from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.terms import App, Const, Free, Term, TVar, Typ, fun, rebuild
from isarstep.isabelle.terms.type_text import parse_type, type_variables
from isarstep.isabelle.terms.types import map_type, schematic_type
from isarstep.isabelle.theory.problems.open_types import of_some_sort, read_given_type
from isarstep.isabelle.theory.problems.problem import Problem, ProblemError

AS_VARIABLE = "~"  # before its name, which no variable has


def with_one_type(
    names: Sequence[str], terms: Sequence[Term], signature: Signature, given: Context
) -> tuple[dict[str, Typ], dict[str, Typ]] | None:
    """The types of these constants and of the variables where each constant has one type in all terms. None: none of
    the constants has a type that could be several, or one is used at more than one."""
    declared = {name: signature.constants[name].type for name in names if name in signature.constants}
    general = {name: typ for name, typ in declared.items() if type_variables(typ)}
    if not general:
        return None
    given = {**given, **{AS_VARIABLE + name: _apart(typ, name) for name, typ in general.items()}}
    try:
        types = infer_context([_as_variables(term, general) for term in terms], signature, given)
    except UserError:
        return None
    own = {name: types[AS_VARIABLE + name] for name in general if AS_VARIABLE + name in types}
    return own, {name: typ for name, typ in types.items() if not name.startswith(AS_VARIABLE)}


def marked_with(types: Mapping[str, Typ], term: Term) -> Term:
    """The term with marks that give these constants these types."""

    def leaf(node: Term, _depth: int) -> Term:
        if type(node) is Const and node.name in types:
            typ = types[node.name]
            return App(Const(CONSTRAINT, fun(typ, typ)), node)
        return node

    return rebuild(term, leaf)


def _as_variables(term: Term, names: Mapping[str, Typ]) -> Term:
    return rebuild(
        term, lambda leaf, _: Free(AS_VARIABLE + leaf.name) if type(leaf) is Const and leaf.name in names else leaf
    )


def _apart(typ: Typ, name: str) -> Typ:
    """With variables that no other constant's type has; what they stand for is not yet known."""
    return map_type(typ, lambda variable: TVar(f"{variable.name}{AS_VARIABLE}{name}", 0, variable.sort))


def own_signature(problem: Problem, language: Language) -> Signature:
    """What the asker declares beside all that is known. Programs, which write tokens, may tell all
    constants that they mention, and types that nobody here knows."""
    constants, signature = [], language.signature
    for name, text in problem.constants.items():
        if name in signature.constants:
            if problem.form == "tokens":
                continue
            raise ProblemError("invalid", "there is a constant of this name; take another", f"constants.{name}")
        try:
            typ = parse_type(text) if problem.form == "tokens" else read_given_type(text, language)
        except UserError as error:
            raise ProblemError("type", str(error), f"constants.{name}") from None
        constants.append(Constant(name, schematic_type(of_some_sort(typ))))
    types = Signature.build(constants).types
    # Whatever its constructor, a type of HOL is of its one class.
    of_hol = (
        (name, "HOL.type", [("HOL.type",)] * count) for name, count in types.items() if name not in signature.types
    )
    return Signature.build(constants, arities=of_hol)
