"""What ships inside the package: the benchmark, younger examples, a model, a small sample for the logic room."""

from pathlib import Path

EMBEDDED = "embedded"
BENCHMARKS = {EMBEDDED: "benchmark", "embedded-fresh": "fresh"}


def benchmark_folder(where: str | Path) -> Path:
    """The folder of a benchmark: a path, `embedded` for the one inside the package, or `embedded-fresh`."""
    inside = BENCHMARKS.get(str(where))
    return Path(where) if inside is None else Path(__file__).parent / inside


def model_folder(where: str | Path) -> Path:
    """The folder of a model: a path, or `embedded` for the one inside the package."""
    return Path(__file__).parent / "model" if str(where) == EMBEDDED else Path(where)
