"""How long would the whole library and the AFP take on 1, 8, 64, 512 workers?

    python research/benchmarks/scaling.py GRAPHS [-d AFP/thys] [--workers 1 8 64 512]

GRAPHS is a folder that `isarstep mine` filled: its journal holds the measured times. Session and theory graphs are read
from the ROOT files of ISABELLE_HOME and the given session directories. Prints a table; the last line is one JSON
document.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from scheduling import critical_paths, estimate, schedule

from isarstep.common.errors import UserError
from isarstep.isabelle.process.graph_store import Store
from isarstep.isabelle.process.installation import Sessions, find_installation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", type=Path)
    parser.add_argument("-d", "--directory", type=Path, action="append", default=[])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 8, 64, 512])
    parser.add_argument("--prefix", default="", help="only sessions whose names begin so, e.g. HOL")
    arguments = parser.parse_args()
    sessions = Sessions(find_installation(), arguments.directory)
    names = []
    for name in sessions.entries:
        try:
            if name.startswith(arguments.prefix) and sessions.all_theories(name):
                names.append(name)
        except UserError:
            continue  # a partial copy of a library
    library = estimate(sessions, names, Store(arguments.graphs).journal())
    paths = {
        "sessions": max(critical_paths(library.session_costs, library.session_above).values()),
        "theories": max(critical_paths(library.theory_costs, library.theory_above).values()),
    }
    print(
        f"{len(library.session_costs)} sessions, {len(library.theory_costs)} theories,"
        f" {library.measured} of them measured, {library.seconds_per_kilobyte:.3f} CPU s per KB of source"
    )
    rows = []
    for kind, costs, above, memory in (
        ("sessions", library.session_costs, library.session_above, library.session_memory),
        ("theories", library.theory_costs, library.theory_above, None),
    ):
        print(f"jobs are {kind}: critical path {paths[kind] / 3600:.2f} h")
        for workers in arguments.workers:
            result = schedule(costs, above, workers, memory)
            gigabytes = result.memory / 2**30
            rows.append(
                {
                    "jobs": kind,
                    "workers": workers,
                    "hours": result.makespan / 3600,
                    "core_hours": result.busy / 3600,
                    "memory_gb": gigabytes,
                }
            )
            hours, core_hours = result.makespan / 3600, result.busy / 3600
            print(f"  {workers:4d} workers: {hours:7.2f} h, {core_hours:7.1f} core-hours, {gigabytes:7.1f} GB")
    print(
        json.dumps(
            {
                "sessions": len(library.session_costs),
                "theories": len(library.theory_costs),
                "measured": library.measured,
                "seconds_per_kilobyte": library.seconds_per_kilobyte,
                "critical_hours": {k: v / 3600 for k, v in paths.items()},
                "rows": rows,
            }
        )
    )


if __name__ == "__main__":
    main()
