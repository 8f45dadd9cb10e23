"""Theory contexts: what exists where a question is asked. One is a theory, or several that Isabelle could import
together, with all that they rest on: their constants, instances and facts, and nothing else.

A benchmark's signature is that of all its theories together, and there they contradict each other: lists are ordered in
four ways. So nobody asks a question of all theories at once; reading, typing, premises, provers and answers share one
context. Of the theory in which an example stands, only the constants count that are declared before it.
"""

from __future__ import annotations

import re
import threading
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from isarstep.common.cancellation import undisturbed
from isarstep.common.errors import UserError
from isarstep.common.memo import MadeWhenAsked
from isarstep.isabelle.context.ancestors import ancestors_first
from isarstep.isabelle.context.clashes import precedence
from isarstep.isabelle.syntax.grammar.language import Language, Rows, usual_notation
from isarstep.isabelle.terms.signature import Constant, Signature, abbreviations_of
from isarstep.isabelle.terms.terms import Sort, Term

if TYPE_CHECKING:
    from isarstep.isabelle.context.library_facts import LibraryFacts

Arities: TypeAlias = Mapping[str, tuple[Sort, ...]]  # of a constructor: class -> sorts that the arguments must have
Exists: TypeAlias = Callable[[str], bool]  # of a constant's name
_NAMED = re.compile(r"(CONST|FREE) (\S+)")
PURE = "Pure"  # imported by all, listed by none
MOST_LANGUAGES = 32  # that are kept, about 3 MB each
USUAL = "Complex_Main"  # where a problem stands that says nothing about it


class ProofPlace(Protocol):
    """A place in a proof of a theory, and the statements known there; an `Example` of the benchmark is one."""

    @property
    def theory(self) -> str: ...
    @property
    def proof(self) -> int: ...
    @property
    def fixed(self) -> int: ...
    @property
    def types(self) -> Mapping[str, str]: ...
    def source(self, *, hints: bool = True) -> Sequence[tuple[int, str]]: ...


@dataclass(frozen=True)
class Declared:
    """What a theory declares (`benchmark/extraction/declared.py`)."""

    first_proof: Mapping[str, int] = field(hash=False)  # of its constants: the first of its proofs that mentions them
    arities: frozenset[str]  # constructor and class, with a blank between
    exact: bool = False  # then it is the first proof after the declaration, mentioned or not
    # What an arity asks of the arguments; without it, what some theory asks that declares the same.
    sorts: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Constants:
    """Those of some theories."""

    theories: frozenset[str]
    by_name: Mapping[str, Constant] = field(hash=False)

    @cached_property
    def abbreviations(self) -> frozenset[str]:
        return frozenset(abbreviations_of(self.by_name))


class TheoryContexts:
    """All contexts of a benchmark, made from the imports of its theories; `qualified` are those whose names begin with
    their session. Of theories that are not among `declared` all is taken to be there from their beginning, everywhere.
    """

    def __init__(
        self,
        whole: Signature,
        parents: Mapping[str, Sequence[str]] | None = None,
        qualified: Iterable[str] = (),
        declared: Mapping[str, Declared] | None = None,
        notation: Callable[[], Mapping[str, Rows]] = dict,
    ) -> None:
        self.whole = whole
        self._read_notation = notation
        self.parents: Mapping[str, Sequence[str]] = parents or {}
        self.declared: Mapping[str, Declared] = declared or {}
        self._qualified = frozenset(qualified)
        self.qualified_sessions = frozenset(name.partition(".")[0] for name in self._qualified)
        self._alone = cache(self._theory_context)
        self._together = lru_cache(maxsize=MOST_LANGUAGES)(self._theory_context)  # users may ask for any set of imports
        self._speaking: dict[TheoryContext, None] = {}  # contexts that have made their language, the last ones last
        self._counting = threading.Lock()
        self.rests_on = cache(lambda theory: frozenset(ancestors_first((theory,), self.parents)))  # and itself
        self.library: Callable[[], LibraryFacts] | None = None  # facts by name, where the benchmark has them
        self.usual_part: Constants | None = None  # what is there while the rest has not been read

    @cached_property
    def notation(self) -> Mapping[str, Rows]:
        """What each theory adds to notation; read when it is first asked for."""
        return self._read_notation()

    def constants_for(self, theories: frozenset[str] | None) -> Constants:
        """All constants that exist in some of these theories, and others."""
        part = self.usual_part
        return part if part is not None and theories is not None and theories <= part.theories else self._constants

    @cached_property
    def _constants(self) -> Constants:
        return Constants(frozenset(), self.whole.constants)

    @cached_property
    def everything(self) -> TheoryContext:
        """Where nothing is known of theories, and to look up names; no question to a prover is asked in it."""
        return TheoryContext(self, (), None)

    def _at(self, imports: tuple[str, ...]) -> TheoryContext:
        return self._alone(imports) if len(imports) == 1 else self._together(imports)

    def speaks(self, theory_context: TheoryContext) -> None:
        """A context has made its language, which takes megabytes: those that were made long ago are dropped."""
        with self._counting:
            self._speaking[theory_context] = None
            while len(self._speaking) > MOST_LANGUAGES:
                oldest = next(iter(self._speaking))
                del self._speaking[oldest]
                for name in ("language", "signature"):
                    oldest.__dict__.pop(name, None)

    def at(self, theory: str) -> TheoryContext:
        """The end of a theory; where its imports are not known, everything."""
        return self._at((theory,)) if theory in self.parents else self.everything

    def importing(self, names: Iterable[str]) -> TheoryContext:
        """The context of somebody who imports these theories, given by full name or by an end of it that is unique.
        Raises UserError where there is no such theory, or where Isabelle could not merge them.
        """
        imports = tuple(dict.fromkeys(map(self._found, names)))
        # What another one rests on adds nothing.
        least = tuple(t for t in imports if not any(t != other and t in self.rests_on(other) for other in imports))
        theory_context = self._at(least)
        if len(least) > 1:
            self._refuse_clashes(theory_context)
        return theory_context

    def holding(self, constants: Iterable[str]) -> Iterator[TheoryContext]:
        """The contexts of single theories that have all these constants: the usual one first, then the smallest."""
        wanted = {self.prefix(name) for name in constants} - {PURE}
        if USUAL in self.parents and wanted <= self.at(USUAL).prefixes:
            yield self.at(USUAL)
        yield from (self.at(theory) for theory in self._by_size if wanted <= self.at(theory).prefixes)

    def prefix(self, constant: str) -> str:
        """What says of a constant's name which theory it is from."""
        first = constant.partition(".")[0]
        if first not in self.qualified_sessions:  # nearly always
            return first
        session = ".".join(constant.split(".", 2)[:2])
        return session if session in self._qualified else first

    def home(self, theory: str) -> str:
        """What the names of a theory's constants begin with."""
        return theory if theory in self._qualified else theory.rpartition(".")[2]

    def in_isabelle(self, text: str) -> str:
        """A text with the names that Isabelle has: there no name begins with a session."""
        sessions = "|".join(map(re.escape, self.qualified_sessions))
        shorter = re.compile(rf"(?<![\w.'])(?:{sessions})\.(\w+)\.(?=[\w'])") if sessions else None
        if shorter is None:
            return text
        return shorter.sub(lambda found: f"{found[1]}." if self.prefix(found[0]) in self._qualified else found[0], text)

    @cached_property
    def theories_by_home(self) -> Mapping[str, Sequence[str]]:
        """Theories by what the names of their constants begin with."""
        found: dict[str, list[str]] = {}
        for theory in self.parents:
            found.setdefault(self.home(theory), []).append(theory)
        return found

    @cached_property
    def unplaced(self) -> frozenset[str]:
        """What the names of constants begin with whose theory is in no table, as in a benchmark of a few graphs. They
        exist everywhere: nobody knows where they do not.
        """
        if USUAL in self.parents:
            return frozenset()
        return frozenset(map(self.prefix, self.whole.constants)) - {*self.theories_by_home}

    @cached_property
    def declaring(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Constructor, class -> theories that declare this instance."""
        found: dict[str, dict[str, set[str]]] = {}
        for theory, content in self.declared.items():
            for constructor, _, class_ in (arity.partition(" ") for arity in content.arities):
                found.setdefault(constructor, {}).setdefault(class_, set()).add(theory)
        return {t: {c: frozenset(by) for c, by in table.items()} for t, table in found.items()}

    @cached_property
    def _by_size(self) -> list[str]:
        return sorted(self.parents.keys() - {USUAL}, key=lambda theory: (len(self.rests_on(theory)), theory))

    def _theory_context(self, imports: tuple[str, ...]) -> TheoryContext:
        return TheoryContext(self, imports, frozenset().union(*map(self.rests_on, imports)))

    def _found(self, name: str) -> str:
        if name in self.parents:
            return name
        ends = sorted((theory for theory in self.parents if theory.endswith("." + name)), key=precedence)
        # Isabelle's own theories come before those of the Archive: whoever writes Multiset means HOL-Library's.
        if ends and [precedence(theory)[0] for theory in ends].count(precedence(ends[0])[0]) == 1:
            return ends[0]
        if not self.parents:
            raise UserError(f"theory {name}: this benchmark does not say which theories it is made of")
        raise UserError(f"theory {name}: {'which one? ' + ', '.join(ends[:5]) if ends else 'there is none'}")

    def _refuse_clashes(self, theory_context: TheoryContext) -> None:
        """Two theories that give one type two instances of one class never meet, unless some theory merges them."""
        near = theory_context.theories or frozenset()
        clashes = [
            (constructor, class_, sorted(theories & near))
            for constructor, table in self.declaring.items()
            for class_, theories in table.items()
            if len(theories & near) > 1 and not any(theories & near <= self.rests_on(each) for each in self.parents)
        ]
        if clashes:
            constructor, class_, (one, other, *_) = min(clashes)
            raise UserError(
                f"Isabelle cannot merge {' and '.join(theory_context.imports)}: "
                f"{one} and {other} both make {constructor} an instance of {class_}"
            )


class TheoryContext:
    """One of them. `theories` is None where nothing is known of theories, and all of the signature exists."""

    def __init__(
        self,
        theory_contexts: TheoryContexts,
        imports: tuple[str, ...],
        theories: frozenset[str] | None,
        own: Signature | None = None,
    ) -> None:
        self._theory_contexts, self.imports, self.theories = theory_contexts, imports, theories
        self._own = own

    # Of a theory of somebody's own on top of this context: name, typed proposition, whether it is a simp rule.
    own_facts: Sequence[tuple[str, Term, bool]] = ()
    own_inductions: Sequence[tuple[str, Term]] = ()  # rules of its types, functions and predicates

    def in_isabelle(self, text: str) -> str:
        """A text with the names that Isabelle has."""
        return self._theory_contexts.in_isabelle(text)

    def of_library(self, constant: str) -> bool:
        """Is it a constant of the benchmark's theories, and not of somebody's own?"""
        return constant in self._theory_contexts.whole.constants

    def library_facts(self, name: str) -> Sequence[tuple[str, Term]]:
        """The propositions of the library's theorem that is called so here; none where no one theorem is meant."""
        library = self._theory_contexts.library
        return () if library is None or self.theories is None else library().called(name, self.theories)

    def numbers_of_facts(self, names: Iterable[str]) -> Mapping[str, Sequence[int]]:
        """The library's facts that have one of these names here."""
        library = self._theory_contexts.library
        return {} if library is None else library().numbers(names, self.theories)

    @property
    def knows_facts(self) -> bool:
        """Are the library's facts known by name?"""
        return self._theory_contexts.library is not None

    def in_some_locale(self, name: str) -> bool:
        """Has a locale of the library a fact that would be called so inside?"""
        library = self._theory_contexts.library
        return library is not None and library().in_some_locale(name, self.theories)

    def with_own(self, own: Signature) -> TheoryContext:
        """This context and what somebody's own theory on top of it declares."""
        return TheoryContext(self._theory_contexts, self.imports, self.theories, own)

    @staticmethod
    def of_signature(signature: Signature) -> TheoryContext:
        """All of a signature that comes without theories."""
        return TheoryContexts(signature).everything

    @property
    def name(self) -> str:
        """As answers show it: "in Complex_Main"."""
        return " + ".join(self.imports) or "all theories"

    @cached_property
    @undisturbed()
    def signature(self) -> Signature:
        """Of the whole one what exists here."""
        if self._own is not None:
            return _extended(TheoryContext(self._theory_contexts, self.imports, self.theories).signature, self._own)
        whole, theory_contexts = self._theory_contexts.whole, self._theory_contexts
        if self.theories is None:
            return whole
        near = self.theories & theory_contexts.parents.keys()
        arities = whole.arities
        if all(theory in theory_contexts.declared for theory in near):
            arities = _NearInstances(whole, theory_contexts, near)
        return replace(whole, constants=_NearConstants(whole.constants, self.exists, self._names), arities=arities)

    def _names(self) -> list[str]:
        return self.existing(self._theory_contexts.constants_for(self.theories).by_name)

    @cached_property
    @undisturbed()
    def language(self) -> Language:
        """How people write here. All theories together, and those whose notation nobody has mined, are written as
        Complex_Main is."""
        notation, parents = self._theory_contexts.notation, self._theory_contexts.parents
        order = ancestors_first(self.imports or ((USUAL,) if USUAL in parents else ()), parents) or [*usual_notation()]
        rows = [notation.get(theory, {}) for theory in order] if self.imports else []
        ranks = {self._theory_contexts.home(theory): place for place, theory in enumerate(order)}

        def rank(name: str) -> int:
            return ranks.get(self._theory_contexts.prefix(name), -1)

        known = self._theory_contexts.constants_for(self.theories).abbreviations
        abbreviations = [name for name in known if self.exists(name)]
        if not self.imports:  # nobody writes all abbreviations of all theories
            abbreviations = [name for name in abbreviations if rank(name) >= 0]

        made = Language(rows, self.signature, abbreviations, rank)
        if made.judgment is None:
            usual = [notation.get(theory, {}) for theory in order] if USUAL in parents else []
            first = usual if any("productions" in each for each in usual) else usual_notation().values()
            made = Language([*first, *(rows or [{}])], self.signature, abbreviations, rank)
        made.home = self._theory_contexts.home(self.imports[0]) if len(self.imports) == 1 else ""
        self._theory_contexts.speaks(self)
        return made

    @cached_property
    def prefixes(self) -> frozenset[str]:
        """What the names of constants begin with that exist here."""
        return frozenset({PURE, *map(self._theory_contexts.home, self.theories or ())}) | self._theory_contexts.unplaced

    def exists(self, constant: str) -> bool:
        """Tells of a constant's name whether it exists at the end of all imports."""
        if self._own is not None and constant in self._own.constants:
            return True
        return self.theories is None or self._theory_contexts.prefix(constant) in self.prefixes

    def existing(self, constants: Iterable[str]) -> list[str]:
        """Those that exist, of very many."""
        # Nearly all begin with their theory, and names of the same theory exist together.
        here, elsewhere = set[str](), set[str]()
        found: list[str] = []
        for name in constants:
            first = name.partition(".")[0]
            if first in here:
                found.append(name)
            elif first not in elsewhere:
                exists = self.exists(name)
                if first not in self._theory_contexts.qualified_sessions and self._own is None:
                    (here if exists else elsewhere).add(first)
                if exists:
                    found.append(name)
        return found

    def elsewhere(self, name: str) -> list[str]:
        """Theories that declare a constant of this name and are not imported here, Isabelle's own first."""
        whole = self._theory_contexts.whole.constants
        called = [full for full in whole if full.endswith("." + name) and not self.exists(full)]
        called = [full for full in called if not full.endswith(f".class.{name}")]  # predicates of classes
        homes = self._theory_contexts.theories_by_home
        return sorted(
            {theory for full in called for theory in homes.get(self._theory_contexts.prefix(full), ())}, key=precedence
        )

    def known(self, example: ProofPlace) -> Exists:
        """Tells of a constant's name whether one who has read the theory up to the example's proof, and its source,
        can know it. What this proof alone mentions does not count: its target would give it away.
        """
        declared = self._theory_contexts.declared.get(example.theory) if example.proof >= 0 else None
        if declared is None:
            return self.exists
        read = {name for _, line in example.source(hints=False) for name in line.split()}
        home, first = self._theory_contexts.home(example.theory), declared.first_proof

        def known(name: str) -> bool:
            if self._theory_contexts.prefix(name) != home:
                return self.exists(name)
            # A proof that mentions a constant would give it away; one that stands after its declaration does not.
            return first.get(name, example.proof + 1) < example.proof + declared.exact or name in read

        return known

    def absence(self, example: ProofPlace, proposition: str) -> str | None:
        """Says which constant or variable of a proposition does not exist at an example; None: all do."""
        declared = self._theory_contexts.declared.get(example.theory) if example.proof >= 0 else None
        later = declared.first_proof if declared is not None else {}
        for kind, name in _NAMED.findall(proposition):
            if kind == "CONST" and not self.exists(name):
                return f"constant {name} is of a theory that {self.name} does not import"
            if kind == "CONST" and later.get(name, -1) > example.proof:
                return f"constant {name} is mentioned in {example.theory} only by later proofs"
            if kind == "FREE" and name not in example.types and _number(name) >= example.fixed >= 0:
                return f"variable {name} is not fixed here"
        return None


def _extended(signature: Signature, own: Signature) -> Signature:
    """Nothing is copied, and what is there already stays as it is."""
    parts: dict[str, Any] = {}
    for part in ("constants", "types", "classes", "arities"):
        there = getattr(signature, part)
        parts[part] = ChainMap({name: new for name, new in getattr(own, part).items() if name not in there}, there)
    return replace(signature, **parts)


class _NearConstants(Mapping[str, Constant]):
    """Of all constants those that exist; only their names are copied, once somebody asks for all of them."""

    def __init__(self, whole: Mapping[str, Constant], exists: Exists, names: Callable[[], list[str]]) -> None:
        self._whole, self._exists, self._names = whole, exists, names

    @cached_property
    def _near(self) -> list[str]:
        return self._names()

    def __getitem__(self, name: str) -> Constant:
        if not self._exists(name):
            raise KeyError(name)
        return self._whole[name]

    def __contains__(self, name: object) -> bool:
        return name in self._whole and self._exists(str(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._near)

    def __len__(self) -> int:
        return len(self._near)


class _NearInstances(MadeWhenAsked[Arities]):
    """Of all arities those that some theories declare, and what follows from these; a constructor's are looked at when
    asked for."""

    def __init__(self, signature: Signature, theory_contexts: TheoryContexts, near: frozenset[str]) -> None:
        super().__init__(signature.arities)
        self._signature, self._theory_contexts, self._near = signature, theory_contexts, near

    def make(self, constructor: str) -> Arities:
        theories = self._theory_contexts.declaring.get(constructor)
        table: Arities = self._rows[constructor]
        if theories is None:
            return table
        here = [class_ for class_, by in theories.items() if not by.isdisjoint(self._near)]
        others, below = table.keys() - theories.keys(), self._signature.subclass
        implied = {class_ for class_ in others if any(below(lower, class_) for lower in here)}
        return {
            class_: self._sorts(constructor, class_, sorts)
            for class_, sorts in table.items()
            if class_ in implied or class_ in here
        }

    def _sorts(self, constructor: str, class_: str, otherwise: tuple[Sort, ...]) -> tuple[Sort, ...]:
        """What the declaring theories of this context ask of the arguments, all of them together."""
        by = self._theory_contexts.declaring[constructor].get(class_, frozenset()) & self._near
        asked = [self._theory_contexts.declared[theory].sorts.get(f"{constructor} {class_}") for theory in sorted(by)]
        known = [tuple(map(tuple, sorts)) for sorts in asked if sorts is not None and len(sorts) == len(otherwise)]
        if not known:
            return otherwise
        return tuple(self._signature.minimal(c for sort in column for c in sort) for column in zip(*known, strict=True))


def _number(variable: str) -> int:
    digits = variable[2:-1]
    return int(digits) if digits.isdecimal() else -1
