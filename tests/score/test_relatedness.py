"""Closeness of related constants: chance for a random table, all of it for one made so."""

import numpy as np
import pytest
from tests.embedded import embedded_benchmark

from isarstep.isabelle.terms.signature import Constant, Signature
from isarstep.isabelle.terms.type_text import parse_type
from isarstep.score.analysis.embeddings import Embeddings
from isarstep.score.analysis.relatedness import NEAREST, closeness, related_pairs, type_shapes

THEORIES, EACH = 8, 12
NAMES = [f"T{t}.c{i}" for t in range(THEORIES) for i in range(EACH)]
PAIRS = [(f"T{t}.c0", f"T{t}.c{i}") for t in range(THEORIES) for i in (1, 2)]
TYPES = {name: str(place % 2) for place, name in enumerate(NAMES)}


def table(clustered: bool) -> Embeddings:
    draw = np.random.default_rng(0)
    centres = draw.normal(size=(THEORIES, 32)) * (5 if clustered else 0)
    vectors = np.repeat(centres, EACH, axis=0) + draw.normal(size=(len(NAMES), 32))
    return Embeddings(NAMES, vectors.astype(np.float32))


def test_a_table_by_theory_is_seen_as_one() -> None:
    found = closeness(table(True), TYPES, PAIRS)
    assert (found.constants, found.pairs) == (96, 16)
    assert found.theory == (pytest.approx(100), pytest.approx(100 * (EACH - 1) / 95))
    assert found.partner[0] > 80
    assert found.median_place is not None
    assert found.median_place < EACH
    assert found.type is not None
    assert found.type[0] == pytest.approx(50, abs=10)


def test_a_random_table_gives_chance() -> None:
    found = closeness(table(False), TYPES, PAIRS)
    assert found.theory[0] == pytest.approx(found.theory[1], abs=3)
    assert found.partner[1] == pytest.approx(100 * NEAREST / 95)
    assert found.partner[0] == pytest.approx(found.partner[1], abs=16)
    assert found.median_place == pytest.approx(48, abs=20)
    assert closeness(table(False), None, [("T0.c0", "nowhere")]).pairs == 0


def test_types_are_alike_but_for_names_and_sorts_of_variables() -> None:
    shapes = type_shapes(
        Signature.build(
            Constant(name, parse_type(text))
            for name, text in (
                ("A.le", "(fun (?'a :: Orderings.ord) (fun (?'a :: Orderings.ord) HOL.bool))"),
                ("A.eq", "(fun (?'b :: HOL.type) (fun (?'b :: HOL.type) HOL.bool))"),
                ("A.rel", "(fun (?'b :: HOL.type) (fun (?'c :: HOL.type) HOL.bool))"),
            )
        ),
        ["A.le", "A.eq", "A.rel", "nowhere"],
    )
    assert shapes["A.le"] == shapes["A.eq"] != shapes["A.rel"]
    assert "nowhere" not in shapes


def test_sixty_pairs_of_which_the_embedded_benchmark_has_nearly_all() -> None:
    pairs = related_pairs()
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 60
    known = {*embedded_benchmark().vocabulary}
    assert sum(left in known and right in known for left, right in pairs) >= 55
