"""The learned selector of premises over a library: the facts of some theories, embedded when they are first asked about
and kept in a file of the cache folder.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from isarstep.benchmark.arrays.corpus import Ints, Longs
from isarstep.common.disk_cache import cache_folder
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.common.memo import memo
from isarstep.isabelle.context.uses_above import NOTHING_USED, UsesAbove
from isarstep.premises.fact_base import Library
from isarstep.premises.relevance import joined_in_order, largest_scores
from isarstep.premises.selector.network import OUT, EmbeddedFacts, Floats, LightSelector, asked_words, load_selector
from isarstep.premises.selector.premise_questions import ABOVE, CONSEQUENCE, GIVEN, OTHER, PLACE, PROVED, STEP
from isarstep.premises.selector.word_bags import Words, bags_of, bags_of_names, joined_bags, numbered_texts, word_table

CONTEXTS = 4  # whose facts are kept in memory
FILES = 6  # of contexts that are kept, the youngest ones
_LAYOUT = 2  # of the file
IN_NEW_ENTRIES = 2.5  # times what is learned for constants in common counts there (`premises_run.py select`)
# For each e-fold of the steps that use a fact: in this proof, in proofs above, in theories below (the same command).
USED = (3.0, 2.0, 0.5)


@dataclass(frozen=True)
class SelectorQuestion:
    """What is asked with. A prover's question has a step; the model's never has."""

    step: str = ""
    given: tuple[str, ...] = ()  # F.2
    consequence: str = ""  # F.3
    other: tuple[str, ...] = ()  # F.4
    statement: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    theory: str = ""
    in_new_entry: bool = False  # training has seen nothing of what is worked on: constants in common say more
    used_above: UsesAbove = NOTHING_USED

    def texts(self) -> list[tuple[int, str]]:
        """With roles, in their order."""
        found = [(STEP, self.step), *((GIVEN, text) for text in self.given), (CONSEQUENCE, self.consequence)]
        found += [(OTHER, text) for text in self.other] + [(PROVED, text) for text in self.statement]
        return [(role, text) for role, text in [*found, *((ABOVE, text) for text in self.earlier)] if text]


@dataclass(frozen=True, eq=False)
class TheoryFacts:
    """The facts of one theory; constants as numbers of all words that were met."""

    numbers: Longs
    vectors: npt.NDArray[np.float16]
    gains: Floats
    constant: Ints
    owner: Longs


@dataclass(frozen=True, eq=False)
class KeptTexts:
    """The tokens of facts as a file has them, one behind the other."""

    joined: npt.NDArray[np.uint8]
    ends: Longs

    @staticmethod
    def of(texts: Iterable[str]) -> KeptTexts:
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return KeptTexts(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def at(self, place: int) -> str:
        begin = int(self.ends[place - 1]) if place else 0
        return self.joined[begin : int(self.ends[place])].tobytes().decode()


@dataclass(frozen=True, eq=False)
class ContextFacts:
    """The facts of some theories. `constant[i]` (a place in `words`) stands in the fact `owner[i]`."""

    numbers: Longs
    embedded: EmbeddedFacts
    words: tuple[str, ...]
    place: dict[str, int]  # of each of the words
    constant: Ints
    owner: Ints
    weight: Floats  # of a constant: how rare it is here
    factor: Floats  # of a mention: what it adds to a cosine
    texts: KeptTexts | None  # of each fact; None: the library has read them

    @staticmethod
    def of(
        numbers: Longs,
        embedded: EmbeddedFacts,
        words: tuple[str, ...],
        constant: Ints,
        owner: Ints,
        texts: KeptTexts | None = None,
    ) -> ContextFacts:
        frequency = np.bincount(constant, minlength=len(words))
        weight = np.log(max(len(numbers), 1) / np.maximum(frequency, 1)) + 1e-3
        norm = np.sqrt(np.bincount(owner, weight[constant] ** 2, len(numbers)))
        factor = weight[constant] / np.maximum(norm[owner], 1e-9)
        place = {word: number for number, word in enumerate(words)}
        floats: tuple[Floats, Floats] = (weight.astype(np.float32), factor.astype(np.float32))
        return ContextFacts(numbers, embedded, words, place, constant, owner, *floats, texts)

    def add(self, score: Floats, uses: Mapping[int, int], weight: float) -> None:
        """To the scores of facts that earlier steps use."""
        facts = np.array(sorted(uses), np.int64)
        place = np.searchsorted(self.numbers, facts)
        known = np.append(self.numbers, -1)[place] == facts
        times = np.array([uses[fact] for fact in facts[known].tolist()], np.float32)
        score[place[known]] += np.float32(weight) * np.log1p(times)

    def cosines(self, asked: Iterable[str]) -> Floats:
        """How near each fact is to these constants; those that nobody here mentions make all facts less near."""
        place, names = self.place, set(asked)
        rare = np.log(max(len(self.numbers), 1)) + 1e-3
        query = np.zeros(len(self.words), np.float32)
        here = [place[name] for name in names if name in place]
        query[here] = self.weight[here]
        norm = np.sqrt(float((query**2).sum()) + rare**2 * (len(names) - len(here)))
        shared = np.flatnonzero(query[self.constant])
        gained = query[self.constant[shared]] * self.factor[shared]
        sums = np.bincount(self.owner[shared], gained, len(self.numbers))
        found: Floats = (sums / max(norm, 1e-9)).astype(np.float32)
        return found


class LearnedSelection:
    """Ranks the facts of some theories for a question."""

    def __init__(self, library: Library, selector: LightSelector, name: str, cache: Path | None = None) -> None:
        """`name` of the library, so that no file is taken for another's; without a cache folder no file is kept."""
        self.library, self.selector, self._name = library, selector, name
        self._folder = cache
        self._context = lru_cache(maxsize=CONTEXTS)(self._read)
        self._of_theory = lru_cache(maxsize=None)(lambda theory: self._embed(library.of_theory(theory)))
        self._word: dict[str, int] = {}  # of all theories that were embedded here

    def rank(
        self,
        question: SelectorQuestion,
        size: int,
        before: int | None,
        exclude: Iterable[int] = (),
        also: Sequence[int] = (),
        theories: frozenset[str] | None = None,
    ) -> list[int]:
        """Numbers of the `size` facts that look most useful, best first; of those among the first `before` and `also`,
        where that is said, and of `theories` alone, where these are given."""
        here = self._context(theories)
        score = self.scores(question, here)
        usable = np.ones(len(here.numbers), bool) if before is None else here.numbers < before
        for numbers, use in ((also, True), (tuple(exclude), False)):
            if numbers:
                usable[np.isin(here.numbers, np.array(numbers, np.int64))] = use
        return [int(number) for number in here.numbers[largest_scores(score, usable, size)]]

    def scores(self, question: SelectorQuestion, here: ContextFacts) -> Floats:
        texts = question.texts()
        names, tokens, starts = numbered_texts([text for _, text in texts])
        words = word_table(names)
        bags, roles = bags_of(tokens, starts, words), np.array([role for role, _ in texts], np.int64)
        asked = [names[number] for number in asked_words(bags, roles, len(words)).tolist()]
        if question.theory:
            bags = joined_bags(bags, bags_of_names([question.theory], len(words)))
            roles = np.append(roles, PLACE)
        vector = self.selector.question(self.selector.words(words), bags, roles)
        alpha = self.selector.for_provers if question.step else self.selector.for_model
        alpha *= IN_NEW_ENTRIES if question.in_new_entry else 1
        product: Floats = here.embedded.vectors @ vector
        score: Floats = product * self.selector.scale + here.embedded.gains + alpha * here.cosines(asked)
        above = question.used_above
        for weight, uses in zip(USED, (above.proof, above.theory, above.entry), strict=True):
            here.add(score, uses, weight)
        return score

    def text(self, number: int, theories: frozenset[str] | None) -> str:
        """The tokens of one of the facts of these theories."""
        here = self._context(theories)
        if here.texts is None:
            return self.library.texts[number]
        return here.texts.at(int(np.searchsorted(here.numbers, number)))

    def _read(self, theories: frozenset[str] | None) -> ContextFacts:
        if self._folder is None:
            return self._made(theories)
        told = "*" if theories is None else "\n".join(sorted(theories))
        key = hashlib.sha256(f"{_LAYOUT}\n{self.selector.hash}\n{self._name}\n{told}".encode()).hexdigest()[:24]
        path = self._folder / f"facts-{key}.npz"
        if path.is_file():
            try:
                return _from_file(path)
            except (OSError, ValueError, KeyError, BadZipFile):
                pass  # somebody cut it off: it is made again
        made = self._made(theories)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _to_file(made, KeptTexts.of(self.library.texts[number] for number in made.numbers.tolist()), path)
            for old in sorted(self._folder.glob("facts-*.npz"), key=_age)[FILES:]:
                old.unlink(missing_ok=True)
        except (OSError, UserError):
            pass  # nobody must be able to write there
        return made

    def _made(self, theories: frozenset[str] | None) -> ContextFacts:
        self.library.read(theories)
        if theories is None:
            parts = [self._embed(np.arange(len(self.library)))]
        else:
            parts = [self._of_theory(theory) for theory in sorted(theories)]
        numbers, order, owner = joined_in_order([(part.numbers, part.owner) for part in parts])
        constants = np.concatenate([np.zeros(0, np.int32), *(part.constant for part in parts)])
        known, constant = np.unique(constants, return_inverse=True)
        names = list(self._word)
        none = np.zeros((0, OUT), np.float16)
        return ContextFacts.of(
            numbers,
            EmbeddedFacts(
                np.concatenate([none, *(part.vectors for part in parts)])[order].astype(np.float32),
                np.concatenate([np.zeros(0, np.float32), *(part.gains for part in parts)])[order],
            ),
            tuple(names[number] for number in known.tolist()),
            constant.astype(np.int32),
            owner.astype(np.int32),
        )

    def _embed(self, numbers: Longs) -> TheoryFacts:
        library = self.library
        names, tokens, starts = numbered_texts(library.texts[number] for number in numbers.tolist())
        words: Words = word_table(names)
        said = bags_of(tokens, starts, words)
        named = bags_of_names((library.theorem(number) for number in numbers.tolist()), len(words))
        embedded = self.selector.facts(self.selector.words(words), said, named, library.uses[numbers])
        owner = np.repeat(np.arange(len(said)), said.counts)
        is_word = said.values < len(words)
        everywhere = np.array([self._word.setdefault(name, len(self._word)) for name in names], np.int32)
        constant = everywhere[said.values[is_word]] if len(names) else np.zeros(0, np.int32)
        return TheoryFacts(numbers, embedded.vectors.astype(np.float16), embedded.gains, constant, owner[is_word])


def learned_selection(library: Library, *, kept: bool) -> LearnedSelection:
    """Made once for a library, whoever asks. `kept`: the contexts of people are few, and files spare the next process
    the embedding; examples stand in thousands."""
    return memo(library, _kept_in_files if kept else _kept_in_no_file)


def _kept_in_files(library: Library) -> LearnedSelection:
    folder = cache_folder() / "facts" if library.identity else None
    return LearnedSelection(library, load_selector("embedded"), library.identity, folder)


def _kept_in_no_file(library: Library) -> LearnedSelection:
    return LearnedSelection(library, load_selector("embedded"), library.identity)


def _age(path: Path) -> float:
    """Youngest first; somebody else may have removed it."""
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _to_file(facts: ContextFacts, texts: KeptTexts, path: Path) -> None:
    out = io.BytesIO()
    np.savez(
        out,
        numbers=facts.numbers,
        vectors=facts.embedded.vectors.astype(np.float16),
        gains=facts.embedded.gains,
        words=np.frombuffer("\n".join(facts.words).encode(), np.uint8),
        constant=facts.constant,
        owner=facts.owner,
        texts=texts.joined,
        ends=texts.ends,
    )
    write_whole(path, out.getvalue())


def _from_file(path: Path) -> ContextFacts:
    with np.load(path, allow_pickle=False) as file:
        words = file["words"].tobytes().decode()
        embedded = EmbeddedFacts(file["vectors"].astype(np.float32), file["gains"])
        texts = KeptTexts(file["texts"], file["ends"])
        names = tuple(words.split("\n")) if words else ()
        return ContextFacts.of(file["numbers"], embedded, names, file["constant"], file["owner"], texts)
