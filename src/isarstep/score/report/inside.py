"""What models look like inside, for a report: embeddings, attention and answers to the probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from isarstep.common.tables import ABSENT, Table
from isarstep.isabelle.syntax.writing.names import Names
from isarstep.isabelle.terms.signature import Signature
from isarstep.score.analysis.attention_maps import load_maps
from isarstep.score.analysis.embeddings import Embeddings, embeddings_of
from isarstep.score.analysis.probes import Probe, probe_table, probes, read_answers
from isarstep.score.analysis.relatedness import Closeness, closeness, type_shapes
from isarstep.score.report.document import Block, Figure, Raw, Section, Text
from isarstep.score.report.formulas import example_html, formula_html
from isarstep.score.report.pictures import attention_html, attention_svg, embedding_html, embedding_svg, short
from isarstep.score.runs import ATTENTION, PROBES, RunFolder

QUERIES = ("borel_measurable", "arr", "compact", "group", "prime", "continuous_on")
SUMS = ("bounded + closed", "inj + surj", "refl_on + sym + trans", "open + connected", "even + prime")


def look_into(
    runs: Sequence[RunFolder], ranked: Sequence[RunFolder], signature: Signature | None, names: Names
) -> tuple[tuple[Section, ...], dict[str, Any]]:
    """What the runs kept, as sections and for machines: answers to the probes of all runs; token tables and attention
    of those that reports look into. `ranked` has the best first."""
    asked = probes()
    answers = {run.name: read_answers(path, asked) for run in runs if (path := run.kept(PROBES)) is not None}
    looked_into = [run for run in ranked if run.looked_into]
    tables = {run.name: known for run in looked_into if (known := embeddings_of(run.folder))}
    centred = {name: known.centred() for name, known in tables.items()}
    tokens = {token for known in tables.values() for token in known.tokens}
    types = type_shapes(signature, tokens) if signature is not None else None
    close, plain = ({name: closeness(known, types) for name, known in each.items()} for each in (centred, tables))
    placed = {
        run: {probe.name: probe.place(nbest) for probe, nbest in zip(asked, lists, strict=True)}
        for run, lists in answers.items()
    }
    said = {
        name: asdict(found) | {"plain": asdict(plain[name]), "sums": _sums(centred[name])}
        for name, found in close.items()
    }
    sections = (_embeddings(centred, close, plain), _attention(looked_into, names), _probes(asked, answers, names))
    return sections, {"embeddings": said, "probes": placed}


def _embeddings(
    tables: Mapping[str, Embeddings], close: Mapping[str, Closeness], plain: Mapping[str, Closeness]
) -> Section:
    """The pictures are of the best run that was looked into, the numbers of all."""
    blocks: list[Block] = []
    for name, known in list(tables.items())[:1]:
        queries = [query for query in QUERIES if known.has(query)] or [known.tokens[0]]
        title = f"Token embeddings of {name}"
        still = Figure("embeddings", title, embedding_svg(known, queries[0]))
        blocks.append(Raw(embedding_html(known, queries, title), figures=(still,)))
    if close:
        as_they_are = {f"{name}, as it is": found for name, found in plain.items()}
        blocks.append(_closeness_table({**close, **as_they_are}))
    for name, known in tables.items():
        rows = [
            (short(known.tokens[known.find(query)]), ", ".join(short(n.token) for n in known.neighbours(query, 10)))
            for query in QUERIES
            if known.has(query)
        ]
        for expression, answers in _sums(known).items():
            rows.append((expression, ", ".join(f"{short(token)} {cosine:.2f}" for token, cosine in answers)))
        note = (
            f"Nearest first, by cosine among the {len(known.tokens):,} most frequent tokens, their mean taken away. "
            "'arr' (arrow) is shown where it was mined. Paper: nearest to bounded + closed are bounded, closed and "
            "compact."
        )
        heads = ("constant or sum", "neighbours")
        key = f"neighbours-{name}" if len(tables) > 1 else "neighbours"
        blocks.append(Table(key, f"Nearest neighbours in {name}", heads, tuple(rows), note, prose=True))
    return Section("embeddings", "Embeddings", tuple(blocks))


def _sums(known: Embeddings) -> dict[str, list[tuple[str, float]]]:
    """Nearest to sums of which the model saw all parts often."""
    asked = [expression for expression in SUMS if all(known.has(part) for part in expression.split(" + "))]
    return {text: [(near.token, round(near.cosine, 3)) for near in known.arithmetic(text, 8)] for text in asked}


def _closeness_table(close: Mapping[str, Closeness]) -> Table:
    def cells(pair: tuple[float, float] | None) -> tuple[str, str]:
        return (ABSENT, ABSENT) if pair is None else (f"{pair[0]:.1f}", f"{pair[1]:.1f}")

    rows = []
    for name, found in close.items():
        place = ABSENT if found.median_place is None else f"{found.median_place:,.0f} of {found.constants - 1:,}"
        numbers = (*cells(found.theory), *cells(found.type), *cells(found.partner))
        rows.append((name, *numbers, f"{found.pairs}", place))
    columns = ("run", *("percent", "by chance") * 3, "pairs known", "median place of the partner")
    groups = (("", 1), ("same theory", 2), ("same type", 2), ("partner among the ten", 2), ("", 2))
    note = (
        "Of the ten nearest constants by cosine, among tokens that training saw often: how many are of the same theory "
        "and of the same type; and for sixty pairs of related concepts chosen by hand, both ways, how often the "
        "partner is among the ten. By chance: neighbours drawn at random. Cosines are of what is left when the mean of "
        "all embeddings is taken away; as they are, all embeddings share a direction that makes any two look alike."
    )
    return Table("closeness", "Do related concepts lie close?", columns, tuple(rows), note, groups)


def _attention(runs: Sequence[RunFolder], names: Names) -> Section:
    for run in runs:
        path = run.kept(ATTENTION)
        maps = load_maps(path) if path is not None else []
        if not maps:
            continue
        title = f"Attention of {run.name}"
        caption = f"{title}: {maps[0].name}, last encoder layer, mean of heads"
        still = Figure("attention", caption, attention_svg(maps[0]))
        known = {probe.name: probe for probe in probes()}
        shown = "".join(
            f"<h3>{escape(each.name)}</h3>{example_html(known[each.name].example, names, [], hints=run.hints)}"
            for each in maps
            if each.name in known
        )
        examples = f"<details><summary>The examples as mathematics</summary>{shown}</details>" if shown else ""
        return Section("attention", "Attention", (Raw(attention_html(maps, title) + examples, figures=(still,)),))
    return Section("attention", "Attention", ())


def _probes(asked: Sequence[Probe], answers: dict[str, list[tuple[str, ...]]], names: Names) -> Section:
    if not answers:
        return Section("probes", "Probes", ())
    intro = Text(
        "Small questions whose answers a person can see: the paper's first example, its subset and member example, "
        "the swap of that, its dim/span/card example, and our own."
    )
    html = "".join(_probe_html(probe, i, answers, names) for i, probe in enumerate(asked))
    listed = Raw(f'<details><summary>All probes with answers</summary><div class="gallery">{html}</div></details>')
    return Section("probes", "Probes", (intro, probe_table(asked, dict(answers)), listed))


def _probe_html(probe: Probe, i: int, answers: dict[str, list[tuple[str, ...]]], names: Names) -> str:
    given = [(name, lists[i][0] if lists[i] else "") for name, lists in answers.items()]
    right = all(probe.place(lists[i]) == 1 for lists in answers.values())
    others = "".join(f"<li>{formula_html(tokens, names)}</li>" for tokens in probe.answers[1:])
    also = f'<p class="about">also right:</p><ul>{others}</ul>' if others else ""
    body = example_html(probe.example, names, given, hints=True)
    return (
        f'<article class="{"right" if right else "wrong"}"><h4>{escape(probe.name)}</h4>'
        f'<p class="about">{escape(probe.why)}</p>{body}{also}</article>'
    )
