"""Settings for all tests: property tests have no deadline, because a busy machine is not a wrong program. What some
rooms share: a real browser and a real Isabelle, skipped with the reason where there is none."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from tests.drawn import STANDING
from tests.needs import image_of

from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Installation, find_installation

if TYPE_CHECKING:
    from isarstep.apps.engine import Engine
    from isarstep.benchmark.store.example import Example
    from isarstep.benchmark.store.store import Benchmark
    from isarstep.premises.fact_base import Library

settings.register_profile(
    "isarstep", max_examples=STANDING, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("fifth", settings.get_profile("isarstep"), max_examples=STANDING // 5)
settings.register_profile("four fifths", settings.get_profile("isarstep"), max_examples=STANDING * 4 // 5)
settings.register_profile("thorough", settings.get_profile("isarstep"), max_examples=STANDING * 10)
settings.load_profile("isarstep")

# The marker `slow` is written at a test and leaves it to `make test-all`. The marker `integration` is set here, for what
# `make check` leaves to `make test`: files, folders or tests that start servers, provers or processes, load the shipped
# model, build benchmarks, train or take seconds.
INTEGRATION = (
    "tests/attack/",
    "tests/benchmark/test_build.py",
    "tests/benchmark/test_canary.py",
    "tests/benchmark/test_citing.py",
    "tests/isabelle/context/test_clashes.py",
    "tests/benchmark/test_embedded_rules.py",
    "tests/benchmark/test_facts.py::test_every_type",
    "tests/benchmark/test_first_example.py",
    "tests/benchmark/test_formats.py",
    "tests/benchmark/test_identity.py::test_random_edits",
    "tests/benchmark/test_leaks.py",
    "tests/isabelle/context/test_library_facts.py",
    "tests/benchmark/test_more_unseen.py::test_nothing_shipped",
    "tests/benchmark/test_trivial.py::test_nothing_that_is_scored",
    "tests/benchmark/test_types.py",
    "tests/isabelle/context/test_theory_contexts.py",
    "tests/benchmark/test_usual_part.py",
    "tests/premises/",
    "tests/prover/",
    "tests/model/decode/test_constraints.py",
    "tests/model/decode/test_light_search.py",
    "tests/model/decode/test_predict.py",
    "tests/model/decode/test_search.py",
    "tests/model/decode/test_step_kernels.py",
    "tests/model/decode/test_typing.py",
    "tests/score/",
    "tests/research/",
    "tests/model/data/test_context.py",
    "tests/model/data/test_dense.py",
    "tests/isabelle/terms/test_memo.py",
    "tests/isabelle/syntax/test_commands.py",
    "tests/isabelle/syntax/test_notation.py",
    "tests/isabelle/terms/test_terms.py::test_deep_types",
    "tests/isabelle/terms/test_terms.py::test_depth_has_no_limit",
    "tests/isabelle/terms/test_tokens.py::test_fifty_thousand",
    "tests/isabelle/terms/test_tokens.py::test_hostile",
    "tests/isabelle/process/test_edges.py",
    "tests/isabelle/process/test_external.py",
    "tests/isabelle/process/test_mining.py",
    "tests/isabelle/process/test_real.py",
    "tests/isabelle/process/test_releases.py",
    "tests/model/nets/test_export.py",
    "tests/model/nets/test_light.py",
    "tests/model/nets/test_models.py::test_hat_has_no_parameters",
    "tests/model/nets/test_models.py::test_steps_agree",
    "tests/model/nets/test_models.py::test_the_base_transformer",
    "tests/apps/",
    "tests/isabelle/theory/",
    "tests/test_cli.py::test_an_option_of_before",
    "tests/test_commands.py",
    "tests/test_docs_run.py::test_a_block_runs",
    "tests/test_json.py",
    "tests/test_light_install.py",
    "tests/test_mutating.py",
    "tests/test_outputs.py",
    "tests/test_package.py",
    "tests/test_top_level.py::test_answers_are_scored",
    "tests/test_top_level.py::test_read",
    "tests/test_top_level.py::test_two_names",
    "tests/test_tutorials.py::test_a_tutorial_runs",
    "tests/model/train/test_context_run.py",
    "tests/model/train/test_loop.py",
    "tests/model/train/test_minutes.py",
    "tests/model/train/test_resuming.py",
    "tests/model/train/test_selector.py::test_what_is_used",
)
NOT_INTEGRATION = (
    "tests/score/test_attention_maps.py",
    "tests/score/test_embeddings.py",
    "tests/score/test_probes.py",
    "tests/score/test_relatedness.py",
    "tests/prover/test_guards.py",
    "tests/prover/test_parts.py",
    "tests/prover/test_verdict.py",
    "tests/score/test_bleu.py",
    "tests/score/test_metrics.py",
    "tests/apps/test_gate.py",
    "tests/prover/test_novelty.py",
    "tests/isabelle/theory/test_coerced.py",
    "tests/isabelle/theory/test_document.py",
)


def is_integration(name: str) -> bool:
    """Whether a test or a file, by its pytest name, is left out of `make check`."""
    return name.startswith(INTEGRATION) and not name.startswith(NOT_INTEGRATION)


# The marker expressions of `make check`, `make test` and `make test-rest`. The first two draw a fifth of the examples of
# a property; the last one runs all properties again, with four fifths of the examples. `make check` does not import
# files that are left out as a whole.
CHECK, TEST, REST = "not integration and not slow", "not slow", "slow"


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(20_000, 10, 10)  # Python looks for garbage thirty times as often, a tenth of the time of all tests
    if config.option.markexpr in (CHECK, TEST):
        settings.load_profile("fifth")
    elif config.option.markexpr == REST:
        settings.load_profile("four fifths")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    name = os.path.relpath(collection_path, config.rootpath)
    return True if config.option.markexpr == CHECK and name.endswith(".py") and is_integration(name) else None


def is_reduced(item: pytest.Item) -> bool:
    """Whether a test draws only a part of its random inputs in `make test`."""
    by_hypothesis = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return by_hypothesis or item.get_closest_marker("reduced") is not None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set the marker `integration`, and `slow` where `make test-rest` draws further random inputs."""
    for item in items:
        if is_integration(item.nodeid):
            item.add_marker(pytest.mark.integration)
        if config.option.markexpr == REST and is_reduced(item):
            item.add_marker(pytest.mark.slow)


freeze = gc.freeze


def keep_to_the_end() -> None:
    """What is loaded by now is no garbage before the last test: no search for garbage goes through it again."""
    gc.collect()
    freeze()


def pytest_collection_finish() -> None:
    keep_to_the_end()
    # A command freezes what it has loaded, because its process ends soon; here it would stay for all other tests.
    gc.freeze = lambda: None


@pytest.fixture(scope="session")
def engine() -> "Engine":
    """The shipped model over the shipped benchmark, for all rooms: it takes seconds and a gigabyte to load."""
    from isarstep.apps.engine import default_engine

    opened = default_engine()
    keep_to_the_end()
    return opened


@pytest.fixture
def one_engine(engine: "Engine", monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this process that want the shipped model and benchmark take the engine that is loaded."""
    from isarstep.apps import engine as module

    opened = module.Engine

    def engine_of(model: str | Path = "embedded", benchmark: str | Path = "embedded") -> "Engine":
        return engine if model == benchmark == "embedded" else opened(model, benchmark)

    monkeypatch.setattr(module, "Engine", engine_of)


@pytest.fixture(scope="session")
def benchmark(engine: "Engine") -> "Benchmark":
    """The shipped one; without the model."""
    return engine.benchmark


@pytest.fixture(scope="session")
def library(engine: "Engine") -> "Library":
    """The facts of the shipped benchmark."""
    found = engine._library
    assert found is not None
    return found


@pytest.fixture(scope="session")
def small_benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark built from five made-up theories, with 20 examples in each scored split. Tests only read it."""
    from tests.benchmark.corpus import write_corpus

    from isarstep.benchmark.building.build import build
    from isarstep.benchmark.rules.rules import Sizes

    folder = tmp_path_factory.mktemp("small_benchmark")
    build(write_corpus(folder), folder / "bench", sizes=Sizes(scored=20, band=0.2), workers=1)
    return folder / "bench"


@pytest.fixture(scope="session")
def example(engine: "Engine") -> "Example":
    """A short example of the test split with facts, a goal and a step as target."""
    for candidate in engine.benchmark.split("test"):
        short = (
            sum(len(text.split()) for text in (candidate.f1, *candidate.f2, candidate.f3 or "", *candidate.f4)) < 120
        )
        if short and candidate.f2 and candidate.f4 and candidate.f3 and candidate.target_kind == "step":
            return candidate
    raise AssertionError("the benchmark has no short example")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="skipped: playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("skipped: no Chromium on the PATH")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def installation() -> Installation:
    """A configured Isabelle with an image of Pure."""
    if not os.environ.get("ISABELLE_HOME"):
        pytest.skip("no real Isabelle: ISABELLE_HOME is not set")
    try:
        found = find_installation()
    except UserError as error:
        pytest.skip(f"no real Isabelle: {error}")
    if image_of(found, "Pure") is None:
        pytest.skip("no real Isabelle: there is no image of Pure; set ISABELLE_HEAPS")
    return found


@pytest.fixture(scope="module")
def installation_with_hol(installation: Installation) -> Installation:
    if image_of(installation, "HOL") is None:
        pytest.skip("no real Isabelle: there is no image of HOL; set ISABELLE_HEAPS")
    return installation
