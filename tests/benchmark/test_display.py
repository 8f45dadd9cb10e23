"""Variables are shown under the names that the text gives them, where a reader could type these."""

from __future__ import annotations

from pathlib import Path

from tests.benchmark.graph_files import write_graph
from tests.benchmark.handmade import sqrt_two

from isarstep.benchmark.building.build import build
from isarstep.benchmark.export.display import Printer
from isarstep.benchmark.store.example import Example
from isarstep.benchmark.store.ids import unique_names
from isarstep.benchmark.store.store import Benchmark


def test_own_names_symbols_and_words_of_notation(tmp_path: Path) -> None:
    build([write_graph(sqrt_two(), tmp_path)], tmp_path / "out", workers=1)
    printer = Printer(Benchmark(tmp_path / "out"), "unicode")
    text = "CONST HOL.Trueprop $ ( CONST Nat.P $ FREE <X0> $ FREE <X1> $ FREE <X2> $ FREE <X3> )"

    def shown(**names: str) -> str:
        return printer.of(Example("e", text, (), None, (), (), names={f"<X{n[1:]}>": own for n, own in names.items()}))(
            text
        )

    assert shown() == "P x₀ x₁ x₂ x₃"
    assert shown(x0="a", x1="\\<phi>", x2="if", x3="y'") == "P a φ x₂ y'"
    assert shown(x0="b") == "P b x₁ x₂ x₃"  # the same text under other names is another text


def test_a_name_that_was_given_twice_gets_a_letter_more() -> None:
    assert unique_names({"<X0>": "x", "<X1>": "x", "<X2>": "xa"}) == {"<X0>": "x", "<X1>": "xa", "<X2>": "xaa"}
