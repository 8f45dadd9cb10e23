"""The beam search engine: many sentences at once, K hypotheses each, exact.

Encoder keys and values exist once per sentence; nothing of the past is copied when the beam is reordered; sentences
whose n best are settled leave the batch. Shapes: B sentences, K hypotheses, V tokens, T places, Q candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from isarstep.bench.specials import BOS, EOS
from isarstep.decode.hypotheses import Hypothesis, SearchRules
from isarstep.feed.batches import Layout, Packer
from isarstep.feed.corpus import Corpus, Longs
from isarstep.models import Seq2Seq, Source
from isarstep.models.attention import takes_step_kernels

SENTENCES = {"cpu": 32, "cuda": 3}  # of one batch, with beam 10 or less; on a GPU for each gigabyte of its memory
SOURCE_TOKENS = {"cpu": 8_192, "cuda": 1_536}  # the same
WINDOW = 4096  # examples that are sorted by length together
CANDIDATES = 4  # per hypothesis of the beam, where some may be pruned
WIDER = (40, 160)  # beams for a sentence whose whole beam got to where a constraint leaves no way on
CHECK_EVERY = {"cpu": 1, "cuda": 4}  # steps between two looks at what is finished; a look makes a GPU wait


class Constraint(Protocol):
    """Forbids continuations. One object follows the hypotheses of one batch."""

    prunes: bool  # candidates are looked at one by one, too

    column_V: Tensor  # of the masks below, for each token

    def forbidden(self, left: int) -> Tensor:
        """B x K x F: whether the tokens of a column must not come next, when `left` places remain, `<EOS>` included."""

    def best(self, logits_BKV: Tensor, wanted: int, left: int) -> tuple[Tensor, Tensor]:
        """The best tokens that may come next and their logits."""

    def prune(self, scores_BQ: Tensor, parents_BQ: Tensor, tokens_BQ: Tensor) -> Tensor:
        """The scores of candidates with -inf at those that cannot be completed."""

    def advance(self, parents_BK: Tensor, tokens_BK: Tensor) -> None: ...

    def keep(self, rows: Tensor) -> None: ...


class Constraints(Protocol):
    """Makes the constraint of a batch."""

    def start(self, corpus: Corpus, examples: Longs, rules: SearchRules, device: torch.device) -> Constraint: ...


def best_of_all(
    top_BKQ: Tensor, top_tokens_BKQ: Tensor, count: int, constraint: Constraint | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Scores of the best candidates of a sentence, the hypotheses that they go on from, and their tokens."""
    wanted = top_BKQ.shape[-1]
    if constraint is not None and constraint.prunes:
        pool_BX = top_BKQ.flatten(1)
        order_BX = pool_BX.argsort(1, descending=True)
        tokens_BX = top_tokens_BKQ.flatten(1).gather(1, order_BX)
        pool_BX = constraint.prune(pool_BX.gather(1, order_BX), order_BX // wanted, tokens_BX)
        best_BQ, inner = pool_BX.topk(count)
        index_BQ = order_BX.gather(1, inner)
    else:
        best_BQ, index_BQ = top_BKQ.flatten(1).topk(count)
    return best_BQ, index_BQ // wanted, top_tokens_BKQ.flatten(1).gather(1, index_BQ)


def best_finished(scores_BK: Tensor, written_BKT: Tensor, more_BK: Tensor, past_BKT: Tensor) -> tuple[Tensor, Tensor]:
    """The best of what was finished before and what ends now."""
    best_BK, kept_BK = torch.cat([scores_BK, more_BK], 1).topk(scores_BK.shape[1])
    pool_BXT = torch.cat([written_BKT, past_BKT], 1)
    return best_BK, pool_BXT.gather(1, kept_BK[..., None].expand(-1, -1, written_BKT.shape[2]))


def nothing_better_comes(alive_B: Tensor, done_scores_BK: Tensor, rules: SearchRules) -> Tensor:
    """Is a sentence settled: its best living hypothesis, however long it becomes, will not be among the kept ones or
    within the margin."""
    possible_B = alive_B / float(rules.longest + 1) ** rules.penalty
    settled_B: Tensor = (possible_B <= done_scores_BK[:, rules.keep - 1]) | (alive_B == -torch.inf)
    settled_B |= possible_B <= done_scores_BK[:, 0] - rules.margin
    return settled_B


@torch.inference_mode()
def search(
    model: Seq2Seq, source: Source, rules: SearchRules, constraint: Constraint | None = None
) -> list[list[Hypothesis]]:
    """The n best of every sentence of a packed source."""
    device = source.tokens_S.device
    beams, places = rules.beam, rules.longest + 1
    batch = source.examples.count
    state = model.start(source, beams)
    rows = torch.arange(batch, device=device)  # which sentence each row of the batch is
    tokens_BK = torch.full((batch, beams), BOS, device=device)
    parents_BK = torch.zeros_like(tokens_BK)
    scores_BK = torch.full((batch, beams), -torch.inf, device=device)
    scores_BK[:, 0] = 0
    written_BKT = torch.full((batch, beams, places), EOS, dtype=torch.int32, device=device)
    done_scores_BK = torch.full_like(scores_BK, -torch.inf)
    done_written_BKT = written_BKT.clone()
    results: list[list[Hypothesis]] = [[] for _ in range(batch)]
    candidates = CANDIDATES if constraint is not None and constraint.prunes else 2

    for place in range(places):
        logits_BKV = model.logits(model.step(state, tokens_BK, parents_BK))
        # The best of each hypothesis first, then the best of these: two small selections instead of one large one.
        wanted = min(candidates * beams, logits_BKV.shape[-1])
        norm_BK, top_BKQ, top_tokens_BKQ = best_next(logits_BKV, wanted, constraint, places - place)
        top_BKQ = top_BKQ + (scores_BK - norm_BK)[..., None]
        best_BQ, from_BQ, next_BQ = best_of_all(top_BKQ, top_tokens_BKQ, 2 * beams, constraint)
        ends_BQ = next_BQ == EOS

        # Finished: of the first K candidates those that end.
        ended_BK = torch.where(ends_BQ[:, :beams], best_BQ[:, :beams], -torch.inf) / (place + 1.0) ** rules.penalty
        past_BKT = written_BKT.gather(1, from_BQ[:, :beams, None].expand(-1, -1, places))
        done_scores_BK, done_written_BKT = best_finished(done_scores_BK, done_written_BKT, ended_BK, past_BKT)

        # Living: the best K that do not end, in order.
        scores_BK, alive_BK = best_BQ.masked_fill(ends_BQ, -torch.inf).topk(beams)
        parents_BK, tokens_BK = from_BQ.gather(1, alive_BK), next_BQ.gather(1, alive_BK)
        written_BKT = written_BKT.gather(1, parents_BK[..., None].expand(-1, -1, places))
        if place < places - 1:
            written_BKT[:, :, place] = tokens_BK.int()
        if constraint is not None:
            constraint.advance(parents_BK, tokens_BK)

        last = place == places - 1
        if not last and (place + 1) % CHECK_EVERY[device.type]:
            continue
        settled = nothing_better_comes(scores_BK[:, 0], done_scores_BK, rules) | last
        finished = int(settled.sum())
        if finished == len(rows) or finished * 4 >= len(rows):
            leaving = settled.nonzero()[:, 0]
            collect(results, rows, leaving, done_scores_BK, done_written_BKT, scores_BK, written_BKT, rules)
            staying = (~settled).nonzero()[:, 0]
            if not len(staying):
                break
            state.keep(staying)
            if constraint is not None:
                constraint.keep(staying)
            rows, tokens_BK, parents_BK = rows[staying], tokens_BK[staying], parents_BK[staying]
            scores_BK, written_BKT = scores_BK[staying], written_BKT[staying]
            done_scores_BK, done_written_BKT = done_scores_BK[staying], done_written_BKT[staying]
    return results


def best_next(
    logits_BKV: Tensor, wanted: int, constraint: Constraint | None, left: int
) -> tuple[Tensor, Tensor, Tensor]:
    """What to subtract from a hypothesis' logits to make them log p; its best allowed tokens' logits, and these."""
    if takes_step_kernels(logits_BKV):
        from isarstep.models.step_kernels import select

        rows = (*logits_BKV.shape[:2], -1)
        masks = (constraint.forbidden(left).flatten(0, 1), constraint.column_V) if constraint is not None else ()
        norm_R, top_RQ, tokens_RQ = select(logits_BKV.flatten(0, 1), wanted, *masks)
        return norm_R.view(rows[:2]), top_RQ.view(rows), tokens_RQ.view(rows)
    logits_BKV = logits_BKV.float()
    norm_BK = logits_BKV.logsumexp(-1)
    if constraint is not None:
        return norm_BK, *constraint.best(logits_BKV, wanted, left)
    return norm_BK, *logits_BKV.topk(wanted)


def collect(
    results: list[list[Hypothesis]],
    rows: Tensor,
    leaving: Tensor,
    done_scores_BK: Tensor,
    done_written_BKT: Tensor,
    scores_BK: Tensor,
    written_BKT: Tensor,
    rules: SearchRules,
) -> None:
    scores = done_scores_BK[leaving].tolist()
    written = done_written_BKT[leaving].cpu().numpy()
    for at, (row, sentence) in enumerate(zip(leaving.tolist(), rows[leaving].tolist(), strict=True)):
        found = [
            Hypothesis(until_end(written[at, k]), score)
            for k, score in enumerate(scores[at][: rules.keep])
            if score > scores[at][0] - rules.margin  # whoever waited longer than the others has no more
        ]
        # Cut off before anything ended; but where a constraint has left no way on, there is nothing to say.
        if not found and float(scores_BK[row, 0]) > -np.inf:
            best = until_end(written_BKT[row, 0].cpu().numpy())
            found = [Hypothesis(best, float(scores_BK[row, 0]), complete=False)]
        results[sentence] = found


def until_end(tokens: np.ndarray[tuple[int], np.dtype[np.int32]]) -> tuple[int, ...]:
    ends = np.flatnonzero(tokens == EOS)
    return tuple(tokens[: ends[0]].tolist() if len(ends) else tokens.tolist())


def search_corpus(
    model: Seq2Seq,
    corpus: Corpus,
    rules: SearchRules,
    constraints: Constraints | None = None,
    sentences: int | None = None,
    tell: Callable[[int], None] = lambda count: None,
) -> Iterator[list[Hypothesis]]:
    """The n best of every example, in the order of the corpus, while the rest is still being searched. They come many
    at a time; `tell` hears in between how many more have been searched."""
    device = model.token_table.device
    layout = Layout(model.config.hierarchical, model.config.hints)
    packer = Packer(corpus, layout, device)
    lengths = packer.measures.source
    gigabytes = torch.cuda.get_device_properties(device).total_memory >> 30 if device.type == "cuda" else 1

    def batches(order: Longs, beam: int) -> Iterator[Longs]:
        sparing = max(10, beam)
        at_once = sentences or max(1, SENTENCES[device.type] * gigabytes * 10 // sparing)
        return batches_of(order, lengths, at_once, SOURCE_TOKENS[device.type] * gigabytes * 10 // sparing)

    def searched(examples: Longs, rules: SearchRules) -> dict[int, list[Hypothesis]]:
        constraint = constraints.start(corpus, examples, rules, device) if constraints else None
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
            tell(len(examples))
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
