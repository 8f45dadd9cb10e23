"""n-best lists of a split, in one process or in several that search for a few examples at a time."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isarstep.common.errors import UserError
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.decode.ranking import learned_ranking

if TYPE_CHECKING:
    from isarstep.benchmark.arrays.corpus import Corpus
    from isarstep.benchmark.arrays.inputs import Input
    from isarstep.benchmark.store.example import Example
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.constraints import TermGrammar

Constraint = Literal["none", "grammar", "types"]
Line = tuple[str, list[tuple[str, float]]]
AT_ONCE = 16  # examples that a process gets; few, so that all end together
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class SplitAsked:
    """Whose lists, of which examples, with which fields, under which rules."""

    model: Path
    data: Path
    split: str
    rules: SearchRules
    constraint: Constraint = "none"
    ranked: bool = False
    premises: Path | None = None
    plain: bool = False
    limit: int | None = None
    device: str | None = None


class SplitSearch:
    """The model, the examples and the constraints, read."""

    def __init__(self, asked: SplitAsked) -> None:
        self.asked = asked
        self.predictor = Predictor(asked.model, asked.device)
        self.corpus, self.benchmark = _read(self.predictor, asked)
        self.constraints = _constraints(asked, self.predictor)
        self.order = learned_ranking() if asked.ranked else None

    def __len__(self) -> int:
        return len(self.corpus)

    def meta(self) -> dict[str, Any]:
        asked = self.asked
        label = "grammar+types" if asked.constraint == "types" else asked.constraint
        about = meta_of(self.predictor, self.benchmark, asked.split, asked.rules, label, self.order)
        return about | {"input": _input(self.predictor.model.config.input, asked)}

    def lines(self, on_progress: Callable[[int], None], first: int = 0, last: int | None = None) -> Iterator[Line]:
        corpus = self.corpus.take(np.arange(len(self.corpus))[first:last])
        return self.predictor.lines(corpus, self.asked.rules, self.constraints, on_progress, self.order)

    def lines_by(self, jobs: int, on_progress: Callable[[int], None]) -> Iterator[Line]:
        """The same by so many processes, on one core each."""
        if jobs == 1:
            yield from self.lines(on_progress)
            return
        os.environ.update(dict.fromkeys(THREADS, "1"))  # of the processes: here numpy is loaded already
        pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _open, (self.asked,))
        try:
            for lines in pool.map(_lines_from, range(0, len(self), AT_ONCE)):
                on_progress(len(lines))
                yield from lines
        finally:
            pool.shutdown(cancel_futures=True)


_opened: SplitSearch | None = None  # of a process that searches for others


def _open(asked: SplitAsked) -> None:
    global _opened
    _opened = SplitSearch(asked)


def _lines_from(first: int) -> list[Line]:
    assert _opened is not None
    return list(_opened.lines(lambda _: None, first, first + AT_ONCE))


def _read(predictor: Predictor, asked: SplitAsked) -> tuple[Corpus, str]:
    """What is read, and the hash of the benchmark that it comes from."""
    from isarstep.benchmark.arrays.files import load_dataset
    from isarstep.benchmark.arrays.inputs import FIELDS_READ, STATEMENT
    from isarstep.benchmark.store.ids import places_of_lowest
    from isarstep.resources import BENCHMARKS

    known, data = predictor.model.config.input, asked.data
    if STATEMENT in FIELDS_READ[known] and (data.is_dir() or str(data) in BENCHMARKS):
        from isarstep.benchmark.store.store import Benchmark

        benchmark = Benchmark(data)
        examples = benchmark.split(asked.split).lowest(asked.limit)
        return predictor.corpus(_with_more(benchmark, examples, asked.premises, asked.plain)), benchmark.hash
    if asked.premises is not None or asked.plain:
        raise UserError(f"--premises and --plain are for a benchmark's folder and a model that reads more than {known}")
    dataset = load_dataset(data, known)
    corpus = predictor.split(dataset, asked.split)
    if asked.limit is not None:
        corpus = corpus.take(np.array(places_of_lowest(corpus.ids, asked.limit)))
    return corpus, dataset.benchmark


def _with_more(benchmark: Benchmark, examples: list[Example], premises: Path | None, plain: bool) -> list[Example]:
    """The examples with the facts of a file, and with what stands above their gaps."""
    from isarstep.benchmark.store.setting import with_setting
    from isarstep.premises.selector.premise_files import read_premises

    if not plain:
        examples = [with_setting(benchmark, example) for example in examples]
    if premises is None:
        return examples
    selected = read_premises(premises)
    missing = [example.id for example in examples if example.id not in selected]
    if missing:
        raise UserError(f"{premises}: has no facts for {len(missing)} of {len(examples)} examples, {missing[0]} first")
    return [replace(example, premises=selected[example.id]) for example in examples]


def _input(known: Input, asked: SplitAsked) -> str:
    """What was read, of all that the model can read."""
    if known != "+premises":
        return "base" if asked.plain else known
    read = ["" if asked.plain else "+context", "" if asked.premises is None else "+premises"]
    return "".join(read) or "base"


def _constraints(asked: SplitAsked, predictor: Predictor) -> TermGrammar | None:
    vocabulary, dense = predictor.vocabulary, predictor.model.config.dense
    if asked.constraint == "none":
        return None
    from isarstep.model.decode.constraints import TermGrammar

    if asked.constraint == "grammar":
        return TermGrammar(vocabulary, dense)
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.model.decode.typed_search import TypedGrammar
    from isarstep.model.decode.variable_types import known_in_split

    benchmark = Benchmark(asked.data)
    return TypedGrammar(vocabulary, known_in_split(benchmark.split(asked.split), benchmark.theory_contexts), dense)
