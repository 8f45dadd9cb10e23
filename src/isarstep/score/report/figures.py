"""Figures as SVG of our own: they scale, follow the reader's light or dark theme and need nothing to be loaded.

Inside the page colours come from its style sheet; `standalone` adds them for a file of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from isarstep.score.metrics import Score

WIDTH, HEIGHT = 760, 340
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 16, 46
BREADTH, BASE = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM  # of what stands between the axes: its width, where it ends

# Told apart by readers with any colour vision; two values each, for light and dark paper.
LIGHT = (
    "#2f6db5", "#c8641e", "#1d8a74", "#a8437d", "#6c5fc7", "#7b7f86", "#a08a12", "#4b9bd6", "#b23b3b", "#4d7f2c",
    "#8a5a2b", "#262b33",
)  # fmt: skip
DARK = (
    "#6ea8ea", "#f0975a", "#4fc3ab", "#e082b5", "#a79df0", "#a6abb3", "#d6bd4a", "#8ccbf7", "#f08a8a", "#9ad07c",
    "#cf9f6e", "#eef0f3",
)  # fmt: skip

STYLE = (
    ".axis{stroke:var(--line)}.grid{stroke:var(--line);stroke-dasharray:2 4}.tick{fill:var(--soft);font-size:13px}"
    ".label{fill:var(--ink);font-size:14px}.whisker{stroke:var(--ink);stroke-opacity:.55}"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
)


def palette() -> str:
    """The colours as CSS for both themes."""
    light = "".join(f"--s{i}:{colour};" for i, colour in enumerate(LIGHT))
    dark = "".join(f"--s{i}:{colour};" for i, colour in enumerate(DARK))
    paper = "--paper:#fff;--ink:#1c2026;--soft:#5c6470;--line:#d8dce2;"
    night = "--paper:#14171c;--ink:#e7eaee;--soft:#9aa3af;--line:#333a44;"
    return f":root{{{paper}{light}}}@media(prefers-color-scheme:dark){{:root{{{night}{dark}}}}}"


def standalone(svg: str) -> str:
    """A figure as a file: with its colours and its paper."""
    style = f"<style>{palette()}{STYLE}svg{{background:var(--paper)}}</style>"
    head, _, rest = svg.partition(">")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} xmlns="http://www.w3.org/2000/svg">{style}{rest}\n'


def svg_head(width: int, height: int, title: str) -> str:
    shown = escape(title)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{shown}"><title>{shown}</title>'


@dataclass(frozen=True)
class Series:
    """One system's values with intervals, one for each group; None where a group is empty."""

    name: str
    values: tuple[Score | None, ...]


def bars(title: str, groups: Sequence[str], series: Sequence[Series], x_label: str, y_label: str) -> str:
    """Bars side by side with whiskers for the intervals."""
    known = (s for each in series for s in each.values if s is not None and not math.isnan(s.value))
    highest = max((s.high for s in known), default=1.0)
    top, step = _nice(max(highest, 1e-9))
    out: list[str] = []
    band = BREADTH / max(len(groups), 1)
    width = min(46.0, band * 0.8 / max(len(series), 1))
    for g, group in enumerate(groups):
        centre = LEFT + band * (g + 0.5)
        out.append(_text("tick", centre, BASE + 18, group))
        for i, each in enumerate(series):
            score = each.values[g]
            if score is None or math.isnan(score.value):
                continue
            x = centre + (i - len(series) / 2) * width
            y = _y(score.value, top)
            about = f"{each.name}, {group}: {score}"
            out.append(
                f'<rect x="{x + 1:.1f}" y="{y:.1f}" width="{width - 2:.1f}" height="{BASE - y:.1f}" rx="2" '
                f'style="fill:var(--s{i % len(LIGHT)})"><title>{escape(about)}</title></rect>'
            )
            middle = x + width / 2
            out.append(f'<path class="whisker" d="M{middle:.1f} {_y(score.low, top):.1f}V{_y(score.high, top):.1f}"/>')
    return _framed(title, out, series, top, step, x_label, y_label)


NAMES, ROW, HEAD = 150, 26, 40  # of `dot_rows`: the width of the names, the height of a row, what stands above the rows


def dot_rows(
    title: str, measures: Sequence[str], rows: Sequence[Series], printed: Sequence[Series], x_label: str
) -> str:
    """A row for each series, a dot with its interval for each measure; `printed` are other people's numbers for a row
    (those without an entry are None), drawn hollow."""
    highest = max((s.high for each in (*rows, *printed) for s in each.values if s is not None), default=1.0)
    right, step = _nice(max(highest, 1e-9))
    bottom = HEAD + ROW * len(rows)

    def at(value: float) -> float:
        return NAMES + (WIDTH - NAMES - RIGHT) * value / right

    out = [svg_head(WIDTH, bottom + 46, title)]
    for i, measure in enumerate((*measures, "hollow: the paper")):
        x = NAMES + (WIDTH - NAMES) * i / (len(measures) + 1)
        out.append(_dot(x + 6, 14, min(i, len(measures) - 1), measure, i == len(measures)))
        out.append(_text("label", x + 18, 19, measure, "start"))
    for i in range(int(right / step + 1e-9) + 1):
        out.append(f'<path class="{"grid" if i else "axis"}" d="M{at(i * step):.1f} {HEAD - 8}V{bottom}"/>')
        out.append(_text("tick", at(i * step), bottom + 18, _number(i * step)))
    for place, row in enumerate(rows):
        middle = HEAD + ROW * (place + 0.5)
        out.append(f'<path class="grid" d="M0 {middle + ROW / 2:.1f}H{WIDTH - RIGHT}"/>')
        out.append(_text("tick", NAMES - 10, middle + 4, row.name, "end"))
        for i, score in enumerate(row.values):
            y = middle + (5 if i > 1 else -4)  # what may lie between the first two stands below them
            theirs = printed[place].values[i]
            if score is not None:
                line = f"M{at(score.low):.1f} {y:.1f}H{at(score.high):.1f}"
                out.append(f'<path d="{line}" stroke-width="2" style="stroke:var(--s{i})"/>')
                out.append(_dot(at(score.value), y, i, f"{row.name}, {measures[i]}: {score}"))
            if theirs is not None:
                about = f"{printed[place].name}, {measures[i]}: {theirs.value:.1f}"
                out.append(_dot(at(theirs.value), y, i, about, hollow=True))
    out.append(_text("label", at(right / 2), bottom + 38, x_label))
    return "".join(out) + "</svg>"


def _dot(x: float, y: float, colour: int, about: str, hollow: bool = False) -> str:
    look = f"fill:none;stroke:var(--s{colour})" if hollow else f"fill:var(--s{colour})"
    told = f"<title>{escape(about)}</title>"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" stroke-width="2" style="{look}">{told}</circle>'


Points = Sequence[tuple[float, float]]  # x and y


def lines(title: str, curves: Sequence[tuple[str, Points]], x_label: str, y_label: str) -> str:
    """A curve for each run with its name, over a common axis that starts at zero."""
    right = max((x for _, points in curves for x, _ in points), default=1.0) or 1.0
    top, step = _nice(max((y for _, points in curves for _, y in points), default=1.0) or 1.0)
    series = [Series(name, ()) for name, _ in curves]
    out: list[str] = []
    _, x_step = _nice(right)
    ticks = int(right / x_step + 1e-9)
    for i in range(ticks + 1):
        x = LEFT + BREADTH * (i * x_step) / right
        out.append(_text("tick", x, BASE + 18, _number(i * x_step)))
    for i, (name, points) in enumerate(curves):
        path = "L".join(f"{LEFT + BREADTH * x / right:.1f} {_y(y, top):.1f}" for x, y in points)
        out.append(
            f'<path d="M{path}" fill="none" stroke-width="2" style="stroke:var(--s{i % len(LIGHT)})">'
            f"<title>{escape(name)}</title></path>"
        )
    return _framed(title, out, series, top, step, x_label, y_label)


def _y(value: float, top: float) -> float:
    return BASE - (BASE - TOP) * value / top


def _framed(
    title: str, inside: Sequence[str], series: Sequence[Series], top: float, step: float, x_label: str, y_label: str
) -> str:
    """What stands between the axes, with these and the legend."""
    out = [svg_head(WIDTH, HEIGHT + 22 * max(1, math.ceil(len(series) / 3)), title)]
    for i in range(int(top / step + 1e-9) + 1):
        y = _y(i * step, top)
        kind = "grid" if i else "axis"
        out.append(f'<path class="{kind}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        out.append(_text("tick", LEFT - 8, y + 4, _number(i * step), "end"))
    out.append(
        f'<text class="label" x="14" y="{(TOP + BASE) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {(TOP + BASE) / 2})">{escape(y_label)}</text>'
    )
    out += inside
    out.append(_text("label", LEFT + BREADTH / 2, BASE + 38, x_label))
    return "".join([*out, *_legend(series, BASE + 62), "</svg>"])


def _text(kind: str, x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _legend(series: Sequence[Series], y: int) -> list[str]:
    out = []
    column = (WIDTH - LEFT) / 3
    for i, each in enumerate(series):
        x, row = LEFT + column * (i % 3), y + 22 * (i // 3)
        colour = f"fill:var(--s{i % len(LIGHT)})"
        out.append(f'<rect x="{x:.0f}" y="{row - 11}" width="13" height="13" rx="3" style="{colour}"/>')
        out.append(_text("label", x + 20, row, each.name, "start"))
    return out


def _nice(highest: float) -> tuple[float, float]:
    """A round top of an axis and the distance of its ticks: three to seven of them."""
    power = 10.0 ** math.floor(math.log10(highest))
    for factor in (0.2, 0.25, 0.5, 1.0, 2.0):
        step = factor * power
        if highest / step <= 6:
            break
    return step * math.ceil(highest / step - 1e-9), step


def _number(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:g}K"
    return f"{value:g}" if value < 1000 else f"{value:,.0f}"
