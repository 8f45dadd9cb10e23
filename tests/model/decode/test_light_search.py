"""A search on numpy finds what the same search on torch finds, and gives no torch to whoever has none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isarstep.benchmark.arrays.backend import NUMPY
from isarstep.benchmark.arrays.files import load_dataset
from isarstep.benchmark.store.ids import places_of_lowest
from isarstep.benchmark.store.store import benchmark_at
from isarstep.model.data.tensors import Tensors
from isarstep.model.decode import predict
from isarstep.model.decode.constraints import TermGrammar
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import Predictor
from isarstep.model.decode.typed_search import TypedGrammar
from isarstep.model.decode.variable_types import known_in_split
from isarstep.model.nets.light import LightHAT

torch = pytest.importorskip("torch")
TENSORS = Tensors(torch.device("cpu"))


@pytest.fixture(scope="module")
def both() -> tuple[Predictor, Predictor]:
    light, heavy = Predictor("embedded", "cpu"), Predictor("embedded", "cpu")
    heavy.model = heavy.torch_model
    return light, heavy


@pytest.mark.parametrize(
    ("constraint", "count"),
    [
        ("none", 24),
        pytest.param("grammar", 12, marks=pytest.mark.slow),
        pytest.param("types", 12, marks=pytest.mark.slow),
    ],
)
def test_the_answers_to_real_examples_are_the_same(
    both: tuple[Predictor, Predictor], constraint: str, count: int
) -> None:
    benchmark = benchmark_at()
    light, heavy = both
    assert isinstance(light.model, LightHAT)
    corpus = light.split(load_dataset(benchmark.folder), "test")
    corpus = corpus.take(np.array(places_of_lowest(corpus.ids, 60)))
    corpus = corpus.take(np.argsort(corpus.source_lengths("base"), kind="stable")[:count])
    dense = light.model.config.dense
    constraints: TermGrammar | None = None
    if constraint == "grammar":
        constraints = TermGrammar(light.vocabulary, dense)
    elif constraint == "types":
        split = benchmark.split("test")
        constraints = TypedGrammar(light.vocabulary, known_in_split(split, benchmark.theory_contexts), dense)
    rules = SearchRules(beam=4, longest=60)
    ours = list(light.lines(corpus, rules, constraints))
    theirs = list(heavy.lines(corpus, rules, constraints))
    assert any(len(proposals) == rules.beam for _, proposals in ours)
    for (one, found), (other, expected) in zip(ours, theirs, strict=True):
        assert one == other
        assert [tokens for tokens, _ in found] == [tokens for tokens, _ in expected]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-3)


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 9), st.data())
def test_the_operations_are_those_of_torch(batch: int, beams: int, width: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    # All different, so that there is one order only; some of them minus infinity.
    x = rng.permutation(batch * beams * width).reshape(batch, beams, width).astype(np.float32)
    x[x < data.draw(st.integers(0, 5))] = -np.inf
    count = data.draw(st.integers(1, width))
    values, places = NUMPY.topk(x, count)
    expected, where = TENSORS.topk(TENSORS.of(x), count)
    assert np.array_equal(values, expected.numpy())
    alive = np.isfinite(values)
    assert np.array_equal(places[alive], where.numpy()[alive])
    ordered = np.take_along_axis(x, NUMPY.descending(x), -1)
    assert np.array_equal(ordered, -np.sort(-x, -1))
    some = NUMPY.logsumexp(x[np.isfinite(x).any(-1)])
    assert np.allclose(some, TENSORS.logsumexp(TENSORS.of(x[np.isfinite(x).any(-1)])).numpy())
    rows = rng.integers(0, beams, (batch, 3))
    assert np.array_equal(NUMPY.rows(x, rows), TENSORS.rows(TENSORS.of(x), TENSORS.of(rows)).numpy())
    flat = x[:, :, 0].copy()
    assert np.array_equal(NUMPY.rows(flat, rows), TENSORS.rows(TENSORS.of(flat), TENSORS.of(rows)).numpy())
    inside = rng.integers(0, width, (batch, beams, 2))
    assert np.array_equal(NUMPY.last(x, inside), TENSORS.last(TENSORS.of(x), TENSORS.of(inside)).numpy())
    chosen = x[:, 0, 0] > 2
    assert np.array_equal(NUMPY.true_places(chosen), TENSORS.true_places(TENSORS.of(chosen)).numpy())
    for value in (0, 0.5, -np.inf, True):
        full = NUMPY.full((batch, beams), value)
        assert np.array_equal(full, TENSORS.full((batch, beams), value).numpy())
        assert full.dtype == TENSORS.full((batch, beams), value).numpy().dtype


def test_torch_is_not_asked_where_there_is_no_driver_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "DRIVERS", ("/nowhere",))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: pytest.fail("it was asked"))
    assert isinstance(Predictor("embedded").model, LightHAT)


def test_where_a_gpu_is_torch_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "DRIVERS", ("/",))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert predict.gpu_is_here()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert not predict.gpu_is_here()


@pytest.mark.parametrize("kind", ["different", "few values", "one row without hope", "no row with hope"])
def test_the_greatest_of_long_rows_are_found_by_a_bound(kind: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.permutation(4 * 3001).reshape(1, 4, 3001).astype(np.float32)
    if kind == "few values":
        x = np.floor(x / 100)
    if "hope" in kind:
        x[:, 1 if kind == "one row without hope" else slice(None), 40:] = -np.inf
    for count in (1, 7, 20):
        values, places = NUMPY.topk(x, count)
        assert np.array_equal(values, -np.sort(-x, -1)[..., :count])
        assert np.array_equal(np.take_along_axis(x, places, -1), values)
        assert all(len(set(row)) == count for row in places.reshape(-1, count).tolist())
