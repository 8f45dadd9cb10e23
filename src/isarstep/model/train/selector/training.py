"""Training of the selector of premises: the used fact against those that others use, then against what it mistakes.

A batch has blocks of questions of one theory, so that facts of the same theory are told apart. What a question cannot
see, and what it uses beside, is no wrong answer. Halfway the facts that the selector itself ranks highest are added as
further wrong answers, with the cosine of constants beside the product of embeddings.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from isarstep.benchmark.arrays.corpus import Corpus, Longs
from isarstep.model.train.selector.data import AskedTensors, FactTensors
from isarstep.model.train.selector.model import TwoTowers
from isarstep.model.train.selector.ranking import Ranked, rank_all
from isarstep.premises.selector.premise_arrays import ExampleColumns, FactArrays, Flags
from isarstep.premises.selector.premise_questions import ABOVE, PLACE, PROVED, ROLES, QuestionArrays

BLOCK = 16  # questions of a batch that stand near each other
FASTER = 3.0  # scales and biases learn so many times as fast
CONTEXT_LEFT_OUT = 0.3  # how often a question is asked without its context, and without its theory's name
NEW_THEORIES = 0.3  # in a batch: nothing is told of the uses of their facts


@dataclass(frozen=True)
class SelectorRecipe:
    minutes: float = 2.0
    steps: int | None = None  # instead of minutes
    batch: int = 4096
    others: int = 4096  # facts drawn at random beside
    hard_batch: int = 1024  # questions of a batch that meet their hard facts
    hard: int = 16  # of these each
    mined: int = 48  # hard facts of a question that are known
    most_mined: int = 600_000  # questions that are ranked for it
    rate: float = 2e-3
    warmup: int = 100
    seed: int = 0


def uses_of(
    corpus: Corpus,
    columns: ExampleColumns,
    facts: FactArrays,
    chosen: Flags,
    questions: QuestionArrays,
) -> tuple[Longs, Longs]:
    """How often the chosen examples name each fact as used (F.5), and how much of that is by each question's own
    theorem, of what it uses."""
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.source_starts))
    read = (corpus.fields == 5) & chosen[owner]
    lemma, theorem = corpus.sources[read].astype(np.int64), columns.theorem[owner[read]].astype(np.int64)
    counts = np.bincount(lemma, minlength=len(corpus.token_starts) - 1)
    pairs, own = np.unique(lemma * (1 << 32) + theorem, return_counts=True)
    asker = np.repeat(questions.example, np.diff(questions.used_starts))
    wanted = facts.proposition[questions.used].astype(np.int64) * (1 << 32) + columns.theorem[asker]
    at = np.minimum(np.searchsorted(pairs, wanted), max(len(pairs) - 1, 0))
    mine = np.where(pairs[at] == wanted, own[at], 0) if len(pairs) else np.zeros(len(wanted), np.int64)
    return counts[facts.proposition], mine


class SelectorRun:
    def __init__(
        self,
        library: FactTensors,
        questions: QuestionArrays,
        uses: Longs,
        own_uses: Longs,
        recipe: SelectorRecipe,
        log: Path,
    ) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.library, self.log = recipe, library, log
        self.asked = AskedTensors.of(questions, library, own_uses)
        self.uses = library.there(uses)
        self.towers = TwoTowers().to(library.device)
        self.order = torch.argsort(self.asked.theory * (1 << 32) + self.asked.before, stable=True)
        # How often a fact is drawn as somebody's answer, to take its frequency out of the scores.
        answers = torch.bincount(self.asked.used[self.asked.used >= 0], minlength=len(library)).float()
        expected = answers / answers.sum() * recipe.batch + recipe.others / len(library)
        self.log_expected = expected.clamp(min=1e-9).log()
        self.mined: Ranked | None = None
        self.mined_of: Tensor | None = None  # which questions

    def go(self) -> TwoTowers:
        fused = self.library.device.type == "cuda"
        weights = [value for value in self.towers.parameters() if value.ndim > 1]
        few = [value for value in self.towers.parameters() if value.ndim <= 1]
        groups = [{"params": weights, "factor": 1.0}, {"params": few, "factor": FASTER, "weight_decay": 0.0}]
        optimiser = torch.optim.AdamW(groups, lr=1.0, betas=(0.9, 0.98), weight_decay=0.01, fused=fused)
        began, step, recent = time.monotonic(), 0, []
        half = torch.bfloat16 if fused else torch.float32
        while (done := self.done(step, time.monotonic() - began)) < 1:
            if done > 0.45 and self.mined is None:
                self.mine()
            step += 1
            for group in optimiser.param_groups:
                rate = self.recipe.rate * min(1.0, step / self.recipe.warmup) * min(1.0, 1.6 * (1 - done))
                group["lr"] = rate * group["factor"]
            with torch.autocast(self.library.device.type, half, enabled=fused):
                losses = self.losses()
            optimiser.zero_grad(set_to_none=True)
            torch.stack(losses).sum().backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            recent.append(torch.stack([loss.detach() for loss in losses]))
            if step % 100 == 0 or step == 10:
                shown = [round(float(x), 4) for x in recent[-1]]
                scalars = [round(x, 2) for x in (self.towers.scale.exp().item(), *self.towers.alpha.tolist())]
                self.say(step=step, seconds=round(time.monotonic() - began, 1), losses=shown, scale_alpha=scalars)
                recent.clear()
        self.towers.eval()
        return self.towers

    def done(self, step: int, seconds: float) -> float:
        """The share of the run that is behind us."""
        return seconds / (60 * self.recipe.minutes) if self.recipe.steps is None else step / self.recipe.steps

    def say(self, **fields: object) -> None:
        with self.log.open("a") as file:
            file.write(json.dumps(fields) + "\n")

    def losses(self) -> list[Tensor]:
        asked, library, device = self.asked, self.library, self.library.device
        blocks = torch.randint(max(1, len(asked) - BLOCK + 1), (self.recipe.batch // BLOCK, 1), device=device)
        places = (blocks + torch.arange(BLOCK, device=device)).flatten().clamp(max=len(asked) - 1)
        chosen = self.order[places]
        rows = self.towers.rows(library.bags)
        queries = self.towers.query(self.seen(asked.pooled(self.towers, rows, library, chosen)))
        used = asked.used[chosen]
        which = (torch.rand(used.shape, device=device) * (used >= 0)).argmax(1, keepdim=True)
        answer = used.gather(1, which)[:, 0]
        own = asked.own_uses[chosen].gather(1, which)[:, 0]
        other = torch.randint(len(library), (self.recipe.others,), device=device)
        facts = torch.cat([answer, other])
        new = torch.rand(len(library.sees), device=device) < NEW_THEORIES
        counts = torch.cat([self.uses[answer] - own, self.uses[other]]).clamp(min=0) * ~new[library.theory[facts]]
        vectors, gains = library.facts(self.towers, rows, facts, counts.float().log1p())
        scores = (queries @ vectors.T).float() * self.towers.scale.exp() + gains - self.log_expected[facts]
        wrong = self.cannot(chosen, facts[None])
        wrong.fill_diagonal_(False)
        right = torch.arange(len(chosen), device=device)
        found = [F.cross_entropy(scores.masked_fill(wrong, -torch.inf), right)]
        if self.mined is not None:
            found.append(self.hard_loss(rows, queries, chosen, answer, which, own, new))
        return found

    def seen(self, pooled: Tensor) -> Tensor:
        """Some questions without their context or the name of their theory."""
        mask = torch.ones(len(pooled), ROLES, 1, device=pooled.device)
        mask[:, [PROVED, ABOVE]] = (torch.rand(len(pooled), 1, 1, device=pooled.device) > CONTEXT_LEFT_OUT).float()
        mask[:, PLACE] = (torch.rand(len(pooled), 1, device=pooled.device) > CONTEXT_LEFT_OUT).float()
        return pooled * mask

    def cannot(self, chosen: Tensor, facts: Tensor) -> Tensor:
        """[question, fact]: it may not see the fact, or uses it."""
        asked, library = self.asked, self.library
        facts = facts.expand(len(chosen), -1)
        wrong = ~library.sees[asked.theory[chosen][:, None], library.theory[facts]]
        wrong |= facts >= asked.before[chosen][:, None]
        for place in range(asked.used.shape[1]):
            wrong |= facts == asked.used[chosen, place][:, None]
        return wrong

    def mine(self) -> None:
        began = time.monotonic()
        many = len(self.asked)
        limit = self.recipe.most_mined
        chosen = torch.randperm(many, device=self.library.device)[:limit].sort().values
        some = self.asked.take(chosen)
        self.mined = rank_all(self.towers, self.library, some, self.uses.float().log1p(), self.recipe.mined)
        self.mined_of = torch.full((many,), -1, dtype=torch.long, device=self.library.device)
        self.mined_of[chosen] = torch.arange(len(chosen), device=chosen.device)
        self.say(mined=len(chosen), seconds=round(time.monotonic() - began, 1))

    def hard_loss(
        self, rows: Tensor, queries: Tensor, chosen: Tensor, answer: Tensor, which: Tensor, own: Tensor, new: Tensor
    ) -> Tensor:
        assert self.mined is not None
        assert self.mined_of is not None
        at = self.mined_of[chosen]
        known = torch.nonzero(at >= 0)[:, 0]
        known = known[torch.randperm(len(known), device=known.device)[: self.recipe.hard_batch]]
        at, some = at[known], chosen[known]
        draw = torch.rand(len(at), self.recipe.mined, device=at.device).topk(self.recipe.hard, dim=1).indices
        hard = self.mined.facts[at].gather(1, draw).long()
        absent = hard < 0
        wrong = self.cannot(some, hard.clamp(min=0)) | absent
        facts = torch.cat([answer[known][:, None], hard.clamp(min=0)], 1)
        cosines = torch.cat(
            [self.mined.used_constants[at].gather(1, which[known]), self.mined.constants[at].gather(1, draw)], 1
        )
        counts = self.uses[facts]
        counts[:, 0] = (counts[:, 0] - own[known]).clamp(min=0)
        counts = counts * ~new[self.library.theory[facts]]
        vectors, gains = self.library.facts(self.towers, rows, facts.flatten(), counts.flatten().float().log1p())
        product = torch.einsum("bo,bco->bc", queries[known].float(), vectors.view(*facts.shape, -1).float())
        scores = (
            product * self.towers.scale.exp()
            + gains.view(facts.shape)
            + self.towers.alpha[self.asked.for_model[some]][:, None] * cosines
        )
        scores = torch.cat([scores[:, :1], scores[:, 1:].masked_fill(wrong, -torch.inf)], 1)
        return F.cross_entropy(scores, torch.zeros(len(some), dtype=torch.long, device=some.device))
