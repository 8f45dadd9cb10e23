"""Are the files of a benchmark those that its name stands for?

Whoever scores a split has all bytes compared with the manifest. Everybody else is content with one comparison for an
installation: that it was made, and of which files (size, times, inode), is kept where caches are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isarstep.benchmark.store.layout import verify
from isarstep.common.disk_cache import cache_folder
from isarstep.common.errors import UserError
from isarstep.common.files import write_whole


def compare_bytes(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Compare the bytes of all files with the manifest; the one that differs is named."""
    from concurrent.futures import ThreadPoolExecutor

    # The largest first, so that two cores end together; hashing lets go of the interpreter's lock.
    names = sorted(manifest["files"], key=lambda name: -manifest["files"][name]["bytes"])
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as threads:
        list(threads.map(lambda name: verify(folder, name, manifest), names))


def compare_once(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Compare the bytes unless that was done with these very files before."""
    folder = folder.resolve()
    states = {name: (folder / name).stat() for name in sorted(manifest["files"])}
    seen = {name: (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino) for name, s in states.items()}
    stamp = hashlib.sha256(json.dumps([manifest["hash"], seen]).encode()).hexdigest()
    note = cache_folder() / "compared" / hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
    with contextlib.suppress(OSError):
        if note.read_text("utf-8") == stamp:
            return
    compare_bytes(folder, manifest)
    with contextlib.suppress(OSError, UserError):  # where nothing can be kept, they are compared again
        note.parent.mkdir(parents=True, exist_ok=True)
        write_whole(note, stamp)
