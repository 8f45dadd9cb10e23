"""The report in a real browser: every table and figure is there, the pictures answer, nothing is loaded, nothing fails."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isarstep.benchmark.store.store import Benchmark
from isarstep.common.tables import Table
from isarstep.score.analysis.attention_maps import AttentionMaps, save_maps
from isarstep.score.analysis.embeddings import common_tokens, save_embeddings
from isarstep.score.analysis.probes import probes, write_answers
from isarstep.score.report.document import Document
from isarstep.score.report.report import make_report

TABLES = (
    "accuracy", "printed", "budgets", "claims", "terms", "significance-base", "ablation", "well-formed", "constraints", "correct", "automation", "gaps",
    "references", "source-length", "target-length", "session", "kind", "copied", "nearness", "failures", "closeness", "neighbours", "probes",
)  # fmt: skip
FIGURES = ("overview", "length", "embeddings", "attention", "validation-bleu", "loss")


@pytest.fixture(scope="module")
def report(benchmark: Path, runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Document, Path]:
    hat = runs["hat"]
    draw = np.random.default_rng(1)
    vocabulary = Benchmark(benchmark).vocabulary
    table = draw.normal(size=(len(vocabulary), 16)).astype(np.float32)
    save_embeddings(common_tokens(vocabulary, table), hat / "embeddings.safetensors")
    asked = probes()
    write_answers(hat / "probes.jsonl", asked, [[(probe.answers[0], -1.0), ("FREE", -2.0)] for probe in asked])
    save_maps([_maps("member-subset", draw), _maps("another", draw)], hat / "attention.safetensors")
    folder = tmp_path_factory.mktemp("report")
    document = make_report(list(runs.values()), benchmark, "test")
    document.write(folder)
    return document, folder


def _maps(name: str, draw: np.random.Generator) -> AttentionMaps:
    source = ("CONST", "Set.member", "$", "FREE", "<X0>", "</script>")
    weights = draw.dirichlet(np.ones(6), size=(2, 6)).astype(np.float32)
    return AttentionMaps(
        name, source, (3,) * 3 + (4,) * 3, (3, 3), ("CONST", "x"), (weights, weights), (weights[:, :2],)
    )


def test_every_table_and_figure_is_in_both_forms(report: tuple[Document, Path]) -> None:
    document, folder = report
    html, markdown = (folder / "report.html").read_text(), (folder / "report.md").read_text()
    for key in TABLES:
        assert f'id="table-{key}"' in html
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                assert f"**{block.title}**" in markdown
    for key in FIGURES:
        assert f'id="figure-{key}"' in html
        assert f"({key}.svg)" in markdown
        assert (folder / f"{key}.svg").read_text().startswith("<?xml")


def test_the_page_needs_nothing_from_elsewhere(report: tuple[Document, Path]) -> None:
    html = (report[1] / "report.html").read_text()
    without_names = html.replace("http://www.w3.org/1998/Math/MathML", "").replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://|\bsrc=|@import|url\(", without_names)


def test_unchecked_tables_say_so(report: tuple[Document, Path]) -> None:
    html = (report[1] / "report.html").read_text()
    for key in ("correct", "automation", "gaps", "references"):
        table = html[html.index(f'id="table-{key}"') :]
        assert "not checked" in table[: table.index("</figure>")]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_in_a_browser(report: tuple[Document, Path], browser: Any, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, offline=True)
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto((report[1] / "report.html").as_uri())

    for key in (*(f"table-{key}" for key in TABLES), *(f"figure-{key}" for key in FIGURES)):
        box = page.locator(f"#{key}").bounding_box()
        assert box is not None, key
        assert box["height"] > 40, key
    # Tables scroll inside the page; the page itself never does.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#gallery-right math").count() > 0

    near = page.locator("#figure-embeddings .near li")
    assert near.count() == 51  # the token and its 50 neighbours
    before = near.first.inner_text()
    page.locator("#figure-embeddings .near button").first.click()
    assert near.first.inner_text() != before
    painted = """id => { const c = document.querySelector(id); const d = c.getContext('2d')
        .getImageData(0, 0, c.width, c.height).data; return d.some(x => x > 0); }"""
    assert page.evaluate(painted, "#figure-embeddings canvas")

    page.locator("#figure-attention .kind").select_option("cross")
    assert page.locator("#figure-attention .from button").count() == 2
    page.locator("#figure-attention .example-choice").select_option("1")
    page.locator("#figure-attention .head").select_option("0")
    page.locator("#figure-attention .from button").nth(1).click()
    assert "on" in (page.locator("#figure-attention .from button").nth(1).get_attribute("class") or "")
    assert page.evaluate(painted, "#figure-attention canvas")

    assert troubles == []
    context.close()


def test_the_main_table_of_the_published_report_fits_a_screen(browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 844}, offline=True)
    page = context.new_page()
    page.goto((Path(__file__).parents[2] / "docs" / "results" / "report.html").as_uri())
    shown = page.locator("#table-accuracy .scroll")
    assert shown.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert page.locator("header #figure-overview svg").count() == 1
    context.close()
