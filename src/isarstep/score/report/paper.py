"""The numbers that the paper printed (Li, Yu, Wu, Paulson: IsarStep, ICLR 2021), to stand beside ours.

They were measured on other data (820K training examples, 29,759 tokens, 5,000 for test): they orient, no more.
"""

from __future__ import annotations

from dataclasses import dataclass

BASE, HINTS = "base", "+F.5"
MORE = ("+context", "+premises", "+context+premises", "state")  # which the paper does not have
INPUTS = (BASE, HINTS, *MORE)
MODELS = ("RNNSearch", "Conv2Conv", "Transformer", "HAT")


@dataclass(frozen=True, slots=True)
class Row:
    """Table 1 and the appendix's additional results; percent."""

    top1: float
    top10: float
    bleu: float


MAIN: dict[tuple[str, str], Row] = {
    ("RNNSearch", BASE): Row(13.0, 26.2, 42.3),
    ("RNNSearch", HINTS): Row(16.7, 32.2, 52.2),
    ("Conv2Conv", BASE): Row(8.7, 21.7, 48.66),
    ("Conv2Conv", HINTS): Row(8.3, 20.8, 46.54),
    ("Transformer", BASE): Row(20.4, 33.1, 59.6),
    ("Transformer", HINTS): Row(22.1, 34.6, 62.9),
    ("HAT", BASE): Row(22.8, 35.2, 61.8),
    ("HAT", HINTS): Row(24.3, 37.2, 65.7),
}

# Percentage of correct propositions: the reference, or an alternative that provers accept.
CORRECT: dict[tuple[str, str], float] = {
    ("Transformer", BASE): 25.2,
    ("Transformer", HINTS): 26.8,
    ("HAT", BASE): 27.6,
    ("HAT", HINTS): 29.4,
}

WELL_FORMED: dict[tuple[str, str], float] = {
    ("Transformer", BASE): 58.2,
    ("Transformer", HINTS): 60.1,
    ("HAT", BASE): 58.2,
    ("HAT", HINTS): 58.9,
}

WITHOUT_CATEGORIES = 14.6  # top-1 of HAT without category embedding; with it 22.8

# Of 4,908 supported test examples: F.3 proved directly, both gaps proved around the reference.
SUPPORTED, PROVED_DIRECTLY, PROVED_WITH_REFERENCE = 4908, 1984, 2243
# Of HAT's 1,125 exact matches: how wide the gap is that the proposition bridges.
EXACT_MATCHES, SMALL_GAP, JUST_RIGHT, LARGE_GAP = 1125, 466, 61, 598
