"""MathML from the printer's LaTeX: which element each piece becomes, and what is said of what is no LaTeX."""

import pytest

from isarstep.isabelle.syntax.writing.mathml import translate

HEAD, TAIL = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow>', "</mrow></math>"
X, Y, N = "<mi>x</mi>", "<mi>y</mi>", "<mi>n</mi>"
BAR = 'stretchy="false" lspace="0" rspace="0"'


def sign(character: str) -> str:
    return f'<mo stretchy="false">{character}</mo>'


def row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


ONE, TWO = row("<mn>1</mn>"), row("<mn>2</mn>")


@pytest.mark.parametrize(
    ("latex", "xml"),
    [
        ("x + 12", f"{X}{sign('+')}<mn>12</mn>"),
        ("x < y > [x]", f"{X}{sign('&lt;')}{Y}{sign('&gt;')}{sign('[')}{X}{sign(']')}"),
        ("x_{1}", f"<msub>{X}{ONE}</msub>"),
        ("x^{2}", f"<msup>{X}{TWO}</msup>"),
        ("x_{1}^{2}", f"<msubsup>{X}{ONE}{TWO}</msubsup>"),
        ("x^{2}_{1}", f"<msubsup>{X}{ONE}{TWO}</msubsup>"),
        ("x_y", f"<msub>{X}{Y}</msub>"),
        ("{x}^{2}", f"<msup>{row(X)}{TWO}</msup>"),
        ("_{1}", f"<msub>{row()}{ONE}</msub>"),
        (r"^{\circ}", f"<msup>{row()}{row('<mo>∘</mo>')}</msup>"),
        ("x'", f"<msup>{X}<mo>′</mo></msup>"),
        ("x''_{1}", f"<msubsup>{X}{ONE}<mo>′′</mo></msubsup>"),
        (r"\sum_{1}^{2} x", f"<munderover><mo>∑</mo>{ONE}{TWO}</munderover>{X}"),
        (r"\int_{1}^{2} x", f"<msubsup><mo>∫</mo>{ONE}{TWO}</msubsup>{X}"),
        (r"\lim_{x \to y} n", f"<munder><mi>lim</mi>{row(X, '<mo>→</mo>', Y)}</munder>{N}"),
        (r"\exp_{1} x", f"<msub><mi>exp</mi>{ONE}</msub>{X}"),
        (r"\frac{x}{y}n", f"<mfrac>{row(X)}{row(Y)}</mfrac>{N}"),
        (r"\frac{x}{\sqrt{y}}", f"<mfrac>{row(X)}{row(f'<msqrt>{row(Y)}</msqrt>')}</mfrac>"),
        (r"\binom{n}{x}", row(f'<mo>(</mo><mfrac linethickness="0">{row(N)}{row(X)}</mfrac><mo>)</mo>')),
        (r"\sqrt[{n}]{x}y", f"<mroot>{row(X)}{row(N)}</mroot>{Y}"),
        (r"\overline{x}", f'<mover accent="true">{row(X)}<mo>¯</mo></mover>'),
        (r"\xrightarrow{x}", f'<mover><mo stretchy="true">→</mo>{row(X)}</mover>'),
        (r"\mathrm{a\_b}\;\mathit{xs}", '<mi mathvariant="normal">a_b</mi><mspace width="0.28em"/><mi mathvariant="italic">xs</mi>'),
        (r"\mathcal{A}_{1}", f'<msub><mi mathvariant="script">A</mi>{ONE}</msub>'),
        (r"\mathrm{\alpha}", '<mi mathvariant="normal">α</mi>'),
        (r"x\mathbin{\mathrm{mod}}y", f"{X}<mo>mod</mo>{Y}"),
        (r"\mathbin{\&\&\&}", "<mo>&amp;&amp;&amp;</mo>"),
        (r"\mathbin{\alpha\,\{x\}}y", f"<mo>α {{x}}</mo>{Y}"),
        (r"x\,x\!x\ x", f'{X}<mspace width="0.17em"/>{X}<mspace width="-0.17em"/>{X}<mspace width="0.33em"/>{X}'),
        (r"\{x \mid y\}", f"<mo>{{</mo>{X}<mo>∣</mo>{Y}<mo>}}</mo>"),
        (r"\lvert x\rvert", f'<mo form="prefix" {BAR}>|</mo>{X}<mo form="postfix" {BAR}>|</mo>'),
        (r"\lVert x\rVert", f'<mo form="prefix" {BAR}>‖</mo>{X}<mo form="postfix" {BAR}>‖</mo>'),
        (r"\lambda x", f"<mi>λ</mi>{X}"),
    ],
)  # fmt: skip
def test_pieces_of_latex_become_elements(latex: str, xml: str) -> None:
    assert translate(latex) == HEAD + xml + TAIL


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\unknown", r"unknown command \unknown"),
        ("{x", "a brace is not closed"),
        ("x}", "a brace too many"),
        ("x_{1}_{2}", "two scripts at one place: _"),
        ("x^{1}^{2}", "two scripts at one place: ^"),
        ("x'^{2}", "two scripts at one place: ^"),
        (r"\frac{1}", "frac lacks its argument"),
        (r"{\sqrt}", "sqrt lacks its argument"),
        ("x^", "^ lacks its argument"),
        ("x__1", "_ where an argument should stand"),
        (r"\frac^1", "^ where an argument should stand"),
        (r"\mathrm x", r"\mathrm needs plain text in braces"),
        (r"\mathrm{a{b}}", r"\mathrm needs plain text in braces"),
        (r"\mathbin{x", "a brace is not closed"),
        ("é", "'é' is not plain LaTeX"),
    ],
)
def test_what_is_no_latex_is_said(latex: str, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        translate(latex)
    assert str(error.value) == message
