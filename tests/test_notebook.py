"""What `print` and a notebook show of examples, formulas, steps and sketches."""

import re

from isarstep.benchmark.store.example import Example
from isarstep.isabelle.syntax.reading.reader import Reading
from isarstep.isabelle.terms.terms import Type
from isarstep.isabelle.terms.tokens import decode
from isarstep.prover.outcomes.step import Step, Steps
from isarstep.prover.outcomes.verdict import Proved, TimedOut


def line(left: str, right: str, relation: str = "Orderings.ord_class.less_eq") -> str:
    return f"CONST HOL.Trueprop $ ( CONST {relation} $ {left} $ {right} )"


X, Y, Z = "FREE <X0>", "FREE <X1>", "FREE <X2>"
EXAMPLE = Example(
    "0123456789ab",
    f1=line(X, Z),
    f2=(line(X, Y), line(Y, Z)),
    f3=line(X, "( CONST Mine.bound $ FREE <X2> )", "Orderings.ord_class.less"),
    f4=("no term",),
    f5=(),
    names={"<X0>": "x", "<X1>": "mid", "<X2>": "\\<beta>"},
    theory="Mine",
    name="Mine.lemma",
)


def step(text: str, left: str, **verdicts: object) -> Step:
    term = decode(line(f"FREE {left}", "FREE z"))
    return Step(0, "", term, text, -1.0, **verdicts)  # type: ignore[arg-type]


def test_an_example_is_printed_in_notation_under_the_authors_names() -> None:
    assert str(EXAMPLE).splitlines() == [
        "0123456789ab  Mine, Mine.lemma",
        "   fact  x ≤ mid",
        "   fact  mid ≤ β",
        " target  x ≤ β",
        "  other  no term",
        "   goal  x < bound β",
    ]


def test_a_notebook_shows_it_in_latex() -> None:
    shown = EXAMPLE._repr_markdown_().splitlines()
    assert shown[0] == r"- fact $x \le \mathit{mid}$"
    assert shown[3] == "- other `no term`"


def test_a_name_that_cannot_be_written_is_left_to_the_number() -> None:
    other = Example("0", EXAMPLE.f1, (), None, (), (), names={"<X0>": "if", "<X2>": "z"})
    assert str(other).splitlines()[1] == " target  x₀ ≤ z"


def test_fields_have_names() -> None:
    named = (EXAMPLE.target, EXAMPLE.facts, EXAMPLE.goal, EXAMPLE.others, EXAMPLE.hints)
    assert named == (EXAMPLE.f1, EXAMPLE.f2, EXAMPLE.f3, EXAMPLE.f4, EXAMPLE.f5)


def test_a_formula() -> None:
    number = Type("Nat.nat")
    reading = Reading(decode(line("FREE x", "FREE y")), {"x": number, "y": number})
    assert str(reading) == "x ≤ y"
    assert reading._repr_markdown_() == r"$x \le y$"


def test_steps_are_a_table() -> None:
    proved = Proved("E", 0.5, ("F.2(1)",), 32)
    found = Steps([step("x < z", "x", first=proved, second=TimedOut(1.0)), step("y ≤ z", "y", reason="a < b")])
    assert str(found).splitlines() == [" 1  x < z", " 2  y ≤ z"]
    rows = re.findall(r"<tr>(.*?)</tr>", found._repr_html_())
    assert re.findall(r"<td>(.*?)</td>", rows[1]) == ["1", "x &lt; z", str(proved), str(TimedOut(1.0)), ""]
    assert re.findall(r"<td>(.*?)</td>", rows[2]) == ["2", "y ≤ z", "ill-formed: a &lt; b", "", ""]
    assert found[0]._repr_markdown_() == r"$x \le z$"
