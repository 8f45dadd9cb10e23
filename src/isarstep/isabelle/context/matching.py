"""Matching of typed terms: what a pattern's variables stand for where it is a given term.

Variables that are applied to bound ones stand for functions of these (Miller's patterns), so that `λx. f x + g x` fits
`λn. 2 * X n + 1`; applied to anything else they are matched part by part, and their type with that of the function
that they stand for. Each type variable stands for one type of its sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from isarstep.common.cancellation import check_deadline
from isarstep.isabelle.context.monomorphisation import Substitution, match_in_sorts
from isarstep.isabelle.terms.normal_forms import beta_normal
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Const,
    Free,
    Term,
    TVar,
    Typ,
    Var,
    increase,
    strip_comb,
    substitute,
    substitute_types,
)
from isarstep.isabelle.terms.type_text import type_variables
from isarstep.isabelle.terms.types import applied_type, instantiate_type
from isarstep.isabelle.terms.variables import as_function


@dataclass(slots=True)
class Matching:
    """What variables and type variables stand for. `fits` says whether there is a matching, and extends it."""

    signature: Signature
    terms: dict[tuple[str, int], Term] = field(default_factory=dict)
    types: Substitution = field(default_factory=dict)

    def fits(self, pattern: Term, term: Term) -> bool:
        """After False the matching is of no use."""
        todo: list[tuple[Term, Term, tuple[Typ | None, ...]]] = [(pattern, term, ())]
        check_deadline()
        while todo:
            left, right, binders = todo.pop()
            head, arguments = strip_comb(left)
            if type(head) is Var and _pattern(arguments, binders):
                if not self._variable(head, arguments, right, binders):
                    return False
            elif type(left) is Abs:
                domain = right.type if type(right) is Abs else self._instantiated(left.type)
                if not self.fits_type(left.type, domain):
                    return False
                body = right.body if type(right) is Abs else App(increase(right, 1), Bound(0))
                todo.append((left.body, body, (domain, *binders)))
            elif type(left) is App:
                if type(right) is not App or (
                    type(head) is Var and not self._typed(head, len(arguments), right, binders)
                ):
                    return False
                # The function first: its types are known before those of what it is applied to.
                todo += [(left.arg, right.arg, binders), (left.fun, right.fun, binders)]
            elif type(left) is Const:
                if type(right) is not Const or left.name != right.name or not self.fits_type(left.type, right.type):
                    return False
            elif left != right:  # a bound variable, or a fixed one
                return False
        return True

    def extended(self, pattern: Term, term: Term) -> Matching | None:
        """Another matching, by which the pattern is the term, too."""
        made = Matching(self.signature, dict(self.terms), dict(self.types))
        return made if made.fits(pattern, term) else None

    def complete(self, variables: Iterable[Typ]) -> bool:
        """Has every one of these type variables a value? An instance has none left."""
        return all(variable in self.types for variable in variables if isinstance(variable, TVar))

    def fits_type(self, pattern: Typ | None, typ: Typ | None) -> bool:
        """The same of types."""
        if pattern is None or typ is None:
            return False
        more = match_in_sorts(pattern, typ, self.types, self.signature)
        if more is None:
            return False
        self.types = more
        return True

    def _typed(self, variable: Var, count: int, term: Term, binders: tuple[Typ | None, ...]) -> bool:
        """Is there a function in the term, applied to so many arguments, that has the variable's type? No constant
        around the variable says so: `f x` with `f` from nat would fit a function from int."""
        head, arguments = strip_comb(term)
        found = applied_type(_type_of_head(head, binders), len(arguments) - count)
        return len(arguments) >= count and self.fits_type(variable.type, found)

    def _variable(self, variable: Var, arguments: Sequence[Term], term: Term, binders: tuple[Typ | None, ...]) -> bool:
        """The variable, applied to different bound variables of the pattern, stands for what remains of the term when
        these are abstracted."""
        places = [node.index for node in arguments if type(node) is Bound]
        value = as_function(term, places, [binders[place] for place in places])
        key = (variable.name, variable.index)
        return value is not None and self.terms.setdefault(key, value) == value

    def _instantiated(self, typ: Typ | None) -> Typ | None:
        """None where some of it is not known yet."""
        made = None if typ is None else instantiate_type(typ, self.types)
        return None if made is None or any(isinstance(v, TVar) for v in type_variables(made)) else made

    def instance(self, term: Term) -> Term:
        """The term with what is known put in, reduced."""
        typed = substitute_types(term, lambda typ: instantiate_type(typ, self.types))
        terms = self.terms
        made = substitute(typed, lambda leaf: terms.get((leaf.name, leaf.index)) if type(leaf) is Var else None)
        return beta_normal(made)


def _type_of_head(head: Term, binders: Sequence[Typ | None]) -> Typ | None:
    if type(head) is Bound:
        return binders[head.index] if head.index < len(binders) else None
    return head.type if isinstance(head, Const | Free | Var) else None


def _pattern(arguments: Sequence[Term], binders: Sequence[Typ | None]) -> bool:
    """Are these different bound variables of the pattern? A variable that is applied to others, as the operations of a
    locale are, is matched part by part: not all matchings are found, and none that is none."""
    places = {node.index for node in arguments if type(node) is Bound and node.index < len(binders)}
    return len(places) == len(arguments)
