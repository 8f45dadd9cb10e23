"""Links between pages: the file is there, and so is the heading."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.md")),
    ROOT / "research" / "LOG.md",
    *sorted((ROOT / "research" / "log").glob("*.md")),
]
_LINK = re.compile(r"\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)")


@cache
def anchors(page: Path) -> set[str]:
    """Of each heading, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for name, anchor in _LINK.findall(prose):
        target = page.parent / name if name else page
        assert target.exists(), name
        assert not anchor or anchor in anchors(target), f"{name}#{anchor}"


def test_the_site_and_the_index_have_the_same_four_parts() -> None:
    """And every page is in one of them."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    nav = {
        part: re.findall(r"^ +- (\S+\.md)$", pages, re.MULTILINE) for part, pages in _parts(r"^  - (\w+):\n", config)
    }
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {
        part: re.findall(r"^\| \[[^\]]*\]\((\S+\.md)\)", text, re.MULTILINE)
        for part, text in _parts(r"^## (\w+)\n", index)
    }
    assert list(nav) == list(listed) == ["Start", "Use", "Research", "Develop"]
    for part, pages in listed.items():
        assert [page for page in nav[part] if page in pages] == pages, part
    docs = ROOT / "docs"
    there = {str(page.relative_to(docs)) for page in docs.rglob("*.md") if "runs" not in page.relative_to(docs).parts}
    assert {page for pages in nav.values() for page in pages} == there


def _parts(heading: str, text: str) -> list[tuple[str, str]]:
    found = re.split(heading, text, flags=re.MULTILINE)[1:]
    return list(zip(found[::2], found[1::2], strict=True))
