"""Recipes as files: what they may say, what they inherit, and one line for every mistake."""

from dataclasses import replace
from pathlib import Path

import pytest

from isarstep.apps.commands.train import REPLACED
from isarstep.cli import run
from isarstep.common.errors import UserError
from isarstep.model.train.recipe import Recipe
from isarstep.model.train.recipe_files import Layers, Running, modern, names, paper, read_recipe


def written(folder: Path, text: str) -> str:
    path = folder / "recipe.toml"
    path.write_text(text)
    return str(path)


def test_the_recipes_of_the_package() -> None:
    assert names() == ["finetune", "first", "modern", "paper", "shipped"]
    assert read_recipe("paper").training == Recipe() == paper()
    assert modern() == Recipe("modern", rate=2e-3, warmup=200, weight_decay=0.1)
    assert modern(steps=3) == replace(modern(), steps=3)
    shipped = read_recipe("shipped")
    assert shipped.model == Layers("modern", 0.15, dense=True, constant_numbers=32, named_constants=8000)
    assert shipped.training == modern(batch=65_536, renumber=0.5, renumber_copies=False, number_constants=0.5)
    assert shipped.run == Running(looks=5, storage="int8")
    finetune = read_recipe("finetune")
    assert finetune.model == shipped.model  # or it could not start from that model
    assert finetune.training == replace(shipped.training, steps=1000, batch=16_384, warmup=50, rate=5e-4)


def test_what_a_file_does_not_say_is_as_in_the_recipe_that_it_is_like(tmp_path: Path) -> None:
    text = 'like = "modern"\n[model]\nstyle = "paper"\ndropout = 0.2\n[training]\ntokens = 1000\n[run]\nlooks = 5\n'
    found = read_recipe(written(tmp_path, text))
    assert found.model == Layers("paper", dropout=0.2)
    assert found.training == modern(tokens=1000)
    assert found.run == Running(looks=5)
    assert found.config("hat", "tiny", 50, "+F.5").dropout == 0.2
    assert read_recipe("paper").config("rnnsearch", "base", 50, "base").dropout == 0.2
    assert found.with_training(seed=7, minutes=None).training == modern(tokens=1000, seed=7)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "is not TOML"),
        ("rate = 1.0", "rate: not a part of a recipe"),
        ("[training]\nspeed = 1", "[training] has no speed; there are style, steps"),
        ('[training]\nbatch = "large"', "wants int"),
        ("[training]\nbatch = true", "wants int"),
        ("[training]\nrate = true", "wants float"),
        ("[model]\ndense = 1", "wants bool"),
        ('[model]\nstyle = "baroque"', "wants one of paper, modern"),
        ('[run]\nstorage = "int4"', "wants one of fp32, bf16, int8"),
        ('like = "nobody"', "nobody: no such recipe; give a file, or one of finetune, first, modern, paper, shipped"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_there_is(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        read_recipe(written(tmp_path, text))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("option", REPLACED)
def test_an_option_of_before_says_where_it_went(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["train", "embedded", str(tmp_path / "run"), option]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"isarstep: {option} ")
    assert "recipe" in said or "--input" in said
    assert not (tmp_path / "run").exists()
