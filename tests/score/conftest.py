from pathlib import Path

import pytest
from tests.score.small import make_benchmark, make_run


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_benchmark(tmp_path_factory.mktemp("evaluate") / "benchmark")


@pytest.fixture(scope="session")
def runs(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Four runs with invented answers: Transformer and HAT on base input, HAT with hints, HAT without categories."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        "transformer": make_run(folder / "transformer", benchmark, {"kind": "transformer"}, 0.3),
        "hat": make_run(folder / "hat", benchmark, {"kind": "hat"}, 0.5, ("", "grammar")),
        "hat-f5": make_run(folder / "hat-f5", benchmark, {"kind": "hat", "hints": True}, 0.6),
        "hat-plain": make_run(folder / "hat-plain", benchmark, {"kind": "hat", "categories": False}, 0.1),
    }
