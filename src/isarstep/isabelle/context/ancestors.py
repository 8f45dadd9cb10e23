"""What theories rest on: the walk along their imports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def ancestors_first(theories: Iterable[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Theories and all that they rest on, parents before children, else in the order in which they are named."""
    order: dict[str, None] = {}
    begun: set[str] = set()
    todo = [*theories][::-1]
    while todo:
        theory = todo[-1]
        if theory in begun:
            order.setdefault(todo.pop())
        else:
            begun.add(theory)
            todo += [parent for parent in reversed(parents.get(theory, ())) if parent not in begun]
    return list(order)
