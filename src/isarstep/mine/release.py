"""What an Isabelle release may change: its name, its settings, the doors between ML and Scala."""

from __future__ import annotations

SUPPORTED = ("Isabelle2025-1", "Isabelle2025-2")

# Scala functions that ML code may mention, with their flags (one argument and result, bytes instead of text).
# ML refuses to compile a mention of a function that is not in this list, even where it is never called.
SCALA_FUNCTIONS: tuple[tuple[str, bool, bool], ...] = (
    ("echo", True, False),
    ("sleep", True, False),
    ("scala_toplevel", True, False),
    ("scala_build", False, True),
    ("Base64.decode", True, True),
    ("Base64.encode", True, True),
    ("XZ.compress", True, True),
    ("XZ.uncompress", True, True),
    ("Zstd.compress", True, True),
    ("Zstd.uncompress", True, True),
    ("doc_names", True, False),
    ("bibtex_check_database", True, False),
    ("bibtex_session_entries", False, False),
    ("make_directory", False, False),
    ("copy_dir", False, False),
    ("copy_file", False, False),
    ("copy_file_base", False, False),
    ("rm_tree", False, False),
    ("bash_functions", False, False),
    ("download", True, True),
    ("isabelle_id", True, False),
    ("isabelle_tools", True, False),
    ("SystemOnTPTP.list_systems", True, False),
    ("SystemOnTPTP.run_system", False, False),
    ("ML_process", False, False),
    ("Prismjs.languages", False, False),
    ("Prismjs.tokenize", False, False),
    ("kodkod", True, False),
    ("jEdit.resource", False, False),
)

# Kinds of commands that load files; the empty name is the ordinary one.
LOAD_COMMANDS = ("", "spark_vcg", "spark_siv")

# The theories that the image of Pure holds.
PURE = "Pure"
PURE_THEORIES = ("Pure", "ML_Bootstrap", "Pure.Sessions")
PURE_BOOTSTRAP = ("ROOT0.ML", "ROOT.ML")

# Options of every process of ours: nobody reads its reports, printed results or documents.
QUIET_OPTIONS = {"pide_reports": "false", "show_results": "false", "document": "false", "browser_info": "false"}

# Options that close terminal proof steps (`by`, `.`) without running them. Every command of every proof is still
# walked through, and its references are checked; statements that the released library proves are taken as proved.
# The document matters: without one Isabelle would skip whole proofs.
TRUST_OPTIONS = {"skip_proofs": "true", "quick_and_dirty": "true", "document": "pdf"}


def ml_system(poly_version: str) -> tuple[str, str]:
    """(ML_SYSTEM, ML_PLATFORM) from what `poly -v` prints: "Poly/ML 5.9.2 Release  RTS version: X86_64_32-5.9.2"."""
    words = poly_version.split()
    architecture = words[words.index("version:") + 1].rsplit("-", 1)[0].lower() if "version:" in words else "x86_64"
    number = words[1] if len(words) > 1 else "unknown"
    return f"polyml-{number}", f"{'arm64' if architecture == 'aarch64' else architecture}-linux"


def heap_limit(platform: str, wanted_mb: int) -> int:
    """Poly/ML with 32-bit values refuses a limit that it cannot address."""
    return min(wanted_mb, 15_000) if "_32" in platform else wanted_mb
