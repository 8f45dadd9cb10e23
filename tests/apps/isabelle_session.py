"""Loads a theory in a real ML process, as a batch build would, and keeps what its commands print.

As a program it records the transcript that the tests compare with: python tests/apps/isabelle_session.py
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.needs import image_of

import isarstep
from isarstep.isabelle.process import release, yxml
from isarstep.isabelle.process.installation import Installation, Sessions, find_installation
from isarstep.isabelle.process.ml_process import Message, MLProcess, Start

HERE = Path(__file__).parent / "isabelle"
TRANSCRIPT = HERE / "transcript.txt"


@dataclass(frozen=True)
class Output:
    """What one command printed: kind (writeln, warning, error), plain text, and the texts that can be clicked."""

    kind: str
    text: str
    clickable: tuple[str, ...]


@dataclass(frozen=True)
class Loaded:
    failure: str  # empty when the theory came to its end
    outputs: dict[str, Output]  # by the comment that marks a line


_SENDBACK = re.compile(rb"\x05\x06sendback\x06[^\x05]*padding=command[^\x05]*\x05(.*?)\x05\x06\x05", re.DOTALL)


def load(installation: Installation, theory: Path, addresses: Mapping[str, str], seconds: float = 300.0) -> Loaded:
    text = theory.read_text()
    for name, address in addresses.items():
        text = text.replace(f"@{name}@", address)
    marks = {
        number: found[1]
        for number, line in enumerate(text.splitlines(), 1)
        if (found := re.search(r"\(\*(\w+)\*\)", line))
    }
    pure, hol = image_of(installation, "Pure"), image_of(installation, "HOL")
    assert pure is not None
    assert hol is not None
    outputs: dict[str, Output] = {}
    failure = "the process ended"
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / theory.name).write_text(text)
        (Path(scratch) / "ROOT").write_text(f"session Asking = HOL + sessions IsarStep theories {theory.stem}\n")
        sessions = Sessions(installation, [Path(isarstep.__file__).parent / "apps" / "jedit", Path(scratch)])
        start = Start(
            images=(pure, hol),
            uses=(HERE / "Load.ML",),
            main="Isarstep_Load.main ()",
            loaded=(*(entry.name for entry in sessions.all_theories("HOL")), *release.PURE_THEORIES),
            sessions=sessions.requirements("Asking"),
        )
        with MLProcess(installation, sessions, start) as process:
            process.deadline = time.monotonic() + seconds
            process.command("isarstep_load", b"Asking", f"Asking.{theory.stem}".encode())
            for message in process.messages():
                data = b"".join(message.chunks)
                if event := message.properties.get("event"):
                    failure = "" if event == "loaded" else _plain(message.properties["text"].encode())
                    process.stop()
                elif message.kind in ("writeln", "warning", "error") and _place(message, theory) in marks:
                    mark = marks[_place(message, theory)]
                    assert mark not in outputs, f"{mark} printed twice"
                    clickable = tuple(_plain(part) for part in _SENDBACK.findall(data))
                    outputs[mark] = Output(message.kind, _plain(data), clickable)
            process.wait(60)
    return Loaded(failure, {mark: outputs[mark] for mark in marks.values() if mark in outputs})


def _place(message: Message, theory: Path) -> int:
    """The line of the command that speaks, 0 for one of another theory."""
    properties = message.properties
    return int(properties.get("line", "0")) if properties.get("file", "").endswith(theory.name) else 0


def _plain(data: bytes) -> str:
    return yxml.content(yxml.parse(data))


def transcript(loaded: Loaded, addresses: Mapping[str, str]) -> str:
    """For people and for comparison: names in place of addresses."""
    lines = []
    for mark, output in loaded.outputs.items():
        text = output.text
        for name, address in addresses.items():
            text = text.replace(address, f"@{name}@")
        lines.append(f"--- {mark} ({output.kind})\n{text}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    from isabelle_servers import start_servers

    found = start_servers()
    result = load(find_installation(), HERE / "Asking.thy", found)
    if result.failure:
        sys.exit(result.failure)
    TRANSCRIPT.write_text(transcript(result, found))
