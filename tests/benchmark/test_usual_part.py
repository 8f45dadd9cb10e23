"""What is kept for Complex_Main says what the whole signature says, and nothing else is read for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.isabelle.context.theory_contexts import USUAL, TheoryContexts

INSIDE = (USUAL, "Main", "HOL.List", "HOL.Orderings")
OUTSIDE = ("HOL-Library.Multiset", "HOL-Analysis.Starlike")


pytestmark = pytest.mark.slow  # on all of the embedded benchmark


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def whole(cache: Path) -> TheoryContexts:
    return Benchmark()._whole_contexts


@pytest.fixture(scope="module", params=["made", "found"])
def part(cache: Path, request: pytest.FixtureRequest) -> TheoryContexts:
    files = list(cache.rglob("signature/*"))
    assert len(files) == (request.param == "found")
    return Benchmark().theory_contexts


def test_a_context_inside_has_the_same_constants_and_instances(part: TheoryContexts, whole: TheoryContexts) -> None:
    for theory in INSIDE:
        here, there = part.at(theory), whole.at(theory)
        assert (here.theories, here.prefixes) == (there.theories, there.prefixes)
        assert list(here.signature.constants.items()) == list(there.signature.constants.items())
        assert here.signature.coercions == there.signature.coercions
        assert here.signature.classes == there.signature.classes
        assert here.language.abbreviations == there.language.abbreviations
        assert here.language.notations == there.language.notations
        for constructor in there.signature.types:
            if "." not in constructor or here.exists(constructor):
                known = here.signature.arities.get(constructor)
                assert known == there.signature.arities.get(constructor)
                assert part.declaring.get(constructor) == whole.declaring.get(constructor)
    for theory in whole.at(USUAL).theories or ():
        assert part.parents.get(theory) == whole.parents.get(theory)
        assert part.declared.get(theory) == whole.declared.get(theory)
    assert list(part.whole.types.items()) == list(whole.whole.types.items())


def test_what_is_asked_inside_reads_nothing_else(
    part: TheoryContexts, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    def unread(_: Benchmark) -> None:
        raise AssertionError("the whole signature is read")

    monkeypatch.setattr(Benchmark, "signature_document", unread)
    again = Benchmark().theory_contexts
    usual = again.at(USUAL)
    assert again.parents
    assert len(usual.signature.constants) > 3000
    assert usual.language.grammar
    assert "Groups.plus_class.plus" in again.whole.constants
    assert "no_such_constant" not in again.whole.constants
    assert "Nat.no_such_constant" not in again.whole.constants
    with pytest.raises(AssertionError, match="whole"):
        again.at(OUTSIDE[0])


def test_a_context_outside_is_that_of_the_whole(part: TheoryContexts, whole: TheoryContexts) -> None:
    for theory in OUTSIDE:
        here, there = part.at(theory), whole.at(theory)
        assert here.theories == there.theories
        assert list(here.signature.constants) == list(there.signature.constants)
        name = next(name for name in there.signature.constants if not whole.at(USUAL).exists(name))
        assert here.signature.constants[name] == there.signature.constants[name]
        assert here.language.abbreviations == there.language.abbreviations
        assert not part.at(USUAL).exists(name)
        assert name in part.whole.constants
    assert list(part.parents) == list(whole.parents)
    assert list(part.whole.constants) == list(whole.whole.constants)
    assert part.importing(OUTSIDE).theories == whole.importing(OUTSIDE).theories


def test_a_benchmark_of_a_path_is_read_as_a_whole(cache: Path) -> None:
    before = list(cache.rglob("signature/*"))
    assert Benchmark(Benchmark().folder).theory_contexts.usual_part is None
    assert list(cache.rglob("signature/*")) == before
