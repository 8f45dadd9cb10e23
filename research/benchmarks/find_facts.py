"""How long `find_facts` takes as a client sees it, over all facts of a benchmark.

    python research/benchmarks/find_facts.py [--benchmark embedded] [--repeat 5]

A client asks a server in the same process over the protocol, everything loaded. Processor time is that of client and
server together, and of all their threads. Prints a table; the last line is one JSON document.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import time
from typing import Any

from mcp import Client

from isarstep.apps.engine import Engine
from isarstep.apps.mcp.server import make_server
from isarstep.apps.mcp.tools.workshop import Workshop
from isarstep.apps.service.service import Service

QUESTIONS: dict[str, dict[str, Any]] = {
    "words": {"words": "card mono"},
    "words, most of them": {"words": "e", "count": 50},
    "constants": {"constants": ["card", "finite"]},
    "constants, most of them": {"constants": ["HOL.eq"], "count": 50},
    "pattern": {"pattern": "card ?A ≤ card ?B"},
    "pattern, most of them": {"pattern": "?a = ?b", "count": 50},
    "pattern that nothing has": {"pattern": "?a + ?b = card (?a :: nat set)"},
    "all three, in HOL-Library.Multiset": {
        "words": "size", "constants": ["size"], "pattern": "size ?M = ?n", "imports": ["HOL-Library.Multiset"],
    },
}  # fmt: skip


async def measured(workshop: Workshop, repeat: int) -> dict[str, dict[str, Any]]:
    rows = {}
    async with Client(make_server(workshop)) as client:
        for name, question in QUESTIONS.items():
            await client.call_tool("find_facts", question)  # a context is read once
            walls, cpus = [], []
            for _ in range(repeat):
                wall, cpu = time.perf_counter(), time.process_time()
                result = await client.call_tool("find_facts", question)
                walls.append(time.perf_counter() - wall)
                cpus.append(time.process_time() - cpu)
            answer = result.structured_content
            rows[name] = {
                "status": answer["status"], "total": answer["total"], "left_out": answer["left_out"],
                "characters": len(json.dumps(answer, ensure_ascii=False)),
                "best_ms": round(1000 * min(walls)), "worst_ms": round(1000 * max(walls)),
                "cpu_ms": round(1000 * max(cpus)),
            }  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default="embedded")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    engine = Engine(benchmark=options.benchmark)
    workshop = Workshop(lambda: Service(engine, 1))
    asyncio.run(workshop.with_provers())
    cpu = time.process_time()
    search = asyncio.run(workshop.facts())
    cpu = time.process_time() - cpu
    rows = asyncio.run(measured(workshop, options.repeat))
    print(f"{len(search):,} facts, indexed in {cpu:.1f} s of processor time")
    for name, row in rows.items():
        print(f"  {name:36} {row['worst_ms']:5} ms at worst, {row['cpu_ms']:5} ms of CPU, {row['total']:7,} fit")
    result = {
        "benchmark": engine.benchmark.hash,
        "facts": len(search),
        "python": platform.python_version(),
        "runs": rows,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
