"""The first example of the embedded benchmark comes quickly because little is read: what is, is counted here."""

from __future__ import annotations

import json
import subprocess
import sys

LOOK = """
import json, sys
import isarstep
split = isarstep.load("embedded", "train", cache=False)
example = split[0]
benchmark = split.benchmark
print(json.dumps({
    "id": example.id,
    "modules": sorted({"pandas", "torch", "matplotlib"} & sys.modules.keys()),
    "groups": [len(split._source._groups._groups), len(benchmark.propositions._rows._groups)],
    "loaded": sorted({"signature", "facts", "vocabulary"} & benchmark.__dict__.keys()),
}))
found = benchmark.split("train", cache=False)
assert found.position(example.id[:9]) == 0
print(len(found._source._groups._groups))
"""


def test_the_first_example_needs_one_group_of_rows() -> None:
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, timeout=120, check=True)
    first, groups = done.stdout.splitlines()
    seen = json.loads(first)
    assert len(seen.pop("id")) == 12
    assert seen == {"modules": [], "groups": [1, 1], "loaded": []}
    assert groups == "0"  # a search reads ids alone


def test_printing_it_needs_neither_the_builder_nor_the_fact_base() -> None:
    code = (
        "import sys\nfrom isarstep.benchmark.export.display import Printer, describe\nfrom isarstep.benchmark.store.store import Benchmark\n"
        "benchmark = Benchmark()\nexample = benchmark.split('train')[0]\n"
        "lines = list(describe(example, 'train', Printer(benchmark, 'unicode')))\n"
        "assert lines[0].startswith(example.id)\nassert 'facts' not in benchmark.__dict__\n"
        "print(sorted({'pandas', 'isarstep.benchmark.building.write', 'isarstep.benchmark.building.build'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[]\n"
