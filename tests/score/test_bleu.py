"""BLEU equals sacrebleu's own numbers, and the paired test tells systems apart."""

import math
import random

import numpy as np
import pytest
import sacrebleu

from isarstep.model.decode.bleu import bleu_of_sums, ngram_counts
from isarstep.score.corpus_bleu import bleu, bleu_difference

EVEN = "CONST HOL.Trueprop $ ( CONST Parity.semiring_parity_class.even $ FREE <X0> )"


def corpus(seed: int, size: int = 40) -> tuple[list[str], list[str]]:
    draw = random.Random(seed)
    references = [" ".join(draw.choices("$()ab", k=draw.randint(1, 30))) for _ in range(size)]
    best = [" ".join(draw.choices(reference.split(), k=draw.randint(0, 30))) for reference in references]
    return references, best


@pytest.mark.parametrize("seed", range(8))
def test_bleu_is_sacrebleus(seed: int) -> None:
    references, best = corpus(seed)
    best[0] = references[0]
    counts = ngram_counts(references, best)
    theirs = sacrebleu.corpus_bleu(best, [references], tokenize="none", force=True).score
    assert bleu(counts).value == pytest.approx(theirs, abs=1e-9)
    assert bleu_of_sums(counts.sum(0)[None])[0] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("reference", "best"),
    [("a b c d e", "a x c y e"), ("a b c d e", "v w x y z"), ("a b", "a b"), ("a b c d e", ""), ("a b c d", "a b c x")],
)
def test_smoothing_and_degenerate_cases_are_sacrebleus(reference: str, best: str) -> None:
    counts = ngram_counts([reference], [best])
    theirs = sacrebleu.corpus_bleu([best], [[reference]], tokenize="none", force=True).score
    assert bleu_of_sums(counts)[0] == pytest.approx(theirs, abs=1e-9)


def test_interval_is_near_sacrebleus_own_bootstrap() -> None:
    references, best = corpus(1, 400)
    ours = bleu(ngram_counts(references, best))
    theirs = sacrebleu.BLEU(tokenize="none", force=True).corpus_score(best, [references], n_bootstrap=1000)
    assert (ours.high - ours.low) / 2 == pytest.approx(theirs._ci, rel=0.25)


def test_theorems_are_drawn_and_swapped_whole() -> None:
    references, best = corpus(3, 50)
    once = ngram_counts(references, best)
    four, clusters = np.repeat(once, 4, axis=0), np.repeat(np.arange(50), 4)
    single, together = bleu(once), bleu(four, clusters)
    assert (together.low, together.high) == pytest.approx((single.low, single.high))
    worse = once.copy()
    worse[:6, :4] = 0
    assert bleu_difference(four, np.repeat(worse, 4, axis=0), clusters) == bleu_difference(once, worse)


def test_perfect_predictions_have_bleu_100() -> None:
    assert bleu(ngram_counts([EVEN] * 4, [EVEN] * 4)).value == pytest.approx(100.0)


def test_difference_tells_a_copy_from_a_worse_system() -> None:
    references = [f"CONST a{i} $ CONST b{i} $ CONST c{i}" for i in range(60)]
    worse = [r if i % 2 else "CONST z $ CONST y $ CONST x" for i, r in enumerate(references)]
    perfect, half = ngram_counts(references, references), ngram_counts(references, worse)
    assert bleu_difference(perfect, half) < 0.05
    assert bleu_difference(half, half) == 1.0


def test_no_examples_gives_no_number() -> None:
    assert math.isnan(bleu(np.zeros((0, 10), np.int64)).value)
