"""Every message on the page of troubles is one that the code can say."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "troubleshooting.md"
# Not our words: states of answers, options, what a server says.
OTHERS = {"isarstep ask", "isarstep mcp", "isarstep doctor", "401 ..."}
GAP = "\N{REPLACEMENT CHARACTER}"


def said() -> str:
    """All of the code, strings that stand beside each other joined; once as it is, once without what is filled in."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    joined = re.sub(r'"\s*\n\s*f?"', "", text)
    return joined + re.sub(r"\{[^{}\n]*\}", GAP, joined)


def messages() -> list[str]:
    rows = [line.split("|")[1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    spans = [span for row in rows[1:] for span in re.findall(r"`([^`]+)`", row)]
    return [span for span in spans if span not in OTHERS and " " in span]


def missing(message: str, code: str) -> list[str]:
    """Pieces of a message, between what differs, that no string has."""
    pieces = [piece.strip(" ;:'") for piece in message.split("...")]
    assert any(len(piece) >= 8 for piece in pieces), f"{message}: nothing to look for"
    return [piece for piece in pieces if piece and piece not in code]


def test_every_message_exists_in_the_code() -> None:
    found = messages()
    assert len(found) >= 20
    code = said()
    assert {message: missing(message, code) for message in found} == {message: [] for message in found}


def test_a_message_that_nobody_says_is_noticed() -> None:
    assert missing("no benchmark here (... has gone away)", said()) == ["has gone away)"]
