"""The first image, Pure, made from Isabelle's ML sources where an installation has none."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from isarstep.common.errors import UserError
from isarstep.common.progress import Watched
from isarstep.isabelle.process import release
from isarstep.isabelle.process.external_programs import kill_group, scratch_folder, start_group
from isarstep.isabelle.process.installation import Installation, Sessions
from isarstep.isabelle.process.ml_process import ml_string, options_file, session_file

_LIMIT = 1800.0


def _after(image: Path) -> str:
    """Load Pure's theories, then save."""
    rest = ", ".join(ml_string(name.rpartition(".")[2]) for name in release.PURE_THEORIES[1:])
    return f"""Command_Line.tool (fn () =>
      (Session.init "Pure";
       Isarstep_Release.use_theories (Isarstep_Release.options ()) "Pure" ["Pure"];
       Isarstep_Release.use_theories (Isarstep_Release.options ()) "Pure" [{rest}];
       Session.finish (); Resources.finish_session_base ();
       Theory.install_pure (Thy_Info.get_theory Context.PureN);
       Isarstep_Release.no_options ();
       ML_Heap.share_common_data (); ML_Heap.save_child {ml_string(str(image))}))"""


def build_pure(installation: Installation, sessions: Sessions, image: Path) -> None:
    """Bootstrap Pure and save its image; takes about half a minute of CPU time."""
    sources = installation.home / "src" / "Pure"
    folder = scratch_folder("pure")
    partial = image.with_name(f".{image.name}.tmp")
    try:
        (folder / "options").write_bytes(options_file(installation, release.QUIET_OPTIONS))
        (folder / "session").write_bytes(
            session_file(
                installation.release, [(str(sources), release.PURE)], {"Pure": "Pure", "ML_Bootstrap": "Pure"}, ()
            )
        )
        environment = {
            **installation.environment,
            "ISABELLE_TMP": str(folder),
            "POLYSTATSDIR": str(folder),
            "ISABELLE_PROCESS_OPTIONS": str(folder / "options"),
            "ISABELLE_INIT_SESSION": str(folder / "session"),
        }
        command = [str(installation.poly), "-q"]
        for text in installation.release.before_pure:
            command += ["--eval", text]
        for name in (*release.PURE_BOOTSTRAP, *map(str, installation.release.words_files)):
            command += ["--use", name]
        command += ["--eval", _after(partial)]
        with Watched(f"building Pure of {installation.identifier}") as watched:
            code = _run(command, folder / "log", environment, sources, watched)
            if code != 0 or not partial.is_file():
                last = " ".join((folder / "log").read_bytes().decode(errors="replace").split())[-300:]
                raise UserError(f"building Pure from {sources} failed: {last}")
        partial.replace(image)
    finally:
        partial.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str], log: Path, environment: dict[str, str], sources: Path, watched: Watched) -> int:
    limit = time.monotonic() + _LIMIT
    with open(log, "wb") as output:
        process = start_group(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, cwd=sources
        )
    try:
        while True:
            try:
                return process.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                watched.news()
            if time.monotonic() > limit:
                raise UserError(f"building Pure from {sources} took more than {_LIMIT:.0f} s")
    finally:
        kill_group(process)
