"""What ships inside the package: the benchmark, splits beside it, a model, a selector of premises, a small sample for
the logic room.
"""

from pathlib import Path

EMBEDDED = "embedded"
# Splits that lie in folders of their own beside the embedded benchmark.
BESIDE = {"fresh": "embedded-fresh", "unseen2": "embedded-unseen2", "fresh2": "embedded-fresh2"}
BENCHMARKS = {EMBEDDED: "benchmark", **{name: split for split, name in BESIDE.items()}}
# The names of what is shipped: a folder that bears another one is not what this version was tested and scored with.
NAMES = {
    EMBEDDED: "e7195c16ae8d2262cb6e5348db79bb32e1cdb4b4f304bad2a1a4a5f19da592af",
    "embedded-fresh": "88ab9bdfcf70cd52ef2732be980670959d69602df12a4994f60ee6fe963222a9",
    "embedded-unseen2": "0db1e042c8cc5fc452c1c1767bd6e36fce648ef3d0dd1799f6c954f5c009c780",
    "embedded-fresh2": "e3f3464185c9d6526f9b87f6682b40bc7e3035dc36132af0e70eefa475f3a6bf",
}


def benchmark_folder(where: str | Path) -> Path:
    """The folder of a benchmark: a path, `embedded` for the one inside the package, or one of BESIDE."""
    inside = BENCHMARKS.get(str(where))
    return Path(where) if inside is None else Path(__file__).parent / inside


def model_folder(where: str | Path) -> Path:
    """The folder of a model: a path, or `embedded` for the one inside the package."""
    return Path(__file__).parent / "model" if str(where) == EMBEDDED else Path(where)


def selector_folder(where: str | Path) -> Path:
    """The folder of a selector of premises: a path, or `embedded` for the one inside the package."""
    return Path(__file__).parent / "selector" if str(where) == EMBEDDED else Path(where)
