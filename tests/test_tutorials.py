"""Every tutorial runs; `make test-all` also runs the blocks that need training, for seconds, or an Isabelle."""

from pathlib import Path

import pytest
from tests.tutorials import KEPT, NEEDS, TUTORIALS, blocks, commands, follow, isabelle_is_there, matches


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs(page: Path, tmp_path: Path) -> None:
    if page.stem == "agent":
        pytest.importorskip("mcp")
    ready = [block for block in blocks(page) if not block.needs]
    assert follow(page, tmp_path) == len(ready)
    assert ready


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_as_a_whole(page: Path, tmp_path: Path) -> None:
    needs = {block.needs for block in blocks(page) if block.needs}
    if "isabelle" in needs and not isabelle_is_there():
        pytest.skip("no real Isabelle: ISABELLE_HOME is not set")
    if not needs:
        pytest.skip("test_a_tutorial_runs runs all of it")
    assert follow(page, tmp_path, needs) == len(blocks(page))


def test_what_a_block_needs_is_known() -> None:
    needed = {(page.stem, block.needs) for page in TUTORIALS for block in blocks(page) if block.needs}
    assert {needs for _, needs in needed} == {*NEEDS}
    assert {*KEPT} <= needed
    assert len(TUTORIALS) == 5


def test_what_is_printed_is_compared() -> None:
    assert matches("one\n...\nthree", "one  \ntwo\nthree\n")
    assert matches("a ... c", "a b c")
    assert not matches("one\n...", "two\none")
    assert not matches("one", "one\ntwo")
    assert list(commands("$ a b\n1\n2\n$ c\n")) == [("a b", "1\n2\n"), ("c", "")]
