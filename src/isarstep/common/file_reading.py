"""Readers for JSON, Parquet and compressed files that somebody else may have written, cut off or edited.

Whatever is wrong with a file becomes a UserError of one line that names the file, the place in it and the cure. The
shape of a JSON document is given as a type (`dict[str, int]`, a dataclass, a union) and checked by `fitting`.
"""

from __future__ import annotations

import gzip
import json
import math
import types
import typing
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isarstep.common.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

_ZSTANDARD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"


def parse_json(text: str | bytes) -> Any:
    """Like `json.loads`, but brackets that are nested too deeply are a ValueError too."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_content(path: Path, cure: str = "check the path") -> bytes:
    """Return the bytes of a regular file, unpacked if it is compressed (zstandard or gzip).

    Raises:
        UserError: the file is missing, special, cannot be read, or its compressed content is damaged or cut off.
    """
    try:
        # Not a FIFO or a device: reading it may never end.
        if path.exists() and not path.is_file():
            what = "is a folder; give the file itself" if path.is_dir() else f"is not a regular file; {cure}"
            raise UserError(f"{path}: {what}")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; {cure}") from None
    except (OSError, ValueError) as error:  # ValueError: a zero character in the name
        why = getattr(error, "strerror", None) or error
        raise UserError(f"{path}: cannot be read ({why}); {cure}") from None
    if path.suffix == ".zst" or raw.startswith(_ZSTANDARD):
        return _without_zstandard(raw, path, cure)
    if path.suffix == ".gz" or raw.startswith(_GZIP):
        return _without_gzip(raw, path, cure)
    return raw


def _without_zstandard(raw: bytes, path: Path, cure: str) -> bytes:
    import zstandard  # only here: models answer on machines that have torch and little else

    content: list[bytes] = []
    try:
        if len(raw) > 18 and zstandard.get_frame_parameters(raw).content_size != zstandard.CONTENTSIZE_UNKNOWN:
            with suppress(zstandard.ZstdError):  # several frames, or damaged: that is found out below
                return zstandard.ZstdDecompressor().decompress(raw, allow_extra_data=False)  # in half the time
        while raw:
            frame = zstandard.ZstdDecompressor().decompressobj()
            content.append(frame.decompress(raw))
            if not frame.eof:
                raise UserError(f"{path}: is cut off; {cure}")
            raw = frame.unused_data
    except zstandard.ZstdError as error:
        raise UserError(f"{path}: not readable as zstd ({error}); {cure}") from None
    return b"".join(content)


def _without_gzip(raw: bytes, path: Path, cure: str) -> bytes:
    try:
        return gzip.decompress(raw)
    except EOFError:
        raise UserError(f"{path}: is cut off; {cure}") from None
    except (OSError, zlib.error) as error:
        raise UserError(f"{path}: not readable as gzip ({error}); {cure}") from None


def read_text(path: Path, cure: str = "check the path") -> str:
    """Return the text of a UTF-8 file, which may be compressed and may begin with a byte order mark.

    Raises:
        UserError: see `read_content`; or the file is not UTF-8.
    """
    try:
        return read_content(path, cure).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8; {cure}") from None


def read_json(path: Path, cure: str, shape: Any = Any) -> Any:
    """Return the document in a JSON file, checked against a shape.

    Args:
        path: The file, which may be compressed.
        cure: What to do about a bad file, the end of every message.
        shape: A type, see `fitting`.

    Raises:
        UserError: the file cannot be read, is not JSON, or has another shape.
    """
    text = read_text(path, cure)
    try:
        return fitting(parse_json(text), shape)
    except Misfit as error:
        raise UserError(f"{path}: {error}; {cure}") from None
    except ValueError as error:
        raise UserError(f"{path}: is not JSON ({error}); {cure}") from None


def read_json_lines(path: Path, cure: str, shape: Any = Any) -> Iterator[Any]:
    """Yield the documents of a file that has one JSON document a line, each checked against a shape.

    Raises:
        UserError: see `read_json`; the message names the line.
    """
    # Only a line feed ends a line: other separators may be inside a string.
    for number, line in enumerate(read_text(path, cure).split("\n"), 1):
        if line.strip():
            yield json_of_line(line, f"{path}:{number}", cure, shape)


def json_of_line(line: str, where: str, cure: str, shape: Any = Any) -> Any:
    """Return the JSON document of a line, checked against a shape; `where` and `cure` are for the message."""
    try:
        return fitting(parse_json(line), shape)
    except Misfit as error:
        raise UserError(f"{where}: {error}; {cure}") from None
    except ValueError as error:
        raise UserError(f"{where}: is not a JSON document ({error}); {cure}") from None


class Misfit(ValueError):
    """A JSON document that has not the shape that was asked for; the message names the place."""


def fitting(document: Any, shape: Any, place: str = "") -> Any:
    """Return a JSON document as a value of a type.

    Args:
        document: What `json.loads` returned.
        shape: `Any`, `None`, `bool`, `int`, `float` (numbers that are finite), `str`, `list[T]`, `tuple[T, ...]`,
            `dict[str, T]`, a `Literal`, a union of these, a dataclass (its fields by name, others are ignored), or a
            mapping of names to shapes for objects of which only some fields are looked at; those may be missing.
        place: The path to the document, for messages.

    Raises:
        Misfit: the document has another shape.
    """
    if shape is Any:
        return document
    origin, arguments = typing.get_origin(shape), typing.get_args(shape)
    if origin in (typing.Union, types.UnionType):
        return _fitting_union(document, arguments, place)
    if origin is typing.Literal:
        if document not in arguments:
            expected = ", ".join(map(repr, arguments))
            raise Misfit(f"{place or 'the document'} is {str(document)[:60]!r}, expected one of {expected}")
        return document
    if isinstance(shape, Mapping):
        items = _expected(document, dict, place).items()
        return {name: fitting(value, shape.get(name, Any), _inside(place, name)) for name, value in items}
    if is_dataclass(shape):
        return _fitting_dataclass(document, shape, place)
    if origin in (list, tuple, Sequence):
        items = _expected(document, list, place)
        if arguments[0] in (str, int) and all(type(item) is arguments[0] for item in items):
            return tuple(items) if origin is tuple else items  # vocabularies have many
        found = [fitting(item, arguments[0], f"{place}[{number}]") for number, item in enumerate(items)]
        return tuple(found) if origin is tuple else found
    if origin in (dict, Mapping):
        items = _expected(document, dict, place).items()
        return {name: fitting(value, arguments[1], _inside(place, name)) for name, value in items}
    return _expected(document, shape, place)


_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number", float: "a number",
          bool: "true or false", type(None): "null"}  # fmt: skip


def _expected(document: Any, kind: Any, place: str) -> Any:
    kind = type(None) if kind is None else kind
    fits = isinstance(document, kind) and (kind is bool or not isinstance(document, bool))
    if kind is float and isinstance(document, int) and not isinstance(document, bool):
        document, fits = float(document) if abs(document) < 1 << 1000 else math.inf, True
    if kind is float and fits and not math.isfinite(document):
        raise Misfit(f"{place or 'the document'} is not a finite number")
    if not fits:
        found = _NAMES.get(type(document), "something else")
        raise Misfit(f"{place or 'the document'} is {found}, expected {_NAMES.get(kind, kind.__name__)}")
    return document


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}"[:200] if place else name[:200]


def _fitting_union(document: Any, shapes: Sequence[Any], place: str) -> Any:
    last: Misfit | None = None
    for shape in shapes:
        try:
            return fitting(document, shape, place)
        except Misfit as error:
            last = error if shape is not type(None) or last is None else last
    assert last is not None
    raise last


@cache
def _shapes_of(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _fitting_dataclass(document: Any, kind: Any, place: str) -> Any:
    record = _expected(document, dict, place)
    shapes = _shapes_of(kind)
    values = {}
    for each in fields(kind):
        if each.name in record:
            values[each.name] = fitting(record[each.name], shapes[each.name], _inside(place, each.name))
        elif each.default is MISSING and each.default_factory is MISSING:
            raise Misfit(f"{_inside(place, each.name)} is missing")
    return kind(**values)


def read_parquet(path: Path, cure: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a table, or some columns of it.

    Raises:
        UserError: the file cannot be read, is not Parquet, is damaged, or has not these columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        missing = [name for name in columns or () if name not in file.schema_arrow.names]
        if not missing:
            return file.read(columns=None if columns is None else list(columns))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; {cure}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path}: not readable as Parquet ({error}); {cure}") from None
    raise UserError(f"{path}: has no column {missing[0]!r}; {cure}")
