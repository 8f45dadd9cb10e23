"""Whose is an inner `show`, where one command states several things (`shows A and B`, `have A and B`, `goal_cases`)?

Isabelle refines all statements at once, so the graph has an edge from each of them to every inner `show`. A `show`
belongs to the statements whose conclusion it states; else, as after an induction, to the one statement of which it is
an instance; else, where nothing can be told, to all.
"""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.logic.hol import strip_pure_all, strip_pure_imp
from isarstep.logic.terms import Abs, App, Bound, Const, Free, Term, Var, beta_eta_normal, instantiate, loose


def belonging(show: Term, statements: Sequence[Term]) -> list[int]:
    """Places of the statements that the show belongs to."""
    shown = conclusion(show)
    conclusions = [conclusion(statement) for statement in statements]
    equal = [place for place, stated in enumerate(conclusions) if stated == shown]
    if equal:
        return equal
    fitting = [place for place, stated in enumerate(conclusions) if is_instance(shown, stated)]
    return fitting if len(fitting) == 1 else list(range(len(statements)))


def conclusion(proposition: Term) -> Term:
    """What a rule concludes; variables that it binds are schematic."""
    count = 0
    while True:
        _, inner = strip_pure_imp(proposition)
        binders, _ = strip_pure_all(inner)
        if not binders:
            return beta_eta_normal(inner)
        # The name cannot be one of a variable of the proof.
        proposition = instantiate(binders[0].body, Var(f"bound {count}", 0, binders[0].type))
        count += 1


def is_instance(term: Term, pattern: Term) -> bool:
    """Is it the pattern with other terms for its free and schematic variables?"""
    chosen: dict[Term, Term] = {}
    todo = [(pattern, term)]
    while todo:
        general, special = todo.pop()
        if isinstance(general, Free | Var):
            if loose(special) or chosen.setdefault(general, special) != special:
                return False
        elif type(general) is App and type(special) is App:
            todo += [(general.fun, special.fun), (general.arg, special.arg)]
        elif type(general) is Abs and type(special) is Abs:
            todo.append((general.body, special.body))
        elif type(general) is Const and type(special) is Const:
            if general.name != special.name:
                return False
        elif not (type(general) is Bound and general == special):
            return False
    return True
