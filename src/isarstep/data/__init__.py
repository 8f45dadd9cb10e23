"""What ships inside the package: the benchmark, a model trained on it, a small sample for tests of the logic room."""

from pathlib import Path

EMBEDDED = "embedded"


def benchmark_folder(where: str | Path) -> Path:
    """The folder of a benchmark: a path, or `embedded` for the one inside the package."""
    return Path(__file__).parent / "benchmark" if str(where) == EMBEDDED else Path(where)


def model_folder(where: str | Path) -> Path:
    """The folder of a model: a path, or `embedded` for the one inside the package."""
    return Path(__file__).parent / "model" if str(where) == EMBEDDED else Path(where)
