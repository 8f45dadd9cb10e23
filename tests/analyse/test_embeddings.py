"""Neighbours, sums and components of a table small enough to see through."""

import numpy as np
import pytest

from isarstep.analyse.embeddings import Embeddings
from isarstep.analyse.pictures import data_script, embedding_data, embedding_html, embedding_svg, short
from isarstep.errors import UserError

SPECIALS = [f"<S{i}>" for i in range(9)]


def small() -> Embeddings:
    tokens = ["T.bounded", "T.closed", "T.compact", "U.far", "V.closed"]
    vectors = [[1, 0, 0], [0, 1, 0], [0.7, 0.7, 0.1], [0, 0, 1], [0, 0.9, 0.4]]
    return Embeddings(SPECIALS + tokens, np.array([[9, 9, 9]] * 9 + vectors, np.float32))


def test_sums_find_what_they_make() -> None:
    nearest = [n.token for n in small().arithmetic("bounded + closed", 2)]
    assert nearest == ["T.compact", "T.bounded"]
    assert small().arithmetic("compact - bounded", 1)[0].token == "T.closed"


def test_neighbours_leave_out_the_token_and_the_specials() -> None:
    found = small().neighbours("closed", 10)
    assert [n.token for n in found] == ["V.closed", "T.compact", "T.bounded", "U.far"]
    assert found[0].cosine == pytest.approx(0.9 / np.hypot(0.9, 0.4))


def test_tokens_that_a_model_never_reads_are_no_neighbours() -> None:
    table = np.array([[9, 9]] * 9 + [[1, 0], [1, 0.1], [0, 1]], np.float32)
    known = Embeddings([*SPECIALS, "T.a", "$", "T.b"], table, ("$",))
    assert [n.token for n in known.neighbours("a", 5)] == ["T.b"]


def test_names_are_found_by_their_end_and_the_commonest_wins() -> None:
    known = small()
    assert known.tokens[known.find("closed")] == "T.closed"
    assert known.tokens[known.find("V.closed")] == "V.closed"
    assert not known.has("losed")
    with pytest.raises(UserError, match="nothing"):
        known.find("nothing")


def test_table_and_vocabulary_must_belong_together() -> None:
    with pytest.raises(UserError, match="belong together"):
        Embeddings(SPECIALS, np.zeros((3, 2), np.float32))


def test_components_keep_distances_and_explain_the_variance() -> None:
    draw = np.random.default_rng(0)
    table = draw.normal(size=(50, 3)).astype(np.float32) * [5, 2, 1]
    known = Embeddings(SPECIALS + [f"A.t{i}" for i in range(41)], table.astype(np.float32))
    points, shares = known.components(3)
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    ours = np.linalg.norm(points[0] - points[1])
    assert ours == pytest.approx(np.linalg.norm(known.vectors[0] - known.vectors[1]), rel=1e-4)


def test_pictures_have_all_their_data_inside() -> None:
    data = embedding_data(small(), ["compact"])
    assert data["tokens"][0] == "T.compact"
    assert len(data["near"][0]) == 4 + 1  # all there are; a token never comes before another among its neighbours
    assert "T.compact" in embedding_html(small(), ["compact"], "title")
    assert "compact" in embedding_svg(small(), "compact")


def test_data_cannot_end_their_element() -> None:
    assert "</script><b>" not in data_script("k", ["</script><b>"])


def test_short_names() -> None:
    assert short("Finite_Set.card") == "card"
    assert short("$") == "$"
