"""The embedded benchmark, opened once per process."""

from isarstep.benchmark.store.store import Benchmark


def embedded_benchmark() -> Benchmark:
    """Return the benchmark of the engine that all tests share."""
    from isarstep.apps.engine import default_engine

    return default_engine().benchmark
