"""Terms of a graph as text, quickly: each shared subterm is written once.

The text is what `encode_line` gives, with variables still under their names, between marks; `Template` cuts it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from isarstep.benchmark.store.ids import proposition_digest
from isarstep.isabelle.terms.normal_forms import beta_eta_normal
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, subterms
from isarstep.isabelle.terms.tokens import decode

_MARK = "\x01"  # before and behind the name of a variable


class Texts:
    """Text of terms by identity: for terms that stay alive as long as this table, like those of one graph."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        """`terms` are written at once: parts before wholes, like the table of a graph. All others when asked for."""
        self._known: dict[int, str] = {}
        self._write(terms)

    def of(self, root: Term) -> str:
        text = self._known.get(id(root))
        if text is None:
            self._write([*subterms(root)][::-1])  # parts before wholes
            text = self._known[id(root)]
        return text

    def _write(self, terms: Iterable[Term]) -> None:
        known = self._known
        for node in terms:
            if type(node) is App:
                function, argument = known[id(node.fun)], known[id(node.arg)]
                kind = type(node.arg)
                if kind is App or kind is Abs:
                    argument = f"( {argument} )"
                known[id(node)] = (
                    f"( {function} ) $ {argument}" if type(node.fun) is Abs else f"{function} $ {argument}"
                )
            elif type(node) is Const:
                known[id(node)] = "CONST " + node.name
            elif type(node) is Bound:
                known[id(node)] = f"BOUND {node.index}"
            elif type(node) is Abs:
                known[id(node)] = "ABS " + known[id(node.body)]
            elif type(node) is Free:
                known[id(node)] = f"FREE {_MARK}{node.name}{_MARK}"
            else:
                known[id(node)] = f"VAR {_MARK}?{node.name}.{node.index}{_MARK}"


class Template:
    """A proposition as text with gaps where its variables stand: schematic ones have their numbers, others get them."""

    __slots__ = ("_parts", "_pattern", "_shown", "names", "outline", "rendered", "schematics")

    def __init__(self, text: str) -> None:
        self._parts = text.split(_MARK)  # text and names by turns
        gaps = self._parts[1::2]
        distinct = dict.fromkeys(gaps)
        self.names = tuple([name for name in distinct if name[0] != "?"])
        self.schematics = tuple([name for name in distinct if name[0] == "?"])
        self._shown = {name: f"<V{number}>" for number, name in enumerate(self.schematics)}
        self._pattern = b""
        self.rendered: dict[tuple[int, ...], int] = {}  # numbers of its variables -> proposition
        # Numbers of constants and variables: eta keeps them, so most pairs need no closer look.
        self.outline = (text.count("CONST "), len(gaps), len(distinct))

    def text(self, numbers: Mapping[str, int]) -> str:
        if len(self._parts) == 1:
            return self._parts[0]
        shown = self._shown
        for name in self.names:
            shown[name] = f"<X{numbers[name]}>"
        parts = self._parts.copy()
        parts[1::2] = [shown[name] for name in parts[1::2]]
        return "".join(parts)

    @property
    def pattern(self) -> bytes:
        """Digest of what all its texts share: the text whose variables are numbered as they come."""
        if not self._pattern:
            self._pattern = proposition_digest(self.text({name: place for place, name in enumerate(self.names)}))
        return self._pattern


def schematic_text(text: str) -> str | None:
    """The proposition of a text without free variables, its schematic ones numbered; None where it has free ones."""
    template = Template(text)
    return None if template.names else template.text({})


def alike(left: str, right: str) -> bool:
    """Do two lines of tokens differ by eta at most? Rules for cases and induction leave `ABS f $ BOUND 0` for `f`."""
    if left == right:
        return True
    if "ABS" not in left and "ABS" not in right:
        return False
    # Eta-expansion adds neither names nor changes their order: cheap to compare first.
    if _leaves(left) != _leaves(right):
        return False
    return beta_eta_normal(decode(left)) == beta_eta_normal(decode(right))


def _leaves(text: str) -> list[str]:
    words = text.split()
    return [name for word, name in pairwise(words) if word in ("CONST", "FREE", "VAR")]
