"""What an Isabelle release may change: its name, the files it reads, the ML words it uses, the doors between ML and
Scala. All that the miner knows about releases is in one table here and in the ML files that the table names."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from isarstep.isabelle.process import yxml

# The names that Pure's own sources use before there is an Isabelle to define them.
_HEADINGS = "chapter section subsection subsubsection paragraph subparagraph".split()
_EARLY_NAMES = "".join(f"fun {name} (_: string) = (); " for name in _HEADINGS) + "val ML_file = PolyML.use;"
_PROCESS_NUMBER = "SysWord.toLargeInt (Posix.Process.pidToWord (Posix.ProcEnv.getpid ()))"


@dataclass(frozen=True)
class Release:
    """One release, as far as it differs from others."""

    name: str  # what a download calls itself
    announced: str  # what bare sources call themselves: candidates go by the name of the release they prepare
    words: tuple[str, ...]  # the ML files with what it calls differently
    before_pure: tuple[str, ...]  # ML that the bootstrap of Pure starts with
    load_options: str  # ML that reads the options file
    standard_values: bool  # does the options file give each option's standard value?
    flat_functions: bool  # are the flags of a Scala function a triple with its position, instead of a pair in a pair?
    sign: tuple[str, str] | None = None  # a file and what it says here and not before, where announcements are equal

    @property
    def words_files(self) -> tuple[Path, ...]:
        return tuple(Path(__file__).parent / name for name in ("Release.ML", *self.words))

    def fits(self, home: Path) -> bool:
        """Do the sources show the sign of this release?"""
        if self.sign is None:
            return True
        file, text = self.sign
        return (home / file).is_file() and text in (home / file).read_text(encoding="utf-8", errors="replace")


_FIRST_OF_2025 = Release(
    "Isabelle2025-1",
    announced="Isabelle2025-1",
    words=("Release_2025.ML",),
    before_pure=(_EARLY_NAMES, "fun exit rc = Posix.Process.exit (Word8.fromInt rc)"),
    load_options="Options.load_default ()",
    standard_values=False,
    flat_functions=False,
)
_RC0_OF_2026 = Release(
    "Isabelle2026-RC0",
    announced="Isabelle2026",
    words=("Release_2026.ML",),
    before_pure=(
        _EARLY_NAMES,
        "structure PolyML = struct open PolyML;"
        " fun exit rc = Posix.Process.exit (Word8.fromInt rc);"
        f" fun ml_pid () = {_PROCESS_NUMBER} end;",
    ),
    load_options="Options.load_process_default ()",
    standard_values=True,
    flat_functions=True,
)

RELEASES = (
    _FIRST_OF_2025,
    replace(_FIRST_OF_2025, name="Isabelle2025-2", announced="Isabelle2025-2"),
    _RC0_OF_2026,
    replace(
        _RC0_OF_2026,
        name="Isabelle2026-after-RC0",
        words=("Release_2026.ML", "Release_2026_Later.ML"),
        sign=("src/Pure/Isar/toplevel.ML", "type init = unit -> {skipped: bool, theory: theory}"),
    ),
)


def announced_as(identifier: str, home: Path) -> Release | None:
    """The release of sources that announce themselves so: the last one whose sign they show."""
    return next((known for known in reversed(RELEASES) if known.announced == identifier and known.fits(home)), None)


def nearest(identifier: str, home: Path) -> Release:
    """The release whose words an unknown one most likely understands: the last one that it does not come before."""
    fitting = [known for known in RELEASES if known.fits(home)]
    earlier = [known for known in fitting if not identifier or known.announced <= identifier]
    return earlier[-1] if earlier else RELEASES[0]


def encode_options(known: Release, options: list[tuple[str, str, str, str | None]]) -> bytes:
    """System options (name, type, value, standard value), as `ISABELLE_PROCESS_OPTIONS` wants them."""
    if known.standard_values:
        value = yxml.pair(yxml.string, yxml.option(yxml.string))
        with_standard = yxml.listing(yxml.pair(yxml.properties, yxml.pair(yxml.string, yxml.pair(yxml.string, value))))
        return with_standard([((), (name, (kind, (text, standard)))) for name, kind, text, standard in options])
    plain = yxml.listing(yxml.pair(yxml.properties, yxml.pair(yxml.string, yxml.pair(yxml.string, yxml.string))))
    return plain([((), (name, (kind, text))) for name, kind, text, _ in options])


# Scala functions that ML code may mention, with their flags (one argument and result, bytes instead of text).
# ML refuses to compile a mention of a function that is not in this list, even where it is never called.
_SCALA_FUNCTIONS = {
    (True, False): """echo sleep scala_toplevel doc_names bibtex_check_database isabelle_id isabelle_tools
        SystemOnTPTP.list_systems kodkod""",
    (False, True): "scala_build",
    (True, True): """Base64.decode Base64.encode XZ.compress XZ.uncompress Zstd.compress Zstd.uncompress download
        SHA1.digest SHA256.digest""",
    (False, False): """bibtex_session_entries make_directory copy_dir copy_file copy_file_base rm_tree bash_functions
        SystemOnTPTP.run_system ML_process Prismjs.languages Prismjs.tokenize jEdit.resource""",
}
SCALA_FUNCTIONS = [(name, *flags) for flags, names in _SCALA_FUNCTIONS.items() for name in names.split()]


def encode_functions(known: Release) -> bytes:
    """The list above, as a part of what `ISABELLE_INIT_SESSION` wants."""
    if known.flat_functions:
        flat = yxml.pair(yxml.string, yxml.triple(yxml.boolean, yxml.boolean, yxml.properties))
        return yxml.listing(flat)([(name, (one, raw, ())) for name, one, raw in SCALA_FUNCTIONS])
    nested = yxml.pair(yxml.string, yxml.pair(yxml.pair(yxml.boolean, yxml.boolean), yxml.properties))
    return yxml.listing(nested)([(name, ((one, raw), ())) for name, one, raw in SCALA_FUNCTIONS])


# Kinds of commands that load files; the empty name is the ordinary one.
LOAD_COMMANDS = ("", "spark_vcg", "spark_siv")

# The theories that the image of Pure holds.
PURE = "Pure"
PURE_THEORIES = ("Pure", "ML_Bootstrap", "Pure.Sessions")
PURE_BOOTSTRAP = ("ROOT0.ML", "ROOT.ML")

# Options of every process of ours: nobody reads its reports, printed results or documents, and nothing is forked, so
# that a failure shows where it happens, and every run does the same.
QUIET_OPTIONS = {
    "pide_reports": "false",
    "show_results": "false",
    "document": "false",
    "browser_info": "false",
    "threads": "1",
    "parallel_proofs": "0",
}

# Options that close terminal proof steps (`by`, `.`) without running them. Every command of every proof is still
# walked through, and its references are checked; statements that the released library proves are taken as proved.
# The document matters: without one Isabelle would skip whole proofs.
TRUST_OPTIONS = {"skip_proofs": "true", "quick_and_dirty": "true", "document": "pdf"}


def ml_platforms() -> tuple[str, ...]:
    """The folders of a Poly/ML component that fit this machine, in the order in which Isabelle prefers them."""
    system = "darwin" if sys.platform == "darwin" else "linux"
    arm = platform.machine().lower() in ("arm64", "aarch64")
    # An Apple machine runs programs of the other architecture, too.
    architectures = ("arm64", "x86_64") if arm and system == "darwin" else ("arm64",) if arm else ("x86_64",)
    return tuple(f"{name}{width}-{system}" for name in architectures for width in ("_32", ""))


def ml_system(poly_version: str) -> tuple[str, str]:
    """(ML_SYSTEM, ML_PLATFORM) from what `poly -v` prints: "Poly/ML 5.9.2 Release  RTS version: X86_64_32-5.9.2"."""
    words = poly_version.split()
    architecture = words[words.index("version:") + 1].rsplit("-", 1)[0].lower() if "version:" in words else "x86_64"
    number = words[1] if len(words) > 1 else "unknown"
    system = "darwin" if sys.platform == "darwin" else "linux"
    return f"polyml-{number}", f"{architecture}-{system}"


def heap_limit(platform: str, wanted_mb: int) -> int:
    """Poly/ML with 32-bit values refuses a limit that it cannot address."""
    return min(wanted_mb, 15_000) if "_32" in platform else wanted_mb
