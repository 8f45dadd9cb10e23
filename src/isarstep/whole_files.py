"""Files that are whole or absent, whatever fills the disk or kills the process; their hashes; JSON of anybody."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

from isarstep.errors import UserError

SPOILT = "it was cut off or changed after it was written; copy the folder again"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write under another name and rename when all of it is there; what was there before survives a failure."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"{path}: could not be written ({error.strerror}); what was there is untouched") from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def parse_json(text: str | bytes) -> Any:
    """Like `json.loads`, but brackets that are nested too deeply are a ValueError too."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def crc32_of(path: Path) -> str:
    """Tells whether a file is as it was written; many processors take five times as long for SHA-256."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 18):
            checksum = zlib.crc32(block, checksum)
    return f"{checksum:08x}"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
