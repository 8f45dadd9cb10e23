"""Fits the scaling study: validation loss by parameters, tokens and training examples; top-1 by validation loss.

    python research/experiments/scaling.py                # reads scaling.csv beside it, prints the fits, writes scaling.svg

Nine runs of HAT (modern layers and recipe, dense tokens): far too few for a law, enough to see what holds us back.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PAPER_EXAMPLES = 820_000  # training examples of the paper's benchmark


def main() -> None:
    with (HERE / "scaling.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    parameters, tokens, examples, loss, top1 = (
        np.array([float(row[name]) for row in rows])
        for name in ("parameters", "tokens", "training_examples", "validation_loss", "top1")
    )
    # log loss = k - a log parameters - b log tokens - c log examples
    design = np.stack([np.ones_like(loss), np.log(parameters), np.log(tokens), np.log(examples)], 1)
    (k, a, b, c), *_ = np.linalg.lstsq(design, np.log(loss), rcond=None)
    fitted = np.exp(design @ np.array([k, a, b, c]))
    # logit of top-1 falls with the loss
    logit = np.log(top1 / (100 - top1))
    slope, height = np.polyfit(loss, logit, 1)

    def accuracy(of: float) -> float:
        return float(100 / (1 + np.exp(-(height + slope * of))))

    print("run                    loss  fitted   top-1  fitted")
    for row, measured, said, right in zip(rows, loss, fitted, top1, strict=True):
        print(f"{row['run']:20}  {measured:.3f}   {said:.3f}   {right:5.1f}   {accuracy(measured):5.1f}")
    print(f"loss ~ parameters^{a:.3f} tokens^{b:.3f} examples^{c:.3f}; logit top-1 = {height:.2f} {slope:.2f} loss")
    short = (parameters == 22.5) & (examples == examples.max()) & (tokens < 1e8)
    b_short, k_short = np.polyfit(np.log(tokens[short]), np.log(loss[short]), 1)
    line = float(np.exp(k_short + b_short * np.log(tokens.max())))
    print(
        f"small, all examples, under 100M tokens: loss ~ tokens^{b_short:.3f}; "
        f"at {tokens.max() / 1e6:.0f}M {line:.3f} (measured {loss[-1]:.3f}): top-1 {accuracy(line):.1f}"
    )
    for name, n, t, d in (
        ("paper's examples, our longest run, small", 22.5, tokens.max(), PAPER_EXAMPLES),
        ("paper's examples, our longest run, base", 51.3, tokens.max(), PAPER_EXAMPLES),
    ):
        said = float(np.exp(np.array([1, np.log(n), np.log(t), np.log(d)]) @ np.array([k, a, b, c])))
        print(f"{name}: loss {said:.3f}, top-1 {accuracy(said):.1f} (extrapolated)")
    draw(tokens, loss, examples, parameters, (k_short, b_short))


def draw(
    tokens: np.ndarray, loss: np.ndarray, examples: np.ndarray, parameters: np.ndarray, fit: tuple[float, float]
) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "isarstep"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    reach = np.geomspace(2e7, 1e9, 50)
    axes.plot(reach, np.exp(fit[0] + fit[1] * np.log(reach)), color="0.6", label="fit of small, under 100M tokens")
    for size, mark in ((1.1, "v"), (22.5, "o"), (51.3, "^")):
        chosen = parameters == size
        shares = examples[chosen] / examples.max()
        axes.scatter(tokens[chosen], loss[chosen], s=30 + 60 * shares, marker=mark, label=f"{size} M parameters")
    axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel="validation loss")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "scaling.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
