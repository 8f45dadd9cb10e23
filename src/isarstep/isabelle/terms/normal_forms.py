"""Normal forms of terms, with what they cost counted while they are made: a few dozen parts can have a normal form that
no machine could hold.
"""

from __future__ import annotations

from isarstep.common.cancellation import check_deadline
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.terms import (
    Abs,
    App,
    Bound,
    Term,
    Type,
    increase,
    list_comb,
    occurs_bound,
    rebuild,
    subterms,
)

MOST_CONTRACTIONS = 20_000
MOST_GROWTH = 1_000_000  # parts of terms that are looked at while a normal form is made, after the first contraction
MOST_PARTS = 10_000  # of a statement with all that its names stand for
MOST_TYPE_PARTS = 2_000  # of a type: it is shared while it is inferred, and written out by others
LOOK = 1_024  # parts after which it is looked whether there is time left


class TooLargeError(UserError):
    """A term whose normal form is too large, or takes too many steps."""

    def __init__(self) -> None:
        super().__init__("unsupported: the statement grows too large when its functions and abbreviations are unfolded")


def refuse_growth(term: Term, limit: int = MOST_PARTS) -> Term:
    """Return the term. Raises TooLargeError where it, or a type in it, has too many parts: shared parts count wherever
    they occur, as everything that walks over a term meets them there."""
    for count, node in enumerate(subterms(term)):
        if count >= limit:
            raise TooLargeError
        if type(node) is App or type(node) is Bound:
            continue
        if type(node.type) is Type and node.type.size > MOST_TYPE_PARTS:
            raise TooLargeError
    return term


def beta_normal(term: Term, limit: int = MOST_CONTRACTIONS) -> Term:
    """Contract every `(ABS b) $ a`, outermost first. Raises TooLargeError where that takes more than `limit`
    contractions, or makes too much, which typed terms of a few dozen parts can do; and DeadlineError."""
    return _Normalisation(limit, eta=False).normal(term)


def beta_eta_normal(term: Term, limit: int = MOST_CONTRACTIONS) -> Term:
    """Beta-normal, and `ABS f $ BOUND 0` is f wherever f does not mention that variable. Raises as `beta_normal`."""
    return _Normalisation(limit, eta=True).normal(term)


class _Normalisation:
    """One normal form, with what it costs counted while it is made."""

    def __init__(self, contractions: int, *, eta: bool) -> None:
        self.eta = eta
        self.contractions = contractions  # that are left
        self.growth = MOST_GROWTH  # parts that are left
        self.contracted = False

    def look(self) -> None:
        """Now and then: may it go on? A term without redexes may have any size."""
        check_deadline()
        if self.growth < 0 and self.contracted:
            raise TooLargeError

    def contract(self, body: Term, argument: Term) -> Term:
        """`instantiate`, counted."""
        self.contractions -= 1
        if self.contractions < 0:
            raise TooLargeError
        self.contracted = True
        closed = True
        todo = [(argument, 0)]
        while todo and closed:
            self.growth -= 1
            if not self.growth % LOOK:
                self.look()
            node, depth = todo.pop()
            if type(node) is App:
                todo.append((node.arg, depth))
                todo.append((node.fun, depth))
            elif type(node) is Abs:
                todo.append((node.body, depth + 1))
            else:
                closed = type(node) is not Bound or node.index < depth

        def leaf(node: Term, depth: int) -> Term:
            self.growth -= 1
            if not self.growth % LOOK:
                self.look()
            if type(node) is not Bound or node.index < depth:
                return node
            if node.index > depth:
                return Bound(node.index - 1)
            if closed or not depth:
                return argument
            return rebuild(argument, lambda inner, inside: self.increased(inner, inside, depth))

        return rebuild(body, leaf)

    def increased(self, node: Term, depth: int, by: int) -> Term:
        self.growth -= 1
        if not self.growth % LOOK:
            self.look()
        return Bound(node.index + by) if type(node) is Bound and node.index >= depth else node

    def normal(self, term: Term) -> Term:
        done: list[Term] = []
        todo: list[tuple[Term, int]] = [(term, -1)]  # a number >= 0: build from that many results
        while todo:
            self.growth -= 1
            if not self.growth % LOOK:
                self.look()
            node, count = todo.pop()
            if count > 0:  # an application of a leaf to arguments that are normal now
                arguments = done[-count:]
                del done[-count:]
                done.append(list_comb(node, arguments))
            elif count == 0 and type(node) is Abs:
                body = done.pop()
                if self.eta and type(body) is App and body.arg == Bound(0) and not occurs_bound(body.fun, 0):
                    done.append(increase(body.fun, -1))
                else:
                    done.append(Abs(node.name, node.type, body))
            else:
                head, spine = node, list[Term]()
                while True:
                    if type(head) is App:
                        spine.append(head.arg)
                        head = head.fun
                    elif type(head) is Abs and spine:
                        head = self.contract(head.body, spine.pop())
                    else:
                        break
                if type(head) is Abs:
                    todo.append((head, 0))
                    todo.append((head.body, -1))
                elif spine:
                    todo.append((head, len(spine)))
                    todo.extend((argument, -1) for argument in spine)
                else:
                    done.append(head)
        return done[0]
