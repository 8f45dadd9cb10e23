"""What the pages say of fields: the names in the first column of a section's tables, and all names in a section."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def section(heading: str, page: str = "outputs.md") -> str:
    """The text between a heading and the next one, of whatever level."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{page} has no section {heading}"
    return found[1]


def documented(heading: str, page: str = "outputs.md") -> set[str]:
    cells = re.findall(r"^\| (`[^|]*) \|", section(heading, page), re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def mentioned(heading: str, page: str = "outputs.md") -> set[str]:
    return set(re.findall(r"`([^`]+)`", section(heading, page)))
