"""Files that are written whole or not at all, and locks that admit one writer.

A file is written under a temporary name of its own in the same folder, synced, and renamed; readers see the old content
or the new one. Links are followed, permissions are kept, and special and read-only files are refused. What a killed
process leaves behind is removed when the same file is written again: a temporary file is locked while its writer lives.
Reading is the subject of `file_reading`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from isarstep.common.errors import UserError

SPOILT = "it was cut off or changed after it was written; copy the folder again"
_LONGEST_PREFIX = 100  # bytes of a file's name in that of its temporary file: names have at most 255


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace the content of a file; what was there before survives a failure.

    Raises:
        UserError: the file is special or read-only, or the system refuses to write it.
    """
    with writing_whole(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing_whole(path: Path) -> Iterator[Path]:
    """Yield the path of an empty file to be filled, which replaces `path` when the block ends without an exception.

    Raises:
        UserError: the file is special or read-only, or the system refuses to write it.
    """
    target = writable_target(path)
    temporary: Path | None = None
    descriptor = -1
    try:
        _remove_leftovers(target)
        temporary, descriptor = _new_temporary(target)
        _keep_permissions(target, descriptor)
        yield temporary
        os.fsync(descriptor)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        ours = {str(None), str(temporary), str(target), str(target.parent)}
        if isinstance(error, ConnectionError | ChildProcessError) or str(error.filename) not in ours:
            raise  # something else is the cause
        why = error.strerror or str(error)
        raise UserError(f"{path}: could not be written ({why}); what was there is untouched") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if descriptor >= 0:
            os.close(descriptor)


def writable_target(path: Path) -> Path:
    """Return the file that writing to `path` changes, links followed; it need not exist.

    Raises:
        UserError: the file exists and is special or read-only, or its links form a circle.
    """
    try:
        target = path.resolve()
        found = target.stat()
    except FileNotFoundError:
        return target
    except (OSError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) else "its links form a circle"
        raise UserError(f"{path}: could not be written ({why})") from None
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise UserError(f"{path}: could not be written (it is {kind})")
    # The permission bits are looked at as well because root may write everything.
    if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UserError(f"{path}: is read-only; allow writing with chmod u+w, or choose another file")
    return target


def _new_temporary(target: Path) -> tuple[Path, int]:
    """A new file beside the target and a descriptor by which it is locked."""
    while True:
        temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            _try_lock(descriptor)
            if os.fstat(descriptor).st_nlink:  # else another writer took it for a leftover before it was locked
                return temporary, descriptor
        except BaseException:
            temporary.unlink(missing_ok=True)
            os.close(descriptor)
            raise
        os.close(descriptor)


def _prefix(target: Path) -> str:
    return f".{target.name.encode()[:_LONGEST_PREFIX].decode(errors='ignore')}."


def _remove_leftovers(target: Path) -> None:
    """Remove temporary files of this target that no process locks any more."""
    prefix = _prefix(target)
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(target.parent)
    for name in names:
        middle = name.removeprefix(prefix).removesuffix(".tmp")
        if len(name) != len(prefix) + len(middle) + 4 or len(middle) != 16 or not name.startswith(prefix):
            continue
        leftover = target.parent / name
        with suppress(OSError):
            descriptor = os.open(leftover, os.O_RDWR)
            try:
                if _try_lock(descriptor):
                    leftover.unlink()
            finally:
                os.close(descriptor)


def _keep_permissions(target: Path, descriptor: int) -> None:
    """Give the new file the permissions and, where that is allowed, the owner of the old one."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    new = os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _try_lock(descriptor: int) -> bool | None:
    """Lock an open file without waiting: True if it is locked now, False if another process has it, None if this
    system or file system has no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def one_writer(what: Path, lock: Path | None = None) -> Iterator[None]:
    """Hold the lock of a folder, or of another thing that only one process may write, during the block.

    The lock is the file `.lock` in the folder `what`, or `lock`. It ends with the process, however that ends; where a
    file system has no locks, its existence is the lock.

    Raises:
        UserError: another process holds it; the message names `what`.
    """
    path = lock or what / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _locked_file(what, path)
    except OSError as error:
        raise UserError(f"{what}: could not be locked for writing ({error.strerror})") from None
    try:
        with suppress(OSError):  # only for the message of others
            os.truncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        path.unlink(missing_ok=True)  # before it is unlocked: whoever gets the lock then sees that the file is gone
        os.close(descriptor)


def _locked_file(what: Path, path: Path) -> int:
    while True:
        made = True
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            made = False
            try:
                descriptor = os.open(path, os.O_RDWR)
            except FileNotFoundError:
                continue
        locked = _try_lock(descriptor)
        if locked or (locked is None and made):
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)
            continue
        holder = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
        os.close(descriptor)
        cure = "wait until it ends" if locked is False else f"wait until it ends; remove {path} if it was killed"
        raise UserError(f"{what}: {holder} is writing here; {cure}, or choose another folder")


def append_whole(path: Path, file: FileIO, content: str) -> None:
    """Append to an unbuffered file, all of the content or nothing.

    Raises:
        UserError: the system refuses to write it, for example because the disk is full.
    """
    size = os.fstat(file.fileno()).st_size
    raw = memoryview(content.encode())
    try:
        while raw:
            raw = raw[file.write(raw) :]
    except BaseException as error:
        os.ftruncate(file.fileno(), size)
        if not isinstance(error, OSError):
            raise
        raise UserError(f"{path}: could not be written ({error.strerror}); what was there is kept") from None


def crc32_of(path: Path) -> str:
    """The CRC-32 of a file in hexadecimal: it finds damage, and takes a fifth of the time of SHA-256 on many CPUs."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 18):
            checksum = zlib.crc32(block, checksum)
    return f"{checksum:08x}"


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
