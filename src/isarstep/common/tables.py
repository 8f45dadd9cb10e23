"""A table once, shown three ways: in a terminal, in Markdown, in HTML."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.table

NOT_CHECKED = "not checked"
NOT_RUN = "not run"
ABSENT = "–"
_INTERVAL = re.compile(r" \[([0-9.]+), ([0-9.]+)\]")
_WITH_INTERVAL = re.compile(r"(.*?) (\[[^\]]*\])(?: (\([^)]*\)))?")  # and another value in brackets
_WIDE = 10_000  # characters; no table has so many


@dataclass(frozen=True)
class Table:
    """Rows of text under column heads, the first column left-aligned. `groups` are heads that span several columns."""

    key: str  # stable, for links and tests
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    groups: tuple[tuple[str, int], ...] = ()
    prose: bool = False  # cells are words that may wrap, not numbers

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.key
        assert not self.groups or sum(width for _, width in self.groups) == len(self.columns), self.key

    def flat_columns(self) -> list[str]:
        """Column heads with the head above them in front, where a table can't have two rows of heads."""
        above = [head for head, width in self.groups for _ in range(width)] or [""] * len(self.columns)
        return [f"{head} {column}".strip() for head, column in zip(above, self.columns, strict=True)]

    def as_json(self) -> dict[str, object]:
        """For `--json`: what is shown, as texts."""
        rows = [list(row) for row in self.rows]
        return {"title": self.title, "columns": self.flat_columns(), "rows": rows, "note": self.note}

    def to_rich(self) -> rich.table.Table:
        import rich.table
        from rich.markup import escape as escape_markup
        from rich.text import Text

        note = Text(self.note) if self.note else None
        shown = rich.table.Table(title=Text(self.title), title_justify="left", caption=note, caption_justify="left")
        for number, column in enumerate(self.flat_columns()):
            shown.add_column(escape_markup(column), justify="left" if number == 0 or self.prose else "right")
        for row in self.rows:
            # An interval stands under its value and short, so that six of them fit into 80 columns.
            shown.add_row(*(Text(_INTERVAL.sub(r"\n\1–\2", cell)) for cell in row))
        return shown

    def show(self) -> None:
        """Print it, as wide as the terminal; into a pipe or a file, as wide as it is, so that nothing is cut."""
        from rich.console import Console

        Console(width=None if sys.stdout.isatty() else _WIDE).print(self.to_rich())

    def to_markdown(self) -> str:
        lines = [
            _markdown_row(self.flat_columns()),
            _markdown_row(["---"] + ["---" if self.prose else "---:"] * (len(self.columns) - 1)),
            *(_markdown_row(row) for row in self.rows),
        ]
        note = f"\n\n{self.note}" if self.note else ""
        return f"**{self.title}**\n\n" + "\n".join(lines) + note + "\n"

    def to_html(self) -> str:
        heads = ""
        if self.groups:
            spans = (f'<th scope="colgroup" colspan="{width}">{escape(head)}</th>' for head, width in self.groups)
            heads = f'<tr class="groups">{"".join(spans)}</tr>'
        heads += "<tr>" + "".join(f'<th scope="col">{escape(column)}</th>' for column in self.columns) + "</tr>"
        body = "".join(
            f'<tr><th scope="row">{_html_cell(row[0])}</th>'
            + "".join(f"<td>{_html_cell(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in self.rows
        )
        note = f'<p class="note">{escape(self.note)}</p>' if self.note else ""
        kind = "table prose" if self.prose else "table"
        return (
            f'<figure class="{kind}" id="table-{self.key}"><figcaption>{escape(self.title)}</figcaption>'
            f'<div class="scroll"><table><thead>{heads}</thead><tbody>{body}</tbody></table></div>{note}</figure>'
        )


def print_tables(tables: Sequence[Table], as_json: bool = False, markdown: bool = False) -> None:
    """As one JSON document, as Markdown, or for a terminal."""
    if as_json:
        print(json.dumps({"tables": [table.as_json() for table in tables]}, ensure_ascii=False))
        return
    for table in tables:
        print(table.to_markdown()) if markdown else table.show()


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _html_cell(cell: str) -> str:
    """An interval stands smaller under the value; what is missing is grey."""
    if cell in (NOT_CHECKED, NOT_RUN, ABSENT):
        return f'<span class="absent">{cell}</span>'
    parts = _WITH_INTERVAL.fullmatch(cell)
    if parts is None:
        return escape(cell)
    value, *below = (escape(part) for part in parts.groups() if part)
    return " ".join([value, *(f'<span class="interval">{part}</span>' for part in below)])
