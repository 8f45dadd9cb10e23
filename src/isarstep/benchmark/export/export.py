"""Our examples in other forms: the original release's files, and JSONL with tokens, Unicode or LaTeX."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from isarstep.benchmark.export.card import card
from isarstep.benchmark.export.croissant import croissant
from isarstep.benchmark.export.display import Printer
from isarstep.benchmark.export.formats import LABEL_OF, META, SEPARATOR
from isarstep.benchmark.store.canary import CANARY
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.store import Benchmark, Split
from isarstep.common.files import write_whole, writing_whole

_RELEASE_NAME = {"validation": "valid"}


def source_line(example: Example, *, hints: bool) -> str:
    """One line of `source.txt`, or of `source_g.txt` with F.5."""
    fields: dict[int, list[str]] = {2: [], 3: [], 4: [], **({5: []} if hints else {})}
    for number, text in example.source(hints=hints):
        fields[number].append(text if number == 3 else f"{SEPARATOR} {text}")
    return " ".join(" ".join([LABEL_OF[number], *texts]) for number, texts in fields.items())


def meta_line(example: Example) -> str:
    """The eleven fields of `meta.txt`. Our miner has no refinement locations; the theorem carries its identity."""
    compound = "0" if example.target_kind == "compound" else "-1"
    parts = [
        example.theory, f"{example.name}@{example.theorem}", str(example.target_step), "-1", compound, example.f1,
        str(example.f3 is not None), str(example.consequence_step), "-1", "-1", example.f3 or "",
    ]  # fmt: skip
    return META.join(parts)


def _filled(benchmark: Benchmark, out: Path, splits: Sequence[str] | None) -> Iterator[tuple[str, Split]]:
    """The splits that have examples; the folder is there."""
    out.mkdir(parents=True, exist_ok=True)
    for name in splits or benchmark.splits:
        split = benchmark.split(name)
        if len(split):
            yield name, split


def export_release(benchmark: Benchmark, out: Path, splits: Sequence[str] | None = None) -> list[Path]:
    """`train.source.txt`, `train.source_g.txt`, `train.target.txt`, `train.meta.txt` and so on."""
    written: list[Path] = []
    for name, split in _filled(benchmark, out, splits):
        begin = _RELEASE_NAME.get(name, name)
        paths = [out / f"{begin}.{part}.txt" for part in ("source", "source_g", "target", "meta")]
        with _writing(paths) as files:
            for example in split:
                lines = (
                    source_line(example, hints=False), source_line(example, hints=True), example.f1, meta_line(example)
                )  # fmt: skip
                for file, line in zip(files, lines, strict=True):
                    file.write(line + "\n")
        written += paths
    return written


def export_jsonl(
    benchmark: Benchmark, out: Path, splits: Sequence[str] | None = None, *, style: str = "tokens", hints: bool = True
) -> list[Path]:
    """One JSON object a line, in `train.jsonl` and so on, with the card and Croissant metadata beside them."""
    written: list[Path] = []
    for name, split in _filled(benchmark, out, splits):
        # What is scored is written so that it can be read back where it stands; a million examples would take hours.
        printer = Printer(benchmark, style, at_home=name != "train")
        path = out / f"{name}.jsonl"
        with _writing([path]) as [file]:
            for example in split:
                file.write(json.dumps(_record(example, printer.of(example), hints), ensure_ascii=False) + "\n")
        written.append(path)
    document = croissant(benchmark.manifest, written, hints=hints)
    texts = {
        "README.md": card(benchmark.manifest, written),
        "croissant.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
    }
    for file_name, text in texts.items():
        write_whole(out / file_name, text)
    return [*written, *(out / file_name for file_name in texts)]


def _record(example: Example, show: Callable[[str], str], hints: bool) -> dict[str, object]:
    return {
        "id": example.id,
        "theorem": example.theorem,
        "name": example.name,
        "session": example.session,
        "step": example.step_id,
        "target_kind": example.target_kind,
        "f1": show(example.f1),
        "f2": [show(text) for text in example.f2],
        "f3": None if example.f3 is None else show(example.f3),
        "f4": [show(text) for text in example.f4],
        **({"f5": [show(text) for text in example.f5]} if hints else {}),
        # Two lists, not an object: its keys would become columns in every table that is made of the records.
        "variables": [show(f"FREE {variable}").removeprefix("PROP ") for variable in example.types],
        "types": list(example.types.values()),
        "canary": CANARY,
    }


@contextmanager
def _writing(paths: list[Path]) -> Iterator[list[TextIO]]:
    """Text files that get their names when all is written."""
    with ExitStack() as stack:
        temporary = [stack.enter_context(writing_whole(path)) for path in paths]
        with ExitStack() as files:
            yield [files.enter_context(each.open("w", encoding="utf-8", newline="\n")) for each in temporary]
