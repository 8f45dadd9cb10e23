"""The folder that mining fills: one graph file a theory, a journal of what was done, a summary in numbers."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zstandard

from isarstep.common.errors import UserError
from isarstep.common.file_reading import read_content
from isarstep.common.files import write_whole

_LEVEL = 9

Record = dict[str, Any]


class Store:
    """Graph files appear whole or not at all: written under a temporary name, then renamed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise UserError(f"cannot write to {folder}: {error.strerror}") from error

    def path(self, session: str, theory: str) -> Path:
        return self.folder / session / f"{theory.rpartition('.')[2]}.jsonl.zst"

    def has(self, session: str, theory: str) -> bool:
        return self.path(session, theory).is_file()

    def add(self, session: str, theory: str, plain: Path) -> Record:
        """Compress what the miner wrote and put it in place; says its size and what it could not resolve."""
        data = plain.read_bytes()
        last = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :]
        if not last.startswith(b'{"end"'):
            raise ValueError(f"the miner's output for {theory} has no end record")
        counts = _count(data)
        target = self.path(session, theory)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True).compress(data))
            temporary.replace(target)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise writing_failed(target, error) from error
        plain.unlink(missing_ok=True)
        return {**counts, "bytes": target.stat().st_size, "plain_bytes": len(data)}

    def count(self, session: str, theory: str) -> Record:
        """The numbers of a graph that is there."""
        path = self.path(session, theory)
        data = read_content(path, "remove it and mine the theory again")
        return {**_count(data), "bytes": path.stat().st_size, "plain_bytes": len(data)}

    def remove_leftovers(self) -> None:
        """Temporary files of a process that was killed."""
        for path in self.folder.glob("*/.*.tmp"):
            path.unlink(missing_ok=True)

    def note(self, record: Mapping[str, Any]) -> None:
        """Append to the journal."""
        try:
            with self._lock, open(self.folder / "journal.jsonl", "a", encoding="utf-8") as journal:
                journal.write(json.dumps(record, ensure_ascii=False) + "\n")
        except OSError as error:
            raise writing_failed(self.folder / "journal.jsonl", error) from error

    def journal(self) -> list[Record]:
        path = self.folder / "journal.jsonl"
        if not path.is_file():
            return []
        records: list[Record] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except ValueError:
                continue  # the last line of a process that was killed
        return records

    def write_summary(self) -> Record:
        """Numbers over everything in the folder, by session and in all, to `summary.json`."""
        summary = summarise_journal(self.journal(), self)
        write_whole(self.folder / "summary.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
        return summary


def _count(data: bytes) -> Record:
    """Numbers of one graph: proofs, steps, facts, references resolved and not."""
    proofs = steps = facts = resolved = 0
    unresolved: list[str] = []
    for line in data.splitlines():
        if line.startswith(b'{"proof"'):
            proof = json.loads(line)["proof"]
            proofs += 1
            steps += len(proof["steps"])
            facts += len(proof["facts"])
            resolved += sum(len(fact[4]) for fact in proof["facts"])
            unresolved += proof["unresolved"]
    return {
        "proofs": proofs,
        "steps": steps,
        "facts": facts,
        "resolved": resolved,
        "unresolved": len(unresolved),
        "unresolved_references": unresolved,
    }


def writing_failed(path: Path, error: OSError) -> UserError:
    if error.errno == errno.ENOSPC:
        return UserError(f"no space left on the disk of {path}; free some and run again with --resume")
    return UserError(f"cannot write {path}: {error.strerror}")


_COUNTS = ("proofs", "steps", "facts", "resolved", "unresolved", "bytes", "plain_bytes", "load_cpu", "mine_cpu")


def summarise_journal(journal: list[Record], store: Store) -> Record:
    """The last word of the journal on each theory, added up."""
    theories: dict[str, Record] = {}
    sessions_run: dict[str, Record] = {}
    for record in journal:
        if "theory" in record:
            old = theories.get(record["theory"], {})
            # A theory that was mined stays mined, whatever a later process says about loading it again.
            if not (old.get("status") == "mined" and record.get("status") != "mined"):
                theories[record["theory"]] = record
        elif "session_run" in record:
            sessions_run[record["session_run"]] = record
    sessions: dict[str, Record] = {}
    reasons: Counter[str] = Counter()
    for name, record in sorted(theories.items()):
        if (
            record.get("status") == "loaded"
        ):  # for others' sake; a graph from a process that could not report is counted
            if not store.has(record["session"], name):
                continue
            record = {**record, **store.count(record["session"], name), "status": "mined"}
        mined = record.get("status") == "mined" and store.has(record["session"], name)
        row = sessions.setdefault(record["session"], {"theories": 0, "failed_theories": 0, **dict.fromkeys(_COUNTS, 0)})
        row["theories" if mined else "failed_theories"] += 1
        for key in _COUNTS:
            row[key] += record.get(key, 0)
        for reference in record.get("unresolved_references", ()):
            reasons[reference.partition(": ")[2]] += 1
    for name, row in sessions.items():
        row["load_cpu"], row["mine_cpu"] = round(row["load_cpu"], 2), round(row["mine_cpu"], 2)
        if name in sessions_run:
            row["peak_memory"] = sessions_run[name].get("peak_memory", 0)
    total = {
        key: round(sum(row[key] for row in sessions.values()), 2) for key in ("theories", "failed_theories", *_COUNTS)
    }
    failures = [
        {"theory": name, "reason": reason}
        for name, record in sorted(theories.items())
        for reason in ([record["reason"]] if record.get("reason") else []) + list(record.get("failures", ()))
    ]
    return {
        "total": total,
        "sessions": sessions,
        "failures": failures,
        "unresolved_names": dict(reasons.most_common(200)),
    }
