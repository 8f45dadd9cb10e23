"""Synthetic examples to pretrain on, made from a seed.

LIME (Wu et al., 2021): a rule is a string with variables, a case says what they stand for, the result is the rule
with the case put in. Given two of the three, write the third: deduct the result, abduct the case, induct the rule.
`rewrite` puts in definitions until none is left, over several steps. `masked` hides a subterm of a mined proposition,
to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from isarstep.bench.specials import SEP, SPECIALS, UNK
from isarstep.errors import UserError
from isarstep.feed.corpus import Corpus, Dataset, Ints, NumberedExample
from isarstep.feed.inputs import STATEMENT

Random = np.random.Generator
Pieces = list[list[int]]

RULE, RESULT, CASE = 2, 3, 4  # the fields in which each part is given
HELD_OUT = 500  # examples to validate with


def synthetic_dataset(dataset: Dataset, task: str, examples: int, seed: int) -> Dataset:
    """A data set over the same vocabulary; more examples are held out for validation."""
    rng = np.random.default_rng(seed)
    if task == "masked":
        make = masked(dataset.split("train"), dataset.vocabulary, rng)
    elif task in TASKS:
        make = from_symbols(TASKS[task], len(dataset.vocabulary), rng)
    else:
        raise UserError(f"no task {task!r}; there are {', '.join([*TASKS, 'masked'])}")
    held_out = [next(make) for _ in range(HELD_OUT)]
    train = [next(make) for _ in range(examples)]
    splits = {"train": Corpus.of_examples(train), "validation": Corpus.of_examples(held_out)}
    return replace(dataset, splits=splits, benchmark=f"{dataset.benchmark} {task} {seed}")


def from_symbols(
    task: Callable[[Random, Ints], NumberedExample], vocabulary: int, rng: Random
) -> Iterator[NumberedExample]:
    while True:
        # A few symbols at a time, other ones in each example: what they mean must be read off the example.
        symbols = rng.choice(np.arange(len(SPECIALS), vocabulary), 24, replace=vocabulary < 40).astype(np.int32)
        yield task(rng, symbols)


def rule_case_result(rng: Random, symbols: Ints) -> tuple[list[int], dict[int, list[int]], list[int]]:
    variables = symbols[: rng.integers(1, 5)].tolist()
    letters = symbols[4:]
    length = int(rng.integers(5, 20))
    rule = [int(rng.choice(variables if rng.random() < 0.35 else letters)) for _ in range(length)]
    for variable in variables:  # each occurs, or the case could not be told from the result
        rule[int(rng.integers(length))] = variable
    used = [variable for variable in variables if variable in rule]
    case = {variable: rng.choice(letters, rng.integers(2, 8)).tolist() for variable in used}
    result = [token for symbol in rule for token in case.get(symbol, [symbol])]
    return rule, case, result


def equations(case: dict[int, list[int]]) -> Pieces:
    return [[variable, SEP, *value] for variable, value in case.items()]


def deduct(rng: Random, symbols: Ints) -> NumberedExample:
    rule, case, result = rule_case_result(rng, symbols)
    return NumberedExample([(RULE, rule), *((CASE, equation) for equation in equations(case))], result)


def abduct(rng: Random, symbols: Ints) -> NumberedExample:
    rule, case, result = rule_case_result(rng, symbols)
    written = [token for equation in equations(case) for token in equation]
    return NumberedExample([(RULE, rule), (RESULT, result)], written)


def induct(rng: Random, symbols: Ints) -> NumberedExample:
    rule, case, result = rule_case_result(rng, symbols)
    return NumberedExample([(RESULT, result), *((CASE, equation) for equation in equations(case))], rule)


def mix(rng: Random, symbols: Ints) -> NumberedExample:
    return (deduct, abduct, induct)[int(rng.integers(3))](rng, symbols)


def rewrite(rng: Random, symbols: Ints) -> NumberedExample:
    """Definitions that use one another: each may mention those after it, so that putting them in comes to an end."""
    defined, letters = symbols[: int(rng.integers(2, 5))].tolist(), symbols[5:]
    meaning: dict[int, list[int]] = {}
    for number, symbol in enumerate(defined):
        body = rng.choice(letters, rng.integers(1, 4)).tolist()
        if number + 1 < len(defined):
            body.insert(int(rng.integers(len(body) + 1)), defined[number + 1])
        meaning[symbol] = body
    start = rng.choice(letters, rng.integers(2, 6)).tolist()
    start.insert(int(rng.integers(len(start) + 1)), defined[0])
    result = start
    while any(token in meaning for token in result):
        result = [token for symbol in result for token in meaning.get(symbol, [symbol])]
    return NumberedExample([(RULE, start), *((CASE, equation) for equation in equations(meaning))], result)


TASKS: dict[str, Callable[[Random, Ints], NumberedExample]] = {
    "deduct": deduct, "abduct": abduct, "induct": induct, "mix": mix, "rewrite": rewrite,
}  # fmt: skip


def masked(corpus: Corpus, vocabulary: tuple[str, ...], rng: Random) -> Iterator[NumberedExample]:
    """A proposition with `<UNK>` for one of its bracketed subterms, beside the others of its example."""
    if "(" not in vocabulary:
        raise UserError("the data have no brackets, so that there are no subterms to mask")
    opening, closing = vocabulary.index("("), vocabulary.index(")")
    while True:
        example = int(rng.integers(len(corpus)))
        here = slice(int(corpus.source_starts[example]), int(corpus.source_starts[example + 1]))
        parts = [
            (int(field), corpus.proposition(int(number)).tolist())
            for field, number in zip(corpus.fields[here], corpus.sources[here], strict=True)
            if field < STATEMENT
        ]
        parts = [part for part in parts if len(part[1]) <= 200][:8]
        chosen = [at for at, (_, tokens) in enumerate(parts) if opening in tokens]
        if not chosen:
            continue
        at = int(rng.choice(chosen))
        field, tokens = parts[at]
        begin, end = group(tokens, opening, closing, rng)
        parts[at] = (field, [*tokens[: begin + 1], UNK, *tokens[end:]])
        yield NumberedExample(parts, tokens[begin + 1 : end])


def group(tokens: list[int], opening: int, closing: int, rng: Random) -> tuple[int, int]:
    """Where a random bracket opens and closes."""
    begin = int(rng.choice([at for at, token in enumerate(tokens) if token == opening]))
    depth = 0
    for at in range(begin, len(tokens)):
        depth += (tokens[at] == opening) - (tokens[at] == closing)
        if depth == 0:
            return begin, at
    return begin, len(tokens)
