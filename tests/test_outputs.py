"""docs/outputs.md lists every field that commands write: what is new there and not here, or here and gone, fails.

Documents that other tests make anyway are compared there: mining (tests/isabelle/process/test_mining.py), propose and sketch
(tests/apps/test_commands.py), ask (tests/apps/agents/test_ask.py).
"""

import json
import re
import typing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from safetensors import safe_open
from tests.benchmark.corpus import write_corpus
from tests.documented import documented, mentioned, section
from tests.model.train.test_loop import dataset, tiny
from tests.score.small import make_benchmark, make_run

from isarstep import cli
from isarstep.apps.admission import Load
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.benchmark.building.build import build
from isarstep.benchmark.building.fresh import Young, build_fresh
from isarstep.benchmark.rules.rules import Sizes
from isarstep.benchmark.store.canary import PARQUET_MARK
from isarstep.benchmark.store.layout import LEMMAS, PROOFS, PROPOSITIONS, RULES, TYPES
from isarstep.isabelle.context.fact_table import FACTS
from isarstep.model.decode.hypotheses import SearchRules
from isarstep.model.decode.predict import Predictor, meta_of
from isarstep.model.nets.checkpoint import load_model
from isarstep.model.train.loop import ValidationPlan, train
from isarstep.model.train.recipe_files import modern
from isarstep.prover.check.jobs import write_verdicts
from isarstep.resources import benchmark_folder
from isarstep.score.analysis.attention_maps import record_attention, save_maps
from isarstep.score.analysis.embeddings import embeddings_of, save_embeddings
from isarstep.score.analysis.probes import probes
from isarstep.score.analysis.relatedness import Closeness
from isarstep.score.report.verdicts import Counts, VerdictSummary


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names(kind: Any) -> set[str]:
    return {each.name for each in fields(kind)}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of the sample inside the package."""
    return make_benchmark(tmp_path_factory.mktemp("outputs") / "benchmark")


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of small graphs, with all of its tables."""
    folder = tmp_path_factory.mktemp("mined")
    build(write_corpus(folder), folder / "benchmark", sizes=Sizes(scored=12, band=0.2), workers=1)
    return folder / "benchmark"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two steps of training leave."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    plan = ValidationPlan(looks=1, examples=2)
    recipe = modern(steps=2, batch=512)
    train(dataset(), tiny(style="modern"), recipe, folder, device="cpu", validating=plan, quiet=True)
    return folder


def test_every_command_has_a_row() -> None:
    rows = [line for line in section("Outputs").splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert sorted(listed) == sorted(cli.commands())


def test_predictions(sample: Path, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy.jsonl"
    assert cli.run(["baseline", "copy", str(sample), "--out", str(out)]) == 0
    line = lines(out)[0]
    assert documented("A line of predictions") == {*line, *line["predictions"][0]}
    of_model = meta_of(Predictor(run, "cpu"), "hash", "test", SearchRules(5), "none")
    assert documented("NAME.meta.json") == {*read(tmp_path / "copy.meta.json")} == {*of_model}
    assert cli.run(["baseline", "copy", str(sample), "--out", str(tmp_path / "run")]) == 0
    assert documented("made.json") == {*read(tmp_path / "run" / "made.json")}
    assert {*read(tmp_path / "run" / "config.json")} <= mentioned("config.json")


def test_verdicts(tmp_path: Path) -> None:
    write_verdicts(tmp_path / "v.parquet", [])
    told = documented("Verdicts") | documented("What a verdict says", "checking.md")
    questions = [name.removesuffix("*") for name in told if name.endswith("_*")]
    answers = [name.removeprefix("*") for name in told if name.startswith("*_")]
    columns = {name for name in told if "*" not in name} | {q.rstrip("_") + a for q in questions for a in answers}
    assert columns == {*pq.read_schema(tmp_path / "v.parquet").names}


def test_a_run(run: Path) -> None:
    assert documented("config.json") == {*read(run / "config.json")}
    assert documented("training of config.json") == {*read(run / "config.json")["training"]}
    for checkpoint in ("last", "best"):
        assert {*read(run / checkpoint / "config.json")["training"]} <= mentioned("training of config.json")
    assert documented("log.jsonl") == {name for line in lines(run / "log.jsonl") for name in line}
    assert documented("last/progress.json") == {*read(run / "last" / "progress.json")}
    known = {"config.json", "vocab.json", "model.safetensors", "log.jsonl", "last", "best"}
    assert {path.name for path in run.iterdir()} == known, "docs/training.md lists what a run leaves"


def test_what_is_kept_of_a_run(run: Path, tmp_path: Path) -> None:
    kept = embeddings_of(run)
    assert kept is not None
    save_embeddings(kept, tmp_path / "embeddings.safetensors")
    model, about = load_model(run)
    example = probes()[0].example
    save_maps([record_attention(model, about.vocabulary, example, example.f1)], tmp_path / "attention.safetensors")
    for name in ("embeddings.safetensors", "attention.safetensors"):
        with safe_open(str(tmp_path / name), "np") as file:
            found = {re.sub(r"^\d+\.(\w+)\.\d+$", r"N.\1.L", key) for key in file.keys()}  # noqa: SIM118 (no mapping)
            assert documented(name) == found
            metadata = {key: json.loads(text) for key, text in file.metadata().items()}
        inside = {key for value in metadata.values() for each in value if isinstance(each, dict) for key in each}
        assert {*metadata, *inside} <= mentioned(name)


def test_manifests(mined: Path, sample: Path, tmp_path: Path) -> None:
    told = documented("manifest.json")
    whole = read(mined / "manifest.json")
    special = {"fresh", "unreadable", "earlier names", "taken out"}
    assert told - special == {*whole}
    graphs = write_corpus(tmp_path / "graphs")
    fresh = build_fresh(graphs, tmp_path / "fresh", Young(mined, ["S0"], "2026"), sizes=Sizes(scored=12), workers=1)
    assert {*fresh} <= told
    assert cli.run(["export", str(sample), "--out", str(tmp_path / "release")]) == 0
    assert cli.run(["import", str(tmp_path / "release"), "--out", str(tmp_path / "imported")]) == 0
    imported = read(tmp_path / "imported" / "manifest.json")
    assert {*imported} <= told
    trimmed = read(benchmark_folder("embedded") / "manifest.json")
    assert {*trimmed} <= told
    assert special <= {*fresh, *imported, *trimmed}
    nested = {*fresh["fresh"], *next(iter(whole["files"].values()))}
    assert nested | {*next(iter(whole["sessions"].values()))} <= mentioned("manifest.json")


def test_tables_of_a_benchmark(mined: Path) -> None:
    page = section("Files", "benchmark.md")
    of_files = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    assert {*read(mined / "manifest.json")["files"]} <= {*re.findall(r"`([^`]+)`", " ".join(of_files.values()))} | {
        *of_files
    }
    example = next(line for line in page.split("\n\n") if line.startswith("Columns of an example"))
    told = {name: of_files[f"{name}.parquet"] for name in (FACTS, LEMMAS, PROOFS, PROPOSITIONS, RULES, TYPES)}
    for name, text in (told | {"test": example}).items():
        schema = pq.read_schema(mined / f"{name}.parquet")
        assert {*schema.names} <= {*re.findall(r"`([^`]+)`", text)}, f"docs/benchmark.md: {name}.parquet"
        assert {*schema.metadata} == {*PARQUET_MARK}


def test_records_of_an_export(sample: Path, tmp_path: Path) -> None:
    assert cli.run(["export", str(sample), "--out", str(tmp_path), "--format", "jsonl", "--split", "test"]) == 0
    assert documented("A record") == {*lines(tmp_path / "test.jsonl")[0]}
    assert {path.name for path in tmp_path.iterdir()} == {"test.jsonl", "README.md", "croissant.json"}


def test_scores(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [make_run(tmp_path / kind, sample, {"kind": kind}, 0.4) for kind in ("hat", "transformer")]
    where = ["--benchmark", str(sample)]
    assert cli.run(["evaluate", *map(str, runs), *where, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    system, comparison = document["systems"][0], document["comparisons"][0]
    told = documented("evaluate --json")
    assert told == {*document, *system}
    nested = {*system["top1"], *system["signature"], *comparison, *comparison["p"]}
    assert nested <= mentioned("evaluate --json")

    out = tmp_path / "out"
    assert cli.run(["report", *map(str, runs), *where, "--out", str(out)]) == 0
    scores = read(out / "scores.json")
    assert documented("scores.json") == {*scores}
    assert {*scores["claims"][0]} | names(Closeness) | {"plain", "sums"} <= mentioned("scores.json")
    system = scores["systems"][0]
    assert documented("A system of scores.json") == {*system} - told
    inner = [system["budget"], system["origin"], *system["parts"].values(), *system["lengths"].values()]
    assert {name for each in inner for name in each} <= mentioned("A system of scores.json")
    assert documented("Verdicts of scores.json") == names(VerdictSummary) | names(Counts)
    pictures = {path.name for path in out.glob("*.svg")}
    assert {path.name for path in out.iterdir()} - pictures <= mentioned("Reports")


def undescribed(schemas: dict[str, Any]) -> set[str]:
    return {
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, value in schema.get("properties", {}).items()
        if not value.get("description")
    }


def test_every_field_of_the_server_is_described() -> None:
    app: Any = create_app(None, ServerLimits(), Load()).app  # type: ignore[arg-type]
    schemas = {**app.openapi()["components"]["schemas"]}
    for of_the_framework in ("HTTPValidationError", "ValidationError"):
        schemas.pop(of_the_framework, None)
    assert undescribed(schemas) == set()


def test_every_field_of_the_tools_is_described() -> None:
    pytest.importorskip("mcp")
    from isarstep.apps.mcp.server import TOOLS

    for tool in TOOLS:
        schema = typing.get_type_hints(tool)["return"].model_json_schema()
        assert undescribed({tool.__name__: schema, **schema.get("$defs", {})}) == set()
