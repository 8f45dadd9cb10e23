"""The original release's line format and JSONL: import of given splits, export of ours.

A source line is `<used_local_facts> <SEP> p ... <consequences> c <consequences_others> <SEP> q ... [<used_global_facts>
<SEP> g ...]`; files may be gzipped, and be named `train.source_g.txt`, `train_source_g.txt` or `train/source_g.txt`.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from isarstep.benchmark.building.write import Content, write_benchmark
from isarstep.benchmark.rules.shards import ShardBuilder
from isarstep.benchmark.store.ids import theorem_identity
from isarstep.benchmark.store.schemas import EXAMPLE_SCHEMA
from isarstep.common.errors import UserError
from isarstep.isabelle.terms.signature import Signature
from isarstep.isabelle.terms.tokens import TokenError, decode, encode_line

LABELS = {"<used_local_facts>": 2, "<consequences>": 3, "<consequences_others>": 4, "<used_global_facts>": 5}
LABEL_OF = {number: label for label, number in LABELS.items()}
SEPARATOR = "<SEP>"  # of the release, whatever the vocabulary's is called
META = "<!;!>"
_OWN_THEOREM = re.compile(r"(.*)@([0-9a-f]{16})")
_SPLIT_NAMES = {"train": "train", "valid": "validation", "validation": "validation", "val": "validation",
                "dev": "validation", "test": "test"}  # fmt: skip


def find_splits(folder: Path) -> dict[str, tuple[Path, Path, Path | None]]:
    """Which splits a release folder holds: source, target and meta, aligned by lines. Sources with F.5 are preferred to
    those without."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    found: dict[str, tuple[Path, Path, Path | None]] = {}
    for given, name in _SPLIT_NAMES.items():
        if name in found:
            continue
        source = _first(folder, given, "source_g") or _first(folder, given, "source")
        target = _first(folder, given, "target")
        if source and target:
            found[name] = source, target, _first(folder, given, "meta")
    if not found:
        raise UserError(f"{folder}: no files like train.source_g.txt and train.target.txt (or .gz) here")
    return found


def _first(folder: Path, split: str, part: str) -> Path | None:
    for path in (f"{split}.{part}.txt", f"{split}_{part}.txt", f"{split}/{part}.txt", f"{part}.{split}.txt"):
        for ending in ("", ".gz"):
            if (folder / (path + ending)).is_file():
                return folder / (path + ending)
    return None


def lines_of(path: Path) -> Iterator[str]:
    """Lines of a text file, plain or gzipped."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as raw:
            yield from io.TextIOWrapper(raw, encoding="utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as text ({error})") from error


def parse_source(line: str) -> dict[int, list[str]]:
    """Field number -> propositions as written, blanks made regular."""
    fields: dict[int, list[str]] = {2: [], 3: [], 4: [], 5: []}
    number = 0
    tokens: list[str] = []
    for token in [*line.split(), SEPARATOR]:
        if token in LABELS or token == SEPARATOR:
            if tokens:
                fields[number].append(" ".join(tokens))
                tokens = []
            number = LABELS.get(token, number)
        elif number == 0:
            raise ValueError(f"{token!r} stands before the first label")
        else:
            tokens.append(token)
    if len(fields[3]) > 1:
        raise ValueError("more than one consequence")
    return fields


def import_release(folder: Path, out: Path, signature: Path | None = None) -> dict[str, object]:
    """Make a benchmark of a release's files; its splits, and the order of lines inside them, stay as they are."""
    builder = ShardBuilder()
    unreadable: list[str] = []

    @cache
    def canonical(text: str) -> str:
        """The one way in which we write a proposition; what cannot be read as a term is kept and counted."""
        try:
            return encode_line(decode(text, strict=False))
        except TokenError:
            unreadable.append(text)
            return text

    ranges: dict[str, tuple[int, int]] = {}
    done = 0
    for name, (source_file, target_file, meta) in find_splits(folder).items():
        begin = done
        metas = lines_of(meta) if meta else None
        sources, targets = lines_of(source_file), lines_of(target_file)
        for number, source in enumerate(sources, start=1):
            target = next(targets, None)
            if target is None:
                raise UserError(f"{target_file}: ends before line {number} of {source_file.name}")
            if not target.split():
                raise UserError(f"{target_file}: line {number} is empty")
            try:
                fields = parse_source(source)
            except ValueError as error:
                raise UserError(f"{source_file}: line {number}: {error}") from error
            theory, theorem, identity = _meta(next(metas, "") if metas else "")
            f2, f3, f4, f5 = ([builder.proposition(canonical(text)) for text in fields[n]] for n in (2, 3, 4, 5))
            builder.add(
                builder.proposition(canonical(" ".join(target.split()))),
                f2,
                f3[0] if f3 else None,
                f4,
                f5,
                theorem=identity,
                name=theorem,
                theory=theory,
                target_kind="step" if f2 or f5 else "assumption",
            )
            done += 1
        if next(targets, None) is not None:
            raise UserError(f"{target_file}: has more lines than {source_file.name}")
        ranges[name] = (begin, done)
    shard = builder.finish()
    examples = shard.examples.select(EXAMPLE_SCHEMA.names)
    content = Content(
        {name: examples.slice(begin, end - begin) for name, (begin, end) in ranges.items()},
        shard.propositions["tokens"],
        signature=None if signature is None else Signature.load(signature).to_json(),
        manifest={"source": "release", "unreadable": len(unreadable)},
    )
    return write_benchmark(out, content)


def _meta(line: str) -> tuple[str, str, str]:
    """Theory, theorem, and its identity (our own exports carry it); all empty where there is no meta line."""
    parts = line.strip().split(META)
    if len(parts) < 2:
        return "", "", ""
    ours = _OWN_THEOREM.fullmatch(parts[1])
    return (parts[0], ours[1], ours[2]) if ours else (parts[0], parts[1], theorem_identity(parts[:2]))
