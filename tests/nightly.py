"""What takes minutes or needs an Isabelle: tutorials as a whole. `make nightly` runs it; pytest collects it nowhere else."""

from pathlib import Path

import pytest
from tests.tutorials import TUTORIALS, blocks, follow, isabelle_is_there


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_as_a_whole(page: Path, tmp_path: Path) -> None:
    needs = {block.needs for block in blocks(page) if block.needs}
    if "isabelle" in needs and not isabelle_is_there():
        pytest.skip("no real Isabelle: ISABELLE_HOME is not set")
    if not needs:
        pytest.skip("`make test` does all of it")
    assert follow(page, tmp_path, needs) == len(blocks(page))
