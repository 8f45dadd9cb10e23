"""Whose is an inner `show`, where one command states several things (`shows A and B`, `have A and B`, `goal_cases`)?

Isabelle refines all statements at once, so the graph has an edge from each of them to every inner `show`. A `show`
belongs to the statements whose conclusion it states; else, as after an induction, to those of which it is an instance,
the most special ones. Where neither tells, as after `unfolding`, it belongs to the statement that comes next after that
of the `show` before it, else to those that no `show` was found for, else to all.
"""

from __future__ import annotations

from collections.abc import Sequence

from isarstep.isabelle.terms.hol import EQ, dest_binary, dest_trueprop, strip_pure_all, strip_pure_imp
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var, erase, instantiate, loose


def owning_statements(shows: Sequence[Term], statements: Sequence[Term]) -> list[list[int]]:
    """For each show of a block, in order, the places of the statements that it belongs to."""
    told = [belonging(show, statements) for show in shows]
    unclaimed = [place for place in range(len(statements)) if not any(place in places for places in told)]
    found: list[list[int]] = []
    for places in told:
        after = found[-1][0] + 1 if found and len(found[-1]) == 1 else None
        following = [after] if after is not None and after in unclaimed else unclaimed
        found.append(places or following or list(range(len(statements))))
    return found


def belonging(show: Term, statements: Sequence[Term]) -> list[int]:
    """Places of the statements that the show itself tells to belong to; none where it does not tell."""
    shown = conclusion(show)
    conclusions = [conclusion(statement) for statement in statements]
    # Types are left aside: a command may state for its own type variables what its proof shows for others.
    equal = [place for place, stated in enumerate(conclusions) if erase(stated) == erase(shown)]
    if equal:
        return equal
    fitting = [place for place, stated in enumerate(conclusions) if not _bare(stated) and is_instance(shown, stated)]
    return [
        place
        for place in fitting
        if all(
            is_instance(conclusions[other], conclusions[place]) <= is_instance(conclusions[place], conclusions[other])
            for other in fitting
        )
    ]


def _bare(stated: Term) -> bool:
    """Is it a variable, or an equation of two? Too much is an instance of that."""
    inner = dest_trueprop(stated) or stated
    return all(isinstance(side, Free | Var) for side in dest_binary(EQ, inner) or [inner])


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
