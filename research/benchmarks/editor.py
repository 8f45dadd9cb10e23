"""How long an editor waits: the first answers of a new process on a file of 2,000 lines, and edits of it.

    python research/benchmarks/editor.py [--lines 2000] [--edits 5]

Starts `isarstep lsp` and speaks to it over stdio. From the start of the process: until it has said hello, until the
facts and the goal at the last `have` are shown (hover), until the whole file is read (diagnostics); beside it, where
/proc has it, the processor time of the server until then. Then, of edits at the beginning, in the middle and at the
end: until the facts and the goal at the edited line are shown, until there are diagnostics up to there, and until the
whole file is read again. The median of each place is printed, the slowest in JSON, too; the last line is one JSON
document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path
from typing import Any

ROUND = """definition d{n} :: "nat ⇒ nat" where "d{n} x = x + {n}"

fun f{n} :: "nat ⇒ nat" where
  "f{n} 0 = {n}" |
  "f{n} (Suc k) = d{n} (f{n} k)"

lemma a{n}: "d{n} x ≥ x" by (simp add: d{n}_def)

lemma b{n}:
  fixes a b c :: nat
  assumes "a ≤ b" and h: "b ≤ c"
  shows "a ≤ d{n} c"
proof -
  have "a ≤ c" using assms by simp
  moreover have "c ≤ d{n} c" using a{n} by simp
  ultimately show ?thesis
    by simp
qed

text ‹A comment.›
"""


def long_theory(lines: int) -> str:
    rounds = (lines - 2) // ROUND.count("\n")
    return "theory Big imports Complex_Main begin\n" + "".join(ROUND.format(n=n) for n in range(rounds)) + "end\n"


def cpu() -> str:
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(row.partition(":")[2].strip() for row in rows if row.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(lines: int, edits: int) -> dict[str, Any]:
    from tests.apps.editor_client import editor

    text = long_theory(lines)
    rows = text.splitlines()
    haves = [line for line, row in enumerate(rows) if row.startswith("  have ")]
    uri = "file:///nowhere/Big.thy"
    began = time.monotonic()
    with editor(patient=False) as client:

        def shown(line: int) -> None:
            place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 4}}
            assert "so that" in client.request("textDocument/hover", place)["contents"]["value"]

        def passed() -> tuple[float, float]:
            return round(time.monotonic() - began, 2), round(processor_seconds(client.process.pid), 2)

        client.initialize()
        first = {"hello": passed()}
        client.open(uri, text)
        shown(haves[-1])
        first["state at the last have"] = passed()
        client.diagnostics(uri, 1)
        first["whole file read"] = passed()
        client.request("workspace/executeCommand", {"command": "isarstep.check", "arguments": [uri, 1, haves[-1]]})
        first["a step checked, all loaded"] = passed()
        places = {"beginning": haves[0], "middle": haves[len(haves) // 2], "end": haves[-1]}
        after: dict[str, dict[str, list[float]]] = {}
        version = 1
        for name, line in places.items():
            times = after.setdefault(name, {"state": [], "diagnostics to there": [], "whole file": []})
            for number in range(edits):
                version += 1
                began = time.monotonic()
                client.edit(uri, version, line, len(rows[line]), len(rows[line]), f" (* {number} *)")
                shown(line)
                times["state"].append(time.monotonic() - began)
                version += 1
                began = time.monotonic()
                client.edit(uri, version, line, len(rows[line]), len(rows[line]), " ")
                client.diagnostics(uri, version)
                times["diagnostics to there"].append(time.monotonic() - began)
                client.diagnostics(uri, version)
                times["whole file"].append(time.monotonic() - began)
        client.stop()
    return {"lines": len(rows), "first": first, "edits": after}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--edits", type=int, default=5)
    asked = parser.parse_args()
    result = measured(asked.lines, asked.edits)
    print(f"{result['lines']} lines, {cpu()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    for name, (wall, processor) in result["first"].items():
        print(f"{name:<28} {wall:6.2f} s, {processor:6.2f} s of processor time")
    print(f"\n{'edit':<12}" + "".join(f"{name:>22}" for name in ("state", "diagnostics to there", "whole file")))
    for place, times in result["edits"].items():
        print(f"{place:<12}" + "".join(f"{statistics.median(each):>20.2f} s" for each in times.values()))
        result["edits"][place] = {
            name: {"median": round(statistics.median(each), 3), "slowest": round(max(each), 3)}
            for name, each in times.items()
        }
    about = {"cpu": cpu(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version()}
    print(json.dumps(result | about))


if __name__ == "__main__":
    main()
