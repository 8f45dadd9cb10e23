"""An Isabelle installation: where it is, its options, its sessions and their theories."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.isabelle.process import release
from isarstep.isabelle.process.release import RELEASES, Release
from isarstep.isabelle.process.session_roots import (
    Option,
    OptionChange,
    SessionEntry,
    option_changes,
    read_options,
    read_roots,
    resolve,
)
from isarstep.isabelle.theory.text.outer_syntax import TokenCursor


@dataclass(frozen=True)
class Installation:
    """Folders and programs of one Isabelle."""

    home: Path
    identifier: str  # Isabelle2025-1
    release: Release  # whose words it understands
    poly: Path
    ml_system: str
    ml_platform: str
    heap_folders: tuple[Path, ...]  # where images of sessions may lie, best first
    settings: tuple[tuple[str, str], ...]  # what its own settings say, where its `isabelle` tool can tell

    @property
    def environment(self) -> dict[str, str]:
        """The environment for its ML processes and the programs they start."""
        library = str(self.poly.parent.parent / "lib")
        found = os.environ.get("LD_LIBRARY_PATH")
        return {
            **os.environ,
            "ISABELLE_HOME_USER": str(Path.home() / ".isabelle" / self.identifier),
            **dict(self.settings),
            "ISABELLE_HOME": str(self.home),
            "ISABELLE_IDENTIFIER": self.identifier,
            "ISABELLE_NAME": self.identifier,
            "ML_HOME": str(self.poly.parent),
            "ML_SYSTEM": self.ml_system,
            "ML_PLATFORM": self.ml_platform,
            "LD_LIBRARY_PATH": f"{library}:{found}" if found else library,
        }

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The system options that the installation and its components declare."""
        files = [self.home / "etc" / "options"]
        components = self.home / "etc" / "components"
        if components.is_file():
            names = (line.strip() for line in components.read_text(encoding="utf-8").splitlines())
            files += [self.home / name / "etc" / "options" for name in names if name and not name.startswith("#")]
        found: dict[str, Option] = {}
        for path in files:
            if path.is_file():
                for option in read_options(path):
                    found.setdefault(option.name, option)
        return tuple(found.values())

    def image(self, session: str) -> Path | None:
        """The image of a session that Isabelle itself (or its user) built, if there is one."""
        for folder in self.heap_folders:
            path = folder / f"{self.ml_system}_{self.ml_platform}" / session
            if path.is_file():
                return path
        return None


def find_installation(home: Path | None = None, *, any_release: bool = False) -> Installation:
    """The installation that the caller, ISABELLE_HOME or the `isabelle` on the PATH names."""
    folder = _find_home(home)
    if not (folder / "src" / "Pure" / "ROOT.ML").is_file():
        raise UserError(f"{folder} is not an Isabelle installation: src/Pure/ROOT.ML is missing")
    identifier, known = _release(folder, any_release=any_release)
    settings = _settings(folder)
    poly = _find_poly(folder, settings)
    system, platform = _ml_system(poly)
    heaps = [os.environ.get("ISABELLE_HEAPS"), settings.get("ISABELLE_HEAPS"), settings.get("ISABELLE_HEAPS_SYSTEM")]
    heaps += [str(folder / "heaps"), str(Path.home() / ".isabelle" / identifier / "heaps")]
    folders = tuple(dict.fromkeys(Path(entry) for entry in heaps if entry))
    return Installation(folder, identifier, known, poly, system, platform, folders, tuple(sorted(settings.items())))


def _find_home(home: Path | None) -> Path:
    if home is not None:
        if not home.is_dir():
            raise UserError(f"no Isabelle at {home}: there is no such folder")
        return home.resolve()
    if named := os.environ.get("ISABELLE_HOME"):
        if not Path(named).is_dir():
            raise UserError(f"ISABELLE_HOME is {named}, but there is no such folder")
        return Path(named).resolve()
    tool = shutil.which("isabelle")
    if tool is None:
        raise UserError(
            "no Isabelle found: set ISABELLE_HOME, put `isabelle` on the PATH, or give its folder to `mine --isabelle`"
        )
    home = Path(tool).resolve().parent.parent
    if (home / "src" / "Pure" / "ROOT.ML").is_file():
        return home
    # A script that `isabelle install` wrote: it knows where the installation is.
    told = _ask([tool, "getenv", "-b", "ISABELLE_HOME"]).strip()
    if not told:
        raise UserError(f"{tool} does not say where its Isabelle is; set ISABELLE_HOME")
    return Path(told).resolve()


def _ask(command: list[str]) -> str:
    """What a program prints; nothing where it cannot run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _release(home: Path, *, any_release: bool) -> tuple[str, Release]:
    """The name of an installation, and the release that it is."""
    stated = home / "etc" / "ISABELLE_IDENTIFIER"
    if stated.is_file():
        identifier = stated.read_text(encoding="utf-8").strip()
        known = next((entry for entry in RELEASES if entry.name == identifier), None)
    else:
        # Bare sources carry no identifier, and the subject of their announcement may name the last release.
        announce = home / "ANNOUNCE"
        text = announce.read_text(encoding="utf-8") if announce.is_file() else ""
        found = re.search(r"^(Isabelle\S+) is now available", text, re.M)
        identifier = found.group(1) if found else ""
        known = release.announced_as(identifier, home)
        identifier = known.name if known else identifier
    if known is not None:
        return identifier, known
    if not any_release:
        names = ", ".join(entry.name for entry in RELEASES)
        raise UserError(
            f"{home} is {identifier or 'an Isabelle without a name'}, which is none of {names};"
            " --any-release tries it all the same"
        )
    return identifier or "Isabelle", release.nearest(identifier, home)


def _settings(home: Path) -> dict[str, str]:
    """What `isabelle getenv` says; nothing for bare sources, which have no components."""
    if not (home / "contrib").is_dir() and not (Path.home() / ".isabelle" / "contrib").is_dir():
        return {}
    lines = _ask([str(home / "bin" / "isabelle"), "getenv", "-a"]).splitlines()
    pairs = (line.partition("=") for line in lines)
    return {
        name: value for name, equals, value in pairs if equals and re.fullmatch(r"\w+", name) and name not in os.environ
    }


def _find_poly(home: Path, settings: Mapping[str, str]) -> Path:
    folders = [os.environ.get("ML_HOME"), settings.get("ML_HOME")]
    components = [os.environ.get("POLYML_HOME"), settings.get("POLYML_HOME"), *sorted(home.glob("contrib/polyml-*"))]
    platforms = (settings.get("ML_PLATFORM"), *release.ml_platforms())
    folders += [str(Path(base) / name) for base in components if base for name in platforms if name]
    for folder in folders:
        if folder and (Path(folder) / "poly").is_file():
            return (Path(folder) / "poly").resolve()
    if tool := shutil.which("poly"):
        return Path(tool).resolve()
    raise UserError(
        f"no Poly/ML for {home}: neither where its settings say (POLYML_HOME), nor in its contrib folder, nor on the"
        " PATH; set ML_HOME to the folder of `poly`"
    )


def _ml_system(poly: Path) -> tuple[str, str]:
    library = str(poly.parent.parent / "lib")
    try:
        answer = subprocess.run(
            [poly, "-v"], capture_output=True, text=True, timeout=30, env={**os.environ, "LD_LIBRARY_PATH": library}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{poly} does not run: {error}") from error
    if answer.returncode != 0:
        raise UserError(f"{poly} does not run: {answer.stderr.strip() or answer.returncode}")
    return release.ml_system(answer.stdout)


@dataclass(frozen=True, slots=True)
class Theory:
    name: str  # long name
    session: str
    path: Path
    imports: tuple[str, ...]  # long names
    size: int  # bytes of its file, a rough measure of its cost
    options: tuple[OptionChange, ...]  # on top of the defaults

    @property
    def conditions(self) -> tuple[str, ...]:
        """Environment variables without which Isabelle leaves the theory out."""
        return tuple(name for key, value in self.options if key == "condition" for name in value.split(",") if name)


class Sessions:
    """All sessions of an installation and of further session directories, with their theories read on demand."""

    def __init__(self, installation: Installation, directories: Sequence[Path] = ()) -> None:
        self.variables = {**installation.environment, "AFP": ""}
        self.entries: dict[str, SessionEntry] = {}
        for directory in (installation.home, *directories):
            if not directory.is_dir():
                raise UserError(f"no session directory {directory}: there is no such folder")
            for entry in read_roots(directory.resolve(), self.variables):
                if self.entries.setdefault(entry.name, entry) != entry:
                    raise UserError(f"session {entry.name} is defined twice, the second time in {entry.directory}")
        self.global_theories = {
            theory.name.rpartition("/")[2]: entry.name
            for entry in self.entries.values()
            for theory in entry.theories
            if theory.is_global
        }
        self._theories: dict[str, Theory] = {}

    def __getitem__(self, name: str) -> SessionEntry:
        if name not in self.entries:
            ending = name.lower().rpartition("-")[2]
            near = sorted(known for known in self.entries if known.lower().endswith(ending))
            hint = f" (did you mean {', '.join(near[:3])}?)" if near else "; give its folder with -d"
            raise UserError(f"unknown session {name}{hint}")
        return self.entries[name]

    def requirements(self, name: str) -> tuple[str, ...]:
        """The session and all sessions it rests on (parents and imports), in dependency order."""
        order: dict[str, None] = {}
        _visit(name, self._below, order, "sessions")
        return tuple(order)

    def _below(self, session: str) -> tuple[str, ...]:
        entry = self[session]
        return ((entry.parent,) if entry.parent else ()) + entry.imports

    def directories(self) -> Iterator[tuple[str, str]]:
        """Pairs of folder and session, as the ML process wants them."""
        for entry in self.entries.values():
            for folder in entry.directories:
                yield str(folder), entry.name

    def long_name(self, session: str, text: str) -> str:
        """The full name of a theory that `session` mentions as `text`."""
        base = text.rpartition("/")[2]
        return base if "." in base or base in self.global_theories else f"{session}.{base}"

    def session_of(self, theory: str) -> str:
        return self.global_theories.get(theory) or theory.rpartition(".")[0]

    def theory(self, name: str, wanted_by: str, near: Path | None = None, text: str = "") -> Theory:
        """One theory, its header read.

        `near` and `text`: folder and words of the import, for a theory outside declared folders.
        """
        if name in self._theories:
            return self._theories[name]
        session = self.session_of(name)
        if session not in self.entries:
            raise UserError(f"{wanted_by} imports {name}, but session {session} is unknown; give its folder with -d")
        base = name.rpartition(".")[2]
        candidates = [folder / f"{base}.thy" for folder in self.entries[session].directories]
        if near is not None:
            candidates.append(resolve(near, text or base, self.variables).with_suffix(".thy"))
        path = next((path for path in candidates if path.is_file()), None)
        if path is None:
            raise UserError(f"{wanted_by} needs theory {name}, but there is no file {candidates[0]}")
        imports, own_options = read_header(path)
        entry = self.entries[session]
        # What the session's ROOT gives to the theories it lists stands beside the options of the whole session.
        listed = next((each.options for each in entry.theories if self.long_name(session, each.name) == name), ())
        found = Theory(
            name,
            session,
            path,
            tuple(self.long_name(session, item) for item in imports),
            path.stat().st_size,
            entry.options + own_options + listed,
        )
        self._theories[name] = found
        for item, long in zip(imports, found.imports, strict=True):
            if long not in release.PURE_THEORIES:
                self.theory(long, name, path.parent, item)
        return found

    def own_theories(self, session: str) -> tuple[Theory, ...]:
        """The theories that belong to a session, in dependency order."""
        return tuple(theory for theory in self.all_theories(session) if theory.session == session)

    def all_theories(self, session: str) -> tuple[Theory, ...]:
        """All theories that loading a session takes, from Pure on, each after its imports."""
        entry = self[session]
        order: dict[str, None] = {}
        for item in entry.theories:
            name = self.long_name(session, item.name)
            if name not in release.PURE_THEORIES:
                self.theory(name, f"session {session}", entry.directory, item.name)
                _visit(name, self._imports, order, "imports")
        return tuple(self._theories[name] for name in order)

    def _imports(self, theory: str) -> list[str]:
        return [name for name in self._theories[theory].imports if name not in release.PURE_THEORIES]


def _visit(name: str, below: Callable[[str], Sequence[str]], order: dict[str, None], what: str) -> None:
    """Put a name into the order behind all that it rests on."""
    todo, begun = [name], set[str]()
    while todo:
        here = todo[-1]
        if here in order:
            todo.pop()
        elif here in begun:
            order[todo.pop()] = None
        else:
            begun.add(here)
            for other in reversed(below(here)):
                if other in begun and other not in order:
                    raise UserError(f"cyclic {what}: {other} imports itself through others")
                todo.append(other)


_HEADINGS = "chapter section subsection subsubsection paragraph subparagraph text txt text_raw".split()


def read_header(path: Path) -> tuple[tuple[str, ...], tuple[OptionChange, ...]]:
    """The imports of a theory as written, and the options that it gives itself (from Isabelle2026 on)."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error}") from error
    reader = TokenCursor(text, path)
    while reader.accept(*_HEADINGS):
        if reader.accept("%"):
            reader.take()
        reader.take()
    reader.expect("theory")
    if reader.accept("%"):
        reader.take()
    name = reader.name()
    if name.rpartition(".")[2] != path.stem:
        raise UserError(f"{path}: theory is called {name}, which does not fit the name of its file")
    if name == release.PURE:
        return (), ()
    reader.expect("imports")
    imports = reader.names(frozenset(("options", "keywords", "abbrevs", "begin")))
    return imports, option_changes(reader) if reader.accept("options") else ()
