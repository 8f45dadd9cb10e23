"""The beam search engine: many sentences at once, K hypotheses each, exact.

Encoder keys and values exist once per sentence; nothing of the past is copied when the beam is reordered; sentences
whose n best are settled leave the batch; on a CPU the model computes no hypothesis that cannot become one of these. It
runs on numpy or on torch, as the model does (`isarstep.benchmark.arrays.backend`). Shapes: B sentences, K hypotheses, V
tokens, T places, Q candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isarstep.benchmark.arrays.backend import Array, Arrays
from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.benchmark.arrays.inputs import Source
from isarstep.benchmark.store.special_tokens import BOS, EOS
from isarstep.model.decode.hypotheses import Hypothesis, SearchRules

if TYPE_CHECKING:
    from isarstep.model.decode.constraints import GrammarState, TermGrammar
    from isarstep.model.nets.base import Seq2Seq
    from isarstep.model.nets.light import LightHAT

Writer: TypeAlias = "Seq2Seq | LightHAT"  # a model of torch, or the light one, which a search asks for the same

SENTENCES = {"cpu": 32, "cuda": 3}  # of one batch, with beam 10 or less; on a GPU for each gigabyte of its memory
SOURCE_TOKENS = {"cpu": 8_192, "cuda": 1_536}  # the same
WINDOW = 4096  # examples that are sorted by length together
CANDIDATES = 4  # per hypothesis of the beam, where some may be pruned
WIDER = (40, 160)  # beams for a sentence whose whole beam got to where a constraint leaves no way on
CHECK_EVERY = {"cpu": 1, "cuda": 4}  # steps between two looks at what is finished; a look makes a GPU wait


def best_of_all(
    arrays: Arrays, top_BKQ: Array, top_tokens_BKQ: Array, count: int, constraint: GrammarState | None
) -> tuple[Array, Array, Array]:
    """Scores of the best candidates of a sentence, the hypotheses that they go on from, and their tokens."""
    batch, _, wanted = top_BKQ.shape
    pool_BX, tokens_BX = top_BKQ.reshape(batch, -1), top_tokens_BKQ.reshape(batch, -1)
    count = min(count, pool_BX.shape[1])
    if constraint is not None and constraint.prunes:
        order_BX = arrays.descending(pool_BX)
        sorted_BX = constraint.prune(
            arrays.rows(pool_BX, order_BX), order_BX // wanted, arrays.rows(tokens_BX, order_BX)
        )
        best_BQ, inner = arrays.topk(sorted_BX, count)
        index_BQ = arrays.rows(order_BX, inner)
    else:
        best_BQ, index_BQ = arrays.topk(pool_BX, count)
    return best_BQ, index_BQ // wanted, arrays.rows(tokens_BX, index_BQ)


def best_finished(
    arrays: Arrays, scores_BK: Array, written_BKT: Array, more_BK: Array, past_BKT: Array
) -> tuple[Array, Array]:
    """The best of what was finished before and what ends now."""
    best_BK, kept_BK = arrays.topk(arrays.cat([scores_BK, more_BK], 1), scores_BK.shape[1])
    return best_BK, arrays.rows(arrays.cat([written_BKT, past_BKT], 1), kept_BK)


def hopeless_below(arrays: Arrays, done_scores_BK: Array, rules: SearchRules) -> Array:
    """The log p with which a hypothesis of a sentence, however long it becomes, will not be among the kept ones or not
    within the margin."""
    least_B: Array = arrays.maximum(done_scores_BK[:, rules.keep - 1], done_scores_BK[:, 0] - rules.margin)
    return least_B * float(rules.longest + 1) ** rules.penalty


def best_living(arrays: Arrays, scores_BQ: Array, hopeless_B: Array, beams: int) -> tuple[Array, Array]:
    """The best candidates that do not end, and where they are; on a CPU only as many as have hope in some sentence. A
    GPU would be waited for to know how many."""
    scores_BK, places_BK = arrays.topk(scores_BQ, min(beams, scores_BQ.shape[1]))
    if arrays.kind == "cpu":
        count = max(1, int((scores_BK > hopeless_B[:, None]).any(0).sum()))
        scores_BK, places_BK = scores_BK[:, :count], places_BK[:, :count]
    return scores_BK, places_BK


def search(
    model: Writer, source: Source, rules: SearchRules, constraint: GrammarState | None = None
) -> list[list[Hypothesis]]:
    """The n best of every sentence of a packed source."""
    with model.arrays.searching():
        return _search(model, source, rules, constraint)


def _search(
    model: Writer, source: Source, rules: SearchRules, constraint: GrammarState | None = None
) -> list[list[Hypothesis]]:
    arrays = model.arrays
    beams, places = rules.beam, rules.longest + 1
    batch = source.examples.count
    state: Any = model.start(source, beams)
    rows = arrays.arange(batch)  # which sentence each row of the batch is
    first = 1 if arrays.kind == "cpu" else beams
    tokens_BK, parents_BK = arrays.full((batch, first), BOS), arrays.full((batch, first), 0)
    scores_BK, done_scores_BK = (arrays.full((batch, count), -math.inf) for count in (first, beams))
    scores_BK[:, 0] = 0
    hopeless_B = done_scores_BK[:, 0]
    written_BKT, done_written_BKT = (arrays.full((batch, count, places), EOS, arrays.int32) for count in (first, beams))
    results: list[list[Hypothesis]] = [[] for _ in range(batch)]
    candidates = CANDIDATES if constraint is not None and constraint.prunes else 2

    for place in range(places):
        logits_BKV = model.logits(model.step(state, tokens_BK, parents_BK))
        # The best of each hypothesis first, then the best of these: two small selections instead of one large one.
        wanted = min(candidates * beams, logits_BKV.shape[-1])
        norm_BK, top_BKQ, top_tokens_BKQ = best_next(arrays, logits_BKV, wanted, constraint, places - place)
        top_BKQ = top_BKQ + (scores_BK - norm_BK)[..., None]
        top_BKQ = arrays.where(top_BKQ > hopeless_B[:, None, None], top_BKQ, -math.inf)
        best_BQ, from_BQ, next_BQ = best_of_all(arrays, top_BKQ, top_tokens_BKQ, 2 * beams, constraint)
        ends_BQ = next_BQ == EOS

        # Finished: of the first K candidates those that end.
        ended_BK = arrays.where(ends_BQ[:, :beams], best_BQ[:, :beams], -math.inf) / (place + 1.0) ** rules.penalty
        past_BKT = arrays.rows(written_BKT, from_BQ[:, :beams])
        done_scores_BK, done_written_BKT = best_finished(arrays, done_scores_BK, done_written_BKT, ended_BK, past_BKT)

        # Living: the best K that do not end, in order.
        hopeless_B = hopeless_below(arrays, done_scores_BK, rules)
        scores_BK, alive_BK = best_living(arrays, arrays.where(ends_BQ, -math.inf, best_BQ), hopeless_B, beams)
        parents_BK, tokens_BK = arrays.rows(from_BQ, alive_BK), arrays.rows(next_BQ, alive_BK)
        written_BKT = arrays.rows(written_BKT, parents_BK)
        if place < places - 1:
            written_BKT[:, :, place] = tokens_BK
        if constraint is not None:
            constraint.advance(parents_BK, tokens_BK)

        last = place == places - 1
        if not last and (place + 1) % CHECK_EVERY[arrays.kind]:
            continue
        settled = (scores_BK[:, 0] <= hopeless_B) | last
        finished = int(settled.sum())
        if finished == len(rows) or finished * 4 >= len(rows):
            leaving = arrays.true_places(settled)
            collect(arrays, results, rows, leaving, done_scores_BK, done_written_BKT, scores_BK, written_BKT, rules)
            staying = arrays.true_places(~settled)
            if not len(staying):
                break
            state.keep(staying)
            if constraint is not None:
                constraint.keep(staying)
            rows, tokens_BK, parents_BK = rows[staying], tokens_BK[staying], parents_BK[staying]
            scores_BK, written_BKT, hopeless_B = scores_BK[staying], written_BKT[staying], hopeless_B[staying]
            done_scores_BK, done_written_BKT = done_scores_BK[staying], done_written_BKT[staying]
    return results


def best_next(
    arrays: Arrays, logits_BKV: Array, wanted: int, constraint: GrammarState | None, left: int
) -> tuple[Array, Array, Array]:
    """What to subtract from a hypothesis' logits to make them log p; its best allowed tokens' logits, and these."""
    if arrays.kind == "cuda":
        from isarstep.model.nets.attention import takes_step_kernels

        if takes_step_kernels(logits_BKV):
            return best_by_kernel(logits_BKV, wanted, constraint, left)
        logits_BKV = logits_BKV.float()
    norm_BK = arrays.logsumexp(logits_BKV)
    if constraint is not None:
        return norm_BK, *constraint.best(logits_BKV, wanted, left)
    return norm_BK, *arrays.topk(logits_BKV, wanted)


def best_by_kernel(
    logits_BKV: Array, wanted: int, constraint: GrammarState | None, left: int
) -> tuple[Array, Array, Array]:
    from isarstep.model.nets.step_kernels import select

    rows = (*logits_BKV.shape[:2], -1)
    masks = (constraint.forbidden(left).flatten(0, 1), constraint.column_V) if constraint is not None else ()
    norm_R, top_RQ, tokens_RQ = select(logits_BKV.flatten(0, 1), wanted, *masks)
    return norm_R.view(rows[:2]), top_RQ.view(rows), tokens_RQ.view(rows)


def collect(
    arrays: Arrays,
    results: list[list[Hypothesis]],
    rows: Array,
    leaving: Array,
    done_scores_BK: Array,
    done_written_BKT: Array,
    scores_BK: Array,
    written_BKT: Array,
    rules: SearchRules,
) -> None:
    scores = done_scores_BK[leaving].tolist()
    written = arrays.host(done_written_BKT[leaving])
    for at, (row, sentence) in enumerate(zip(leaving.tolist(), rows[leaving].tolist(), strict=True)):
        found = [
            Hypothesis(until_end(written[at, k]), score)
            for k, score in enumerate(scores[at][: rules.keep])
            if score > scores[at][0] - rules.margin  # whoever waited longer than the others has no more
        ]
        # Cut off before anything ended; but where a constraint has left no way on, there is nothing to say.
        if not found and float(scores_BK[row, 0]) > -np.inf:
            best = until_end(arrays.host(written_BKT[row, 0]))
            found = [Hypothesis(best, float(scores_BK[row, 0]), complete=False)]
        results[sentence] = found


def until_end(tokens: np.ndarray[tuple[int], np.dtype[np.int32]]) -> tuple[int, ...]:
    ends = np.flatnonzero(tokens == EOS)
    return tuple(tokens[: ends[0]].tolist() if len(ends) else tokens.tolist())


def search_corpus(
    model: Writer,
    corpus: Corpus,
    rules: SearchRules,
    constraints: TermGrammar | None = None,
    sentences: int | None = None,
    on_progress: Callable[[int], None] = lambda count: None,
) -> Iterator[list[Hypothesis]]:
    """The n best of every example, in the order of the corpus, while the rest is still being searched. They come many
    at a time; `tell` hears in between how many more have been searched."""
    arrays = model.arrays
    packer = model.packer(corpus)
    lengths = packer.measures.source

    def batches(order: Longs, beam: int) -> Iterator[Longs]:
        sparing = max(10, beam)
        at_once = sentences or max(1, SENTENCES[arrays.kind] * arrays.gigabytes * 10 // sparing)
        return batches_of(order, lengths, at_once, SOURCE_TOKENS[arrays.kind] * arrays.gigabytes * 10 // sparing)

    def searched(examples: Longs, rules: SearchRules) -> dict[int, list[Hypothesis]]:
        constraint = constraints.start(corpus, examples, rules, arrays) if constraints else None
        return dict(zip(examples.tolist(), search(model, packer.source(examples), rules, constraint), strict=True))

    for begin in range(0, len(corpus), WINDOW):
        window = np.arange(begin, min(begin + WINDOW, len(corpus)))
        found: dict[int, list[Hypothesis]] = {}
        # Longest first: if memory is short, it shows at once.
        ordered = window[np.argsort(-lengths[window], kind="stable")]
        for examples in batches(ordered, rules.beam):
            empty = lengths[examples] == 0
            found |= {int(i): [] for i in examples[empty]}  # nothing to read, nothing to say
            if not empty.all():
                found |= searched(examples[~empty], rules)
            on_progress(len(examples))
        for beam in WIDER if constraints else ():
            lost = [i for i in ordered.tolist() if not found[i] and lengths[i]]
            if beam > rules.beam:
                for examples in batches(np.array(lost, np.int64), beam):
                    found |= searched(examples, replace(rules, beam=beam, nbest=rules.keep))
        for example in window.tolist():
            yield found[example]


def batches_of(order: Longs, lengths: Longs, sentences: int, tokens: int) -> Iterator[Longs]:
    begin = 0
    while begin < len(order):
        longest = max(1, int(lengths[order[begin]]))  # sorted: the first is the longest
        count = max(1, min(sentences, tokens // longest))
        yield order[begin : begin + count]
        begin += count
