"""The fact base: the library's theorems in order, with typed propositions made only for those that are asked for.

A fact may be used for a step only if it comes before the step's theorem: in a theory that the step's theory rests on,
or in that theory itself. Theories are ordered, each after its parents, and inside a theory facts stand in order of
declaration. Of a theorem without a name nobody knows where it stands: before it come definitions of what it mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.store.earlier_uses import EarlierUses
from isarstep.benchmark.store.example import Example
from isarstep.common.errors import UserError
from isarstep.isabelle.context.columns import ColumnValues, Repeated, numbers_of
from isarstep.isabelle.context.monomorphisation import Named
from isarstep.isabelle.context.uses_above import NOTHING_USED, UsesAbove
from isarstep.isabelle.syntax.grammar.abbreviations import expand, meaning
from isarstep.isabelle.terms.hol import BOOL, PROP
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.terms import App, Const, Term, fun

TRUTH = App(Const("HOL.Trueprop", fun(BOOL, PROP)), Const("HOL.True", BOOL))

DEFINING = ("_def", ".simps")  # behind the name of a constant
OF_DATATYPE = ("case", "sel", "map", "set", "size", "disc", "rec", "pred_inject", "rel_inject", "rel_distinct",
               "select_convs", "update_convs", "simps")  # fmt: skip
# How full names end of facts that packages make, and of definitions.
OF_TYPES = ("induct", "inducts", "cases", "exhaust", "inject", "distinct", "ext_inject", "code")
RULES = ("_def", "_code", *(f".{end}" for end in (*OF_TYPES, *OF_DATATYPE)))

# Rules that packages make for every type, set and function, and rules of coinduction.
MADE = re.compile(r"\.p?inducts?$|\.(Rep|Abs)_\w+_induct$|\.(rel|abs|cong)_induct$|coinduct|inductive")
BASE = "HOL."


class Lines:
    """The tokens of facts, read when they are wanted: a context has a tenth of all."""

    def __init__(self, propositions: Callable[[], Any], numbers: Callable[[], npt.NDArray[np.int64]]) -> None:
        self._propositions, self._numbers = cache(propositions), cache(numbers)
        self._known: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._numbers())

    def __getitem__(self, place: int) -> str:
        if place not in self._known:
            self._known[place] = str(self._propositions()[int(self._numbers()[place])])
        return self._known[place]

    def read(self, facts: npt.NDArray[np.int64]) -> None:
        """Many at once: a file is unpacked in large pieces."""
        self._known.update(zip(facts.tolist(), self._propositions().lines(self._numbers()[facts]), strict=True))


class Library:
    """A fact base from columns. `typed` makes the typed term of a row; the most recent ones are kept."""

    def __init__(
        self,
        names: Sequence[str],
        indices: Sequence[int],
        theories: Callable[[], Repeated],
        texts: Sequence[str] | Lines,
        typed: Callable[[int], Term],
        signature: Signature,
        uses: Callable[[], npt.NDArray[np.int64]] | None = None,
        lemmas: Callable[[], Mapping[str, Sequence[int]]] = dict,
        identity: str = "",
        earlier: EarlierUses | None = None,
    ) -> None:
        self.identity = identity  # the same for the same facts, whatever the process; empty: nobody knows
        self.texts = texts  # tokens of each fact, in library order
        self._names, self._indices, self._theories = names, indices, cache(theories)  # of every fact
        self._count_uses, self._lemmas, self._earlier = uses, cache(lemmas), earlier
        self._have_read: set[str] = set()
        self._theory_texts = cache(self._texts_of)
        self.alike = lru_cache(maxsize=1024)(self._alike)  # every question about an example asks for its own

        def fact(number: int) -> Named:
            """Name and typed proposition, abbreviations unfolded."""
            try:
                return Named(self.name(number), expand(typed(number), signature))
            except (UserError, StopIteration, AssertionError):
                return Named(self.name(number), TRUTH)  # a fact that cannot be read says nothing

        self.fact: Callable[[int], Named] = lru_cache(maxsize=50_000)(fact)
        self.visible = lru_cache(maxsize=64)(self._visible)  # examples come theory by theory
        # The constants that one stands for, where it is an abbreviation.
        self.meaning: Callable[[str], frozenset[str]] = cache(lambda name: meaning(name, signature))

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def _theorems(self) -> Mapping[tuple[str, str], Sequence[int]]:
        places: dict[tuple[str, str], list[int]] = {}
        for number, key in enumerate(zip(self._theories(), self._names, strict=True)):
            places.setdefault(key, []).append(number)
        return places

    @cached_property
    def uses(self) -> npt.NDArray[np.int64]:
        """For every fact how often training examples name it as used; all 0 where nobody knows."""
        return np.zeros(len(self), np.int64) if self._count_uses is None else self._count_uses()

    def of_theory(self, theory: str) -> npt.NDArray[np.int64]:
        """The facts of a theory, in order."""
        number = self._theory_places.get(theory)
        return np.zeros(0, np.int64) if number is None else self._theories().places(number)

    @cached_property
    def _theory_places(self) -> Mapping[str, int]:
        return {theory: place for place, theory in enumerate(self._theories().different)}

    def in_new_entry(self, theory: str) -> bool:
        """Is it of an entry of the benchmark that nobody trains on?"""
        return self._earlier is not None and self._earlier.has(theory)

    def used_above(self, example: Example) -> UsesAbove:
        """What the steps above an example of such an entry use."""
        return NOTHING_USED if self._earlier is None else self._earlier.above(example)

    def before(self, theory: str, theorem: str = "") -> int:
        """Facts with smaller numbers come before this theorem, or at least before its theory; 0: it is unknown."""
        found = self.statements(theory, theorem)
        if found or theory not in self._theory_places:
            return found[0] if found else 0
        return int(self._theories().first[self._theory_places[theory]])

    def _visible(self, theories: frozenset[str]) -> npt.NDArray[np.bool_]:
        """For every fact whether it is of one of these theories."""
        known = np.array([name in theories for name in self._theories().different], np.bool_)
        return known[self._theories().which]

    def own(self, theory: str, theorem: str, constants: Iterable[str]) -> Sequence[int]:
        """Of a theorem that is no fact, facts of its own theory that come before it though their numbers do not say so:
        definitions of these constants, which the step mentions."""
        if self.statements(theory, theorem):
            return ()  # `before` says it all
        return sorted(n for name in {f"{name}_def" for name in constants} for n in self.statements(theory, name))

    def statements(self, theory: str, theorem: str) -> Sequence[int]:
        """The facts that a theorem consists of."""
        return self._theorems.get((theory, theorem), ())

    def rules(self, name: str) -> Sequence[int]:
        """The facts of this full name, of whatever theory, or the definitions with this end, `.less_nat_def`; known are
        only names that packages give to rules, and those of definitions."""
        return self._rules.get(name, ())

    @cached_property
    def _rules(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            if name.endswith(RULES) or "_induct" in name:
                found.setdefault(name, []).append(number)
                if name.endswith("_def"):
                    found.setdefault(f".{name.rpartition('.')[2]}", []).append(number)
        return found

    @cached_property
    def inductions(self) -> Sequence[int]:
        """Rules of induction that somebody proved by hand, by their names, outside of HOL's own theories."""
        named = [number for number, name in enumerate(self._names) if "nduct" in name and not MADE.search(name)]
        return [number for number in named if not self.theory(number).startswith(BASE)]

    def name(self, number: int) -> str:
        """As `fact` names it."""
        index = self._indices[number]
        return f"{self._names[number]}({index})" if index else self._names[number]

    def theorem(self, number: int) -> str:
        """Full name of the theorem that a fact belongs to."""
        return self._names[number]

    def theory(self, number: int) -> str:
        """The theory that a fact belongs to."""
        return self._theories()[number]

    def read(self, theories: frozenset[str] | None) -> None:
        """Have the tokens of these theories' facts at hand, or of all; otherwise they are read one by one."""
        unread = [theory for theory in self._among(theories) if theory not in self._have_read]
        if isinstance(self.texts, Lines) and unread:
            self.texts.read(np.concatenate([self.of_theory(theory) for theory in unread]))
        self._have_read.update(unread)

    def find(self, text: str, theories: frozenset[str] | None = None) -> Sequence[int]:
        """The facts of these theories, or of all, with exactly these tokens."""
        return [number for number in self._as_long(text, theories) if self.texts[number] == text]

    def _alike(self, text: str, theories: frozenset[str] | None = None) -> Sequence[int]:
        """The facts of these theories, or of all, with these tokens up to the names of variables, free or schematic."""
        pattern = _pattern(text)
        return [number for number in self._as_long(text, theories) if _pattern(self.texts[number]) == pattern]

    def _as_long(self, text: str, theories: frozenset[str] | None) -> list[int]:
        """Facts of as many tokens, in order: to look at all of them takes a second."""
        self.read(theories)
        length = text.count(" ")
        return sorted(n for theory in self._among(theories) for n in self._theory_texts(theory).get(length, ()))

    def _among(self, theories: frozenset[str] | None) -> Iterable[str]:
        known = self._theory_places
        return known if theories is None else (theory for theory in theories if theory in known)

    def _texts_of(self, theory: str) -> Mapping[int, Sequence[int]]:
        """The facts of a theory by how many blanks their tokens have."""
        found: dict[int, list[int]] = {}
        for number in self.of_theory(theory).tolist():
            found.setdefault(self.texts[number].count(" "), []).append(number)
        return found

    def in_context(self, text: str) -> Sequence[int]:
        """The facts that an example's lemma is which stands there in the words of its context."""
        return self._lemmas().get(text, ())

    @staticmethod
    def of_benchmark(benchmark: Any) -> Library:
        """The fact base of a benchmark folder; a column is read when it is asked for."""
        from isarstep.isabelle.context.fact_table import FACTS, type_of_constant, typed
        from isarstep.isabelle.terms.tokens import decode
        from isarstep.isabelle.terms.type_text import parse_type

        def column(name: str) -> ColumnValues[Any]:
            return ColumnValues(lambda: benchmark.column(FACTS, name))

        def uses() -> npt.NDArray[np.int64]:
            from isarstep.benchmark.store.fact_search import uses_in_training

            return uses_in_training(benchmark)

        general = type_of_constant(benchmark.signature)
        types = column("types")
        texts = Lines(lambda: benchmark.propositions, lambda: numbers_of(benchmark.column(FACTS, "proposition")))
        parsed = lru_cache(maxsize=None)(lambda number: parse_type(benchmark.types[number]))

        def term(number: int) -> Term:
            return typed(decode(texts[number]), [parsed(n) for n in types[number]], general)

        return Library(
            column("name"),
            column("index"),
            lambda: benchmark.repeated(FACTS, "theory"),
            texts,
            term,
            benchmark.signature,
            uses,
            lambda: lemmas_in_context(benchmark),
            benchmark.hash,
            EarlierUses(benchmark),
        )


def lemmas_in_context(benchmark: Any) -> Mapping[str, Sequence[int]]:
    """The lemmas of examples that are no facts as they stand, and which facts they are."""
    from isarstep.benchmark.store.layout import LEMMAS, files_of

    if not files_of(benchmark.manifest, LEMMAS):
        return {}
    table = benchmark.table(LEMMAS)
    stated: npt.NDArray[np.int64] = benchmark.facts["proposition"].to_numpy()
    proposition, fact = table["proposition"].to_numpy(), table["fact"].to_numpy()
    other = stated[fact] != proposition
    found: dict[str, list[int]] = {}
    for text, number in zip(benchmark.propositions.lines(proposition[other]), fact[other].tolist(), strict=True):
        found.setdefault(text, []).append(number)
    return found


_VARIABLE = re.compile(r"(?:FREE|VAR) \S+")


def _pattern(text: str) -> str:
    """The text without the names of its variables."""
    return _VARIABLE.sub("_", text)
