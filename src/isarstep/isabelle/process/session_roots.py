"""Session definitions: what `ROOT` and `ROOTS` files and `etc/options` files say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.isabelle.theory.text.outer_syntax import TokenCursor

OptionChange = tuple[str, str]

_KEYWORDS = frozenset(
    """( ) [ ] + , = in global chapter chapter_definition session description options sessions directories theories
    document_theories document_files export_files export_classpath""".split()
)


@dataclass(frozen=True, slots=True)
class TheoryEntry:
    name: str  # as written: a base name, a path, or qualified by another session
    is_global: bool
    options: tuple[OptionChange, ...]  # of its `theories` section; a value "" stands for plain `option`, i.e. true


@dataclass(frozen=True, slots=True)
class SessionEntry:
    name: str
    groups: tuple[str, ...]
    directory: Path
    parent: str | None
    options: tuple[OptionChange, ...]
    imports: tuple[str, ...]  # its `sessions` section
    directories: tuple[Path, ...]  # its own and the extra ones
    theories: tuple[TheoryEntry, ...]


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    type: str
    value: str
    standard: str | None = None  # what the plain name of a string option stands for


def read_options(path: Path) -> Iterator[Option]:
    """The options that one `etc/options` file declares."""
    reader = TokenCursor(_text(path), path)
    keywords = frozenset(("section", "option", "public", "=", ":", "for", "--", "(", ")"))
    while not reader.at_end:
        if reader.accept("section"):
            reader.take()
            continue
        reader.accept("public")
        reader.expect("option")
        name = reader.name(keywords)
        reader.expect(":")
        kind = reader.name(keywords)
        reader.expect("=")
        negative = reader.accept("-")
        value = ("-" if negative else "") + reader.take().text
        standard = None
        if reader.accept("("):
            reader.expect("standard")
            standard = value if reader.accept(")") else reader.take().text
            reader.accept(")")
        yield Option(name, kind, value, standard)
        if reader.accept("for"):
            reader.names(keywords)
        if reader.accept("--"):
            reader.take()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from error


def option_changes(reader: TokenCursor) -> tuple[OptionChange, ...]:
    if not reader.accept("["):
        return ()
    changes: list[OptionChange] = []
    while True:
        name = reader.name(_KEYWORDS)
        value = ""
        if reader.accept("="):
            value = ("-" if reader.accept("-") else "") + reader.take().text
        changes.append((name, value))
        if reader.accept("]"):
            return tuple(changes)
        reader.expect(",", "]")


def _in_path(reader: TokenCursor) -> None:
    if reader.accept("("):
        reader.expect("in")
        reader.take()
        reader.expect(")")


def read_root(path: Path, variables: Mapping[str, str]) -> Iterator[SessionEntry]:
    """The sessions of one `ROOT` file; `variables` stand for `$NAME` and `~~` in paths."""
    reader = TokenCursor(_text(path), path)
    while not reader.at_end:
        if reader.accept("chapter_definition"):
            reader.name(_KEYWORDS)
            _groups(reader)
            if reader.accept("description"):
                reader.take()
        elif reader.accept("chapter"):
            reader.name(_KEYWORDS)
        elif reader.accept("session"):
            yield _session(reader, path.parent, variables)
        else:
            raise reader.error("expected chapter or session")


def _groups(reader: TokenCursor) -> tuple[str, ...]:
    if not reader.accept("("):
        return ()
    groups = reader.names(_KEYWORDS)
    reader.expect(")")
    return groups


def _session(reader: TokenCursor, root: Path, variables: Mapping[str, str]) -> SessionEntry:
    name = reader.name(_KEYWORDS)
    groups = _groups(reader)
    directory = root
    if reader.accept("in"):
        directory = resolve(root, reader.take().text, variables)
    reader.expect("=")
    parent = None
    if not reader.at_end and not reader.is_keyword(*_KEYWORDS):
        parent = reader.name(_KEYWORDS)
        reader.expect("+")
    if reader.accept("description"):
        reader.take()
    options = option_changes(reader) if reader.accept("options") else ()
    imports = reader.names(_KEYWORDS) if reader.accept("sessions") else ()
    extra = reader.names(_KEYWORDS) if reader.accept("directories") else ()
    theories: list[TheoryEntry] = []
    while reader.accept("theories"):
        changes = option_changes(reader)
        while not reader.at_end and not reader.is_keyword(*_KEYWORDS):
            theory = reader.name(_KEYWORDS)
            is_global = reader.accept("(")
            if is_global:
                reader.expect("global")
                reader.expect(")")
            theories.append(TheoryEntry(theory, is_global, changes))
    if reader.accept("document_theories"):
        reader.names(_KEYWORDS)
    while reader.accept("document_files"):
        _in_path(reader)
        reader.names(_KEYWORDS)
    while reader.accept("export_files"):
        _in_path(reader)
        if reader.accept("["):
            reader.take()
            reader.expect("]")
        reader.names(_KEYWORDS)
    if reader.accept("export_classpath"):
        reader.names(_KEYWORDS)
    if not reader.at_end and not reader.is_keyword("session", "chapter", "chapter_definition"):
        raise reader.error(f"session {name}: expected the next session")
    directories = (directory, *(resolve(directory, item, variables) for item in extra))
    return SessionEntry(name, groups, directory, parent, options, imports, directories, tuple(theories))


def resolve(base: Path, text: str, variables: Mapping[str, str]) -> Path:
    """A path as Isabelle writes it: `~~` is the installation, `$NAME` a setting."""
    if text == "~~" or text.startswith("~~/"):
        text = variables["ISABELLE_HOME"] + text[2:]
    if text.startswith("$"):
        name, _, rest = text[1:].partition("/")
        text = variables.get(name, f"${name}") + ("/" + rest if rest else "")
    return (base / text).resolve()


def read_roots(directory: Path, variables: Mapping[str, str]) -> Iterator[SessionEntry]:
    """All sessions below a session directory: its `ROOT`, and those of the directories that its `ROOTS` lists."""
    root, roots = directory / "ROOT", directory / "ROOTS"
    if not root.is_file() and not roots.is_file():
        raise UserError(f"{directory}: not a session directory (neither ROOT nor ROOTS in it)")
    if root.is_file():
        yield from read_root(root, variables)
    if roots.is_file():
        for line in _text(roots).splitlines():
            entry = line.strip()
            if entry and not entry.startswith("#"):
                below = resolve(directory, entry, variables)
                # A partial copy of a library is still a library: only sessions that are asked for must be there.
                if (below / "ROOT").is_file() or (below / "ROOTS").is_file():
                    yield from read_roots(below, variables)
