"""Interactive pictures of embeddings and attention: HTML of our own with its data inside, drawn by the report's script.

`embedding_svg` and `attention_svg` are the same as still pictures, for Markdown and for readers without scripts.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from isarstep.score.analysis.attention_maps import AttentionMaps
from isarstep.score.analysis.embeddings import NEIGHBOURS, Embeddings
from isarstep.score.report.figures import svg_head

MOST_TOKENS = 1500  # dots in the picture


def short(token: str) -> str:
    """The last part of a qualified name."""
    return token.rsplit(".", 1)[-1] if "." in token.strip(".") else token


def data_script(key: str, data: Any) -> str:
    """Data for the script. `<` is escaped so that nothing in it can end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{key}">{text}</script>'


def embedding_data(known: Embeddings, queries: Sequence[str]) -> dict[str, Any]:
    """Points and neighbours of the most frequent constants, of the queries and of their neighbours."""
    wanted = [known.find(query) for query in queries]
    near = [known.find(n.token) for query in queries for n in known.neighbours(query)]
    constants = [i for i, token in enumerate(known.tokens) if "." in token]
    places = list(dict.fromkeys([*wanted, *near, *constants[:MOST_TOKENS]]))[: MOST_TOKENS + 300]
    coordinates, variance = known.components()
    points = coordinates[places]
    points = points / max(float(np.abs(points).max()), 1e-9)
    cosines = known.cosines(places)
    np.fill_diagonal(cosines, -2)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS]
    return {
        "tokens": [known.tokens[i] for i in places],
        "points": [[round(float(x), 3) for x in point] for point in points],
        "near": best.tolist(),
        "cosines": [[round(100 * float(cosines[i, j])) for j in row] for i, row in enumerate(best)],
        "queries": list(range(len(wanted))),
        "variance": [round(100 * share, 1) for share in variance],
    }


def embedding_html(known: Embeddings, queries: Sequence[str], title: str) -> str:
    data = embedding_data(known, queries)
    chips = "".join(
        f'<button type="button" class="chip" data-place="{i}">{escape(short(data["tokens"][i]))}</button>'
        for i in data["queries"]
    )
    shares = ", ".join(f"{share} %" for share in data["variance"])
    return (
        f'<figure class="picture" id="figure-embeddings"><figcaption>{escape(title)}</figcaption>'
        f'<div class="controls">{chips}<input type="search" class="find" list="embedding-tokens" '
        'placeholder="find a constant" aria-label="find a constant"><datalist id="embedding-tokens"></datalist></div>'
        '<div class="split"><canvas class="space" width="900" height="640" role="img" '
        f'aria-label="{escape(title)}" tabindex="0"></canvas><ol class="near" aria-live="polite"></ol></div>'
        f'<p class="note">Principal components of the token table ({shares} of the variance). Drag to turn, pinch or '
        "scroll to zoom, tap a dot for its 50 nearest neighbours by cosine among the constants shown.</p>"
        f"{data_script('embedding-data', data)}</figure>"
    )


def embedding_svg(known: Embeddings, query: str) -> str:
    """A query and its neighbours on the first two components, the other constants faint."""
    data = embedding_data(known, [query])
    near = set(data["near"][0])
    size = 640
    scale = max(max(abs(p[0]), abs(p[1])) for p in data["points"]) or 1.0
    dots: list[str] = []
    labels: list[str] = []
    for i, (x, y, _) in enumerate(data["points"]):
        px, py = size / 2 + x / scale * size * 0.47, size / 2 - y / scale * size * 0.47
        chosen = i == 0 or i in near
        colour = "var(--s1)" if i == 0 else "var(--s0)" if chosen else "var(--line)"
        circle = f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{4 if chosen else 2}" style="fill:{colour}"/>'
        (labels if chosen else dots).append(circle)
        if chosen:
            name = escape(short(data["tokens"][i]))
            labels.append(f'<text class="tick" x="{px + 6:.1f}" y="{py + 4:.1f}" style="font-size:10px">{name}</text>')
    head = svg_head(size, size, f"{short(query)} and its nearest neighbours")
    return "".join([head, *dots, *labels, "</svg>"])


def attention_data(maps: Sequence[AttentionMaps]) -> list[dict[str, Any]]:
    """Weights as one byte each."""

    def packed(layers: Sequence[np.ndarray[Any, np.dtype[np.float32]]]) -> list[str]:
        return [base64.b64encode(np.rint(255 * np.clip(m, 0, 1)).astype(np.uint8).tobytes()).decode() for m in layers]

    return [
        {
            "name": each.name,
            "source": [short(token) for token in each.source],
            "fields": list(each.fields),
            "written": [short(token) for token in each.written],
            "heads": int(each.encoder[0].shape[0]) if each.encoder else 0,
            "encoder": packed(each.encoder),
            "cross": packed(each.cross),
        }
        for each in maps
    ]


def attention_html(maps: Sequence[AttentionMaps], title: str) -> str:
    data = attention_data(maps)
    names = "".join(f'<option value="{i}">{escape(each["name"])}</option>' for i, each in enumerate(data))
    return (
        f'<figure class="picture" id="figure-attention"><figcaption>{escape(title)}</figcaption><div class="controls">'
        f'<label>example <select class="example-choice">{names}</select></label>'
        '<label>attention <select class="kind"><option value="encoder">source to source</option>'
        '<option value="cross">answer to source</option></select></label>'
        '<label>layer <select class="layer"></select></label><label>head <select class="head"></select></label></div>'
        '<p class="chips from" aria-label="attending tokens"></p><p class="arrow" aria-hidden="true">attends to</p>'
        '<p class="chips to" aria-label="attended tokens"></p>'
        '<div class="scroll"><canvas class="heat" role="img" aria-label="attention weights"></canvas></div>'
        '<p class="note">Tap a token in the first row to see where it looks; in the map, rows look at columns. '
        "Colours under the tokens: F.2, F.3, F.4, F.5.</p>"
        f"{data_script('attention-data', data)}</figure>"
    )


def attention_svg(each: AttentionMaps) -> str:
    """The heads' mean of the last encoder layer as a still heat map."""
    weights = each.encoder[-1].mean(0)
    cell, margin = 14, 120
    size = len(each.source) * cell
    out = []
    for i, token in enumerate(each.source):
        name = escape(short(token))
        at = margin + i * cell + 10
        look = 'class="tick" style="font-size:10px"'
        turned = f'transform="rotate(-90 {at} {margin - 4})"'
        out.append(f'<text {look} x="{margin - 4}" y="{at}" text-anchor="end">{name}</text>')
        out.append(f'<text {look} x="{at}" y="{margin - 4}" {turned}>{name}</text>')
    for i, j in zip(*np.nonzero(weights > 0.02), strict=True):
        out.append(
            f'<rect x="{margin + j * cell}" y="{margin + i * cell}" width="{cell - 1}" height="{cell - 1}" '
            f'style="fill:var(--s0)" fill-opacity="{min(1.0, float(weights[i, j])):.2f}"/>'
        )
    title = f"attention for {each.name}, last encoder layer, mean of heads"
    return "".join([svg_head(margin + size, margin + size, title), *out, "</svg>"])
