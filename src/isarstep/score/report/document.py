"""A report as sections of blocks, written as one self-contained HTML page and as Markdown with figures beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from isarstep.common.files import write_whole
from isarstep.common.tables import Table
from isarstep.score.report.figures import STYLE, palette, standalone
from isarstep.score.report.leaderboard import leaderboard


@dataclass(frozen=True)
class Figure:
    """A still picture; in Markdown it is a file."""

    key: str
    caption: str
    svg: str
    note: str = ""


@dataclass(frozen=True)
class Text:
    """A paragraph, the same in both."""

    text: str


@dataclass(frozen=True)
class Raw:
    """What looks different in the two: HTML, and Markdown (or pictures for it)."""

    html: str
    markdown: str = ""
    figures: tuple[Figure, ...] = ()  # for Markdown only


Block = Table | Figure | Text | Raw


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    title: str
    lead: str
    opening: Figure  # the whole at a glance
    cards: tuple[tuple[str, str], ...]  # a number and what it is
    sections: tuple[Section, ...]
    numbers: dict[str, Any] = field(default_factory=dict, hash=False)  # the tables' content for machines

    def to_html(self) -> str:
        files = resources.files("isarstep.score.report").joinpath("page")
        css = palette() + STYLE + files.joinpath("report.css").read_text("utf-8")
        script = files.joinpath("report.js").read_text("utf-8")
        links = "".join(f'<a href="#{s.key}">{escape(s.title)}</a>' for s in self.sections)
        cards = "".join(f"<li><b>{escape(number)}</b><span>{escape(what)}</span></li>" for number, what in self.cards)
        body = "".join(
            f'<section id="{s.key}"><h2>{escape(s.title)}</h2>{"".join(_html(block) for block in s.blocks)}</section>'
            for s in self.sections
        )
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
            f"<title>{escape(self.title)}</title><style>{css}</style></head><body>"
            f'<header><div><h1>{escape(self.title)}</h1><p class="lead">{escape(self.lead)}</p>'
            f'{_html(self.opening)}<ul class="cards">{cards}</ul></div></header>'
            f'<nav aria-label="sections"><div>{links}</div></nav>'
            f"<main>{body}</main><script>{script}</script></body></html>\n"
        )

    def to_markdown(self) -> str:
        cards = "\n".join(f"- **{n}** {what}" for n, what in self.cards)
        parts = [f"# {self.title}\n", self.lead + "\n", _markdown(self.opening), cards + "\n"]
        for section in self.sections:
            parts.append(f"## {section.title}\n")
            parts += [_markdown(block) for block in section.blocks]
        return "\n".join(part for part in parts if part)

    def figures(self) -> list[Figure]:
        found = [self.opening]
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Figure):
                    found.append(block)
                elif isinstance(block, Raw):
                    found += block.figures
        return found

    def write(self, folder: Path) -> None:
        """report.html, report.md with its figures, scores.json and LEADERBOARD.md."""
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "report.html", self.to_html())
        for figure in self.figures():
            write_whole(folder / f"{figure.key}.svg", standalone(figure.svg))
        write_whole(folder / "report.md", self.to_markdown())
        proofs = folder / "proofs.json"
        proved = json.loads(proofs.read_text(encoding="utf-8")) if proofs.exists() else []
        write_whole(folder / "LEADERBOARD.md", leaderboard(self.numbers, proved))
        write_whole(folder / "scores.json", json.dumps(self.numbers, indent=1, ensure_ascii=False) + "\n")


def _html(block: Block) -> str:
    match block:
        case Table():
            return block.to_html()
        case Figure():
            note = f'<p class="note">{escape(block.note)}</p>' if block.note else ""
            caption = f"<figcaption>{escape(block.caption)}</figcaption>"
            return f'<figure id="figure-{block.key}">{caption}<div class="scroll">{block.svg}</div>{note}</figure>'
        case Text():
            return f"<p>{escape(block.text)}</p>"
        case Raw():
            return block.html


def _markdown(block: Block) -> str:
    match block:
        case Table():
            return block.to_markdown()
        case Figure():
            note = f"\n{block.note}\n" if block.note else ""
            return f"**{block.caption}**\n\n![{block.caption}]({block.key}.svg)\n{note}"
        case Text():
            return block.text + "\n"
        case Raw():
            return block.markdown + "".join(_markdown(figure) for figure in block.figures)
