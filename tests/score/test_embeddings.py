"""Neighbours, sums and components of a table small enough to see through."""

from pathlib import Path

import numpy as np
import pytest

from isarstep.common.errors import UserError
from isarstep.score.analysis.embeddings import Embeddings, common_tokens, load_embeddings, save_embeddings
from isarstep.score.report.pictures import data_script, embedding_data, embedding_html, embedding_svg, short

SPECIALS = [f"<S{i}>" for i in range(9)]


def small() -> Embeddings:
    tokens = ["T.bounded", "T.closed", "T.compact", "U.far", "V.closed"]
    vectors = [[1, 0, 0], [0, 1, 0], [0.7, 0.7, 0.1], [0, 0, 1], [0, 0.9, 0.4]]
    return common_tokens(SPECIALS + tokens, np.array([[9, 9, 9]] * 9 + vectors, np.float32))


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
    known = common_tokens([*SPECIALS, "T.a", "$", "T.b"], table, ("$",))
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
        common_tokens(SPECIALS, np.zeros((3, 2), np.float32))


def test_rare_tokens_are_no_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isarstep.score.analysis.embeddings.COMMON", 4)
    known = small()
    assert [n.token for n in known.neighbours("closed", 10)] == ["T.compact", "T.bounded", "U.far"]
    with pytest.raises(UserError, match="4 tokens that this model saw most often"):
        known.find("V.closed")


def test_what_all_have_in_common_is_taken_away() -> None:
    apart = np.array([[1, 0, 0], [0.9, 0.3, 0], [-1, 0, 0.1], [-0.9, -0.3, -0.1]], np.float32)
    known = Embeddings(["T.a", "T.b", "T.c", "T.d"], apart + np.array([0, 0, 20], np.float32))
    assert known.neighbours("a", 3)[-1].cosine > 0.99
    found = known.centred().neighbours("a", 3)
    assert found[0].token == "T.b"
    assert found[-1].cosine < -0.9


def test_what_is_kept_is_small_and_says_the_same(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    table = draw.normal(size=(209, 64)).astype(np.float32)
    known = common_tokens(SPECIALS + [f"A.t{i}" for i in range(200)], table)
    path = tmp_path / "embeddings.safetensors"
    save_embeddings(known, path)
    kept = load_embeddings(path)
    assert kept.tokens == known.tokens
    assert path.stat().st_size < table.nbytes / 2.5
    np.testing.assert_allclose(kept.cosines(range(200)), known.cosines(range(200)), atol=0.01)
    path.write_bytes(b"no safetensors")
    with pytest.raises(UserError, match="not embeddings"):
        load_embeddings(path)


def test_components_keep_distances_and_explain_the_variance() -> None:
    draw = np.random.default_rng(0)
    table = draw.normal(size=(50, 3)).astype(np.float32) * [5, 2, 1]
    known = common_tokens(SPECIALS + [f"A.t{i}" for i in range(41)], table.astype(np.float32))
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
