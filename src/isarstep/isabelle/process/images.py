"""Session images: which theories each holds and on which others it rests.

An image of ours carries a small JSON file that says so, whether it lies in the folder of this run or where
ISABELLE_HEAPS points; images that Isabelle built hold exactly the theories of their session and its ancestors.
A base may hold more theories than a session asks for: what is not imported does not matter.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.common.files import write_whole
from isarstep.isabelle.process import release
from isarstep.isabelle.process.installation import Installation, Sessions, Theory
from isarstep.isabelle.process.pure_image import build_pure


@dataclass(frozen=True, slots=True)
class Image:
    session: str
    files: tuple[Path, ...]  # the hierarchy that must be loaded, parents first
    theories: frozenset[str]


def source_hash(path: Path) -> str:
    """SHA-1 of a theory's source, as Isabelle itself identifies it."""
    return hashlib.sha1(path.read_bytes()).hexdigest()


class Images:
    """The images that mining may start from: those of the installation, and those in a folder of ours."""

    def __init__(self, installation: Installation, sessions: Sessions, folder: Path) -> None:
        self._sessions = sessions
        self._identifier = installation.identifier
        self.folder = folder
        self._found: dict[str, Image] = {}
        self._add_installed(installation)
        for other in (*reversed(installation.heap_folders), folder):
            for manifest in sorted(other.glob("*.json"), key=lambda path: path.stat().st_mtime):
                self._add_own(manifest)
        if pure := installation.image(release.PURE):
            self._found[release.PURE] = Image(release.PURE, (pure,), frozenset(release.PURE_THEORIES))
        elif release.PURE not in self._found:
            pure = self.path(release.PURE)
            if not pure.is_file():
                build_pure(installation, sessions, pure)
            self.register(release.PURE, Image(release.PURE, (), frozenset(release.PURE_THEORIES)), ())

    def path(self, session: str) -> Path:
        return self.folder / session

    def _add_installed(self, installation: Installation) -> None:
        """Images that `isabelle build` made, along the chain of parents."""
        for name, entry in self._sessions.entries.items():
            chain = [name]
            while (parent := self._sessions.entries[chain[-1]].parent) is not None and parent in self._sessions.entries:
                chain.append(parent)
            if chain[-1] != release.PURE or name == release.PURE:
                continue
            files = [installation.image(session) for session in reversed(chain)]
            if all(path is not None for path in files):
                loaded = {theory.name for theory in self._sessions.all_theories(entry.name)}
                known = tuple(path for path in files if path is not None)
                self._found[name] = Image(name, known, frozenset(loaded | set(release.PURE_THEORIES)))

    def _add_own(self, manifest: Path) -> None:
        try:
            content = json.loads(manifest.read_text(encoding="utf-8"))
            files = tuple(Path(name) if os.path.isabs(name) else manifest.parent / name for name in content["files"])
            hashes: dict[str, str] = content["theories"]
            if content.get("isabelle", self._identifier) != self._identifier:
                return
        except (OSError, ValueError, KeyError):
            return
        if not all(path.is_file() for path in files):
            return
        for name, expected in hashes.items():
            if name in release.PURE_THEORIES:
                continue
            try:
                if source_hash(self._sessions.theory(name, "an image").path) != expected:
                    return  # its source has changed since
            except (UserError, OSError):
                return
        self._found[content["session"]] = Image(content["session"], files, frozenset(hashes))
        # Every hierarchy begins with Pure.
        self._found.setdefault(release.PURE, Image(release.PURE, files[:1], frozenset(release.PURE_THEORIES)))

    def __contains__(self, session: str) -> bool:
        return session in self._found

    def register(self, session: str, base: Image, loaded: Iterable[Theory]) -> None:
        """An image was saved at `path(session)`: describe it and offer it from now on."""
        files = (*base.files, self.path(session))
        theories = dict.fromkeys(sorted(base.theories), "")
        for name in theories:
            if name not in release.PURE_THEORIES:
                theories[name] = source_hash(self._sessions.theory(name, "an image").path)
        theories.update((theory.name, source_hash(theory.path)) for theory in loaded)
        names = [path.name if path.parent == self.folder else str(path) for path in files]
        content = {"session": session, "isabelle": self._identifier, "files": names, "theories": theories}
        write_whole(self.folder / f"{session}.json", json.dumps(content, indent=1))
        self._found[session] = Image(session, files, frozenset(theories))

    def best(self, needed: Iterable[Theory], forbidden: frozenset[str]) -> Image:
        """The image that saves most loading of `needed`, but holds none of the `forbidden` theories."""
        sizes = {theory.name: theory.size for theory in needed}
        usable = [image for image in self._found.values() if not image.theories & forbidden]
        return max(usable, key=lambda image: (sum(sizes.get(name, 0) for name in image.theories), -len(image.theories)))
