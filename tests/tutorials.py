"""Tutorials are done as they are written: files, Python and commands one after the other, in one folder.

A fence says what a block is: `isabelle file=NAME` is written, `python` runs, `console` has commands behind `$` and what
they print, `...` for whatever differs. `needs=` names what a block cannot do without; where that is not there, the block
is left out, and what it would have made is taken from what is kept.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from isarstep import cli

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
NEEDS = ("isabelle", "training")
# Training and prediction in seconds. Later blocks use the files that are kept, as where training is left out.
SHORTER = {"--minutes 5": "--minutes 0.1", "--limit 60 --beam 5": "--limit 2 --beam 1"}
# What lies in the folder before a tutorial begins, and what stands for a block that is left out.
GIVEN = {"mine": {"theories": ROOT / "tests" / "theories"}}
KEPT = {
    ("mine", "isabelle"): {"graphs/Isarstep_Tests": ROOT / "tests" / "isabelle" / "process" / "graphs"},
    ("train", "training"): {
        name: ROOT / "tests" / "model" / "train" / name for name in ("first.jsonl", "first.meta.json")
    },
}
_FENCE = re.compile(r"^```(\w+)(?: (\w+)=(\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    kind: str
    key: str
    value: str
    text: str

    @property
    def needs(self) -> str:
        return self.value if self.key == "needs" else ""


def blocks(page: Path) -> list[Block]:
    return [Block(*(part or "" for part in found)) for found in _FENCE.findall(page.read_text(encoding="utf-8"))]


def follow(page: Path, folder: Path, there: Collection[str] = ()) -> int:
    """Run every block whose requirements are met in the folder, with less training; return the number of blocks run."""
    for name, source in GIVEN.get(page.stem, {}).items():
        shutil.copytree(source, folder / name)
    done = 0
    with contextlib.chdir(folder):
        for block in blocks(page):
            if not block.needs or block.needs in there:
                _do(shortened(block))
                done += 1
            if block.needs and (block.needs not in there or shortened(block) != block):
                for name, source in KEPT.get((page.stem, block.needs), {}).items():
                    (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return done


def shortened(block: Block) -> Block:
    text = block.text
    for long, short in SHORTER.items():
        text = text.replace(long, short)
    return replace(block, text=text)


def _do(block: Block) -> None:
    if block.key == "file":
        Path(block.value).write_text(block.text, encoding="utf-8")
    elif block.kind == "python":
        exec(compile(block.text, "tutorial", "exec"), {"__name__": "tutorial"})
    elif block.kind == "console":
        for command, expected in commands(block.text):
            printed = _printed(command)
            assert matches(expected, printed), f"$ {command}\n{printed}\nis not\n{expected}"


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def _printed(command: str) -> str:
    program, *arguments = shlex.split(command)
    if program == "cat":
        return Path(arguments[0]).read_text(encoding="utf-8")
    assert program == "isarstep", command
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.run(arguments) == 0, command
    return out.getvalue()


def matches(expected: str, printed: str) -> bool:
    """Blanks at the ends of lines do not count."""

    def plain(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*?".join(re.escape(part) for part in plain(expected).split("..."))
    return re.fullmatch(pattern, plain(printed), re.DOTALL) is not None


def isabelle_is_there() -> bool:
    return bool(os.environ.get("ISABELLE_HOME"))
