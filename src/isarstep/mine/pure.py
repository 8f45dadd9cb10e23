"""The first image, Pure, made from Isabelle's ML sources where an installation has none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from isarstep.errors import UserError
from isarstep.mine import release
from isarstep.mine.external import kill_group, scratch_folder, start_group
from isarstep.mine.isabelle import Installation, Sessions
from isarstep.mine.process import ml_string, options_file, session_file

_LIMIT = 1800.0

# The names that Pure's own sources use before there is an Isabelle to define them.
_BEFORE = (
    "fun chapter (_: string) = (); fun section (_: string) = (); fun subsection (_: string) = ();"
    " fun subsubsection (_: string) = (); fun paragraph (_: string) = (); fun subparagraph (_: string) = ();"
    " val ML_file = PolyML.use;",
    "fun exit rc = Posix.Process.exit (Word8.fromInt rc)",
)


def _after(image: Path) -> str:
    """Load Pure's theories, then save."""
    rest = ", ".join(f"({ml_string(name.rpartition('.')[2])}, Position.none)" for name in release.PURE_THEORIES[1:])
    return f"""Command_Line.tool (fn () =>
      (Session.init "Pure";
       Thy_Info.use_theories (Options.default ()) "Pure" [("Pure", Position.none)];
       Thy_Info.use_theories (Options.default ()) "Pure" [{rest}];
       Session.finish (); Resources.finish_session_base ();
       Theory.install_pure (Thy_Info.get_theory Context.PureN);
       Options.reset_default ();
       ML_Heap.share_common_data (); ML_Heap.save_child {ml_string(str(image))}))"""


def build_pure(installation: Installation, sessions: Sessions, image: Path) -> None:
    """Bootstrap Pure and save its image; takes about half a minute."""
    sources = installation.home / "src" / "Pure"
    folder = scratch_folder("pure")
    partial = image.with_name(f".{image.name}.tmp")
    try:
        (folder / "options").write_bytes(options_file(installation, {**release.QUIET_OPTIONS, "threads": "1"}))
        (folder / "session").write_bytes(
            session_file([(str(sources), release.PURE)], {"Pure": "Pure", "ML_Bootstrap": "Pure"}, ())
        )
        environment = {
            **installation.environment,
            "ISABELLE_TMP": str(folder),
            "POLYSTATSDIR": str(folder),
            "ISABELLE_PROCESS_OPTIONS": str(folder / "options"),
            "ISABELLE_INIT_SESSION": str(folder / "session"),
        }
        command = [str(installation.poly), "-q"]
        for text in _BEFORE:
            command += ["--eval", text]
        for name in release.PURE_BOOTSTRAP:
            command += ["--use", name]
        command += ["--eval", _after(partial)]
        with open(folder / "log", "wb") as log:
            process = start_group(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=sources
            )
            try:
                process.wait(timeout=_LIMIT)
            except subprocess.TimeoutExpired:
                raise UserError(f"building Pure from {sources} took more than {_LIMIT:.0f} s") from None
            finally:
                kill_group(process)
        if process.returncode != 0 or not partial.is_file():
            last = " ".join((folder / "log").read_bytes().decode(errors="replace").split())[-300:]
            raise UserError(f"building Pure from {sources} failed: {last}")
        partial.replace(image)
    finally:
        partial.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
