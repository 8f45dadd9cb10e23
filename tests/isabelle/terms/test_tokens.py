"""The token codec: the paper's encodings, exact round trips, variants of the wild, errors that point, hostile input."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.isabelle.syntax.paper_examples import EVEN_A, FALSE_IMPLIES_P, VALIDATION_605
from tests.isabelle.syntax.strategies import propositions, terms
from tests.work import at_most

from isarstep.common.errors import UserError
from isarstep.isabelle.inference.infer import well_formed
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature
from isarstep.isabelle.terms import hol
from isarstep.isabelle.terms.terms import Abs, App, Bound, Const, Free, Term, Var, erase
from isarstep.isabelle.terms.tokens import TokenError, decode, encode, encode_line

a, b, f, x = Const("a"), Const("b"), Free("f"), Free("x")

VOCABULARY = ["CONST", "FREE", "VAR", "BOUND", "ABS", "$", "(", ")", "0", "1", "HOL.eq", "<X0>", "<V0>", "((", "x)"]


def test_the_papers_encodings() -> None:
    even = hol.trueprop(hol.apply("Parity.semiring_parity_class.even", Free("<X0>")))
    assert encode_line(even) == EVEN_A
    assert decode(EVEN_A) == even
    glued = "CONST HOL.Trueprop $ (CONST Parity.semiring_parity_class.even $ FREE <X0>)"  # as the paper prints it
    assert decode(glued, strict=False) == even
    false_implies_p = hol.pure_imp(hol.trueprop(Const("HOL.False")), hol.trueprop(Var("<V0>")))
    assert encode_line(false_implies_p) == FALSE_IMPLIES_P
    assert decode(FALSE_IMPLIES_P) == false_implies_p


@pytest.mark.parametrize(
    ("term", "tokens"),
    [
        (a, "CONST a"),
        (Bound(12), "BOUND 12"),
        (App(App(f, x), a), "FREE f $ FREE x $ CONST a"),
        (App(f, App(f, x)), "FREE f $ ( FREE f $ FREE x )"),
        (App(f, Abs("", None, Bound(0))), "FREE f $ ( ABS BOUND 0 )"),
        (App(Abs("", None, Bound(0)), a), "( ABS BOUND 0 ) $ CONST a"),
        (Abs("", None, Abs("", None, App(Bound(1), Bound(0)))), "ABS ABS BOUND 1 $ BOUND 0"),
        (Abs("", None, App(Abs("", None, Bound(0)), a)), "ABS ( ABS BOUND 0 ) $ CONST a"),
        (App(App(f, App(Abs("", None, Bound(0)), a)), b), "FREE f $ ( ( ABS BOUND 0 ) $ CONST a ) $ CONST b"),
        (Var("x", 3), "VAR x.3"),
        (Var("x.3", 0), "VAR x.3.0"),
    ],
)
def test_brackets_stand_only_where_needed(term: Term, tokens: str) -> None:
    assert encode_line(term) == tokens
    assert decode(tokens) == term
    assert decode(tokens, strict=False) == term


@given(terms)
def test_decode_undoes_encode(term: Term) -> None:
    assert decode(encode(term)) == erase(term)
    assert decode(encode(term), strict=False) == erase(term)


@given(terms, terms)
def test_encodings_are_equal_exactly_when_erasures_are(left: Term, right: Term) -> None:
    assert (encode(left) == encode(right)) == (erase(left) == erase(right))


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14))
def test_strict_reading_accepts_only_what_encode_writes(tokens: list[str]) -> None:
    try:
        term = decode(tokens)
    except TokenError as error:
        assert 0 <= error.position <= len(tokens)
        assert error.found == (tokens[error.position] if error.position < len(tokens) else None)
    else:
        assert encode(term) == tokens


@given(propositions(), st.data())
def test_damage_is_noticed(term: Term, data: st.DataObject) -> None:
    tokens = encode(term)
    position = data.draw(st.integers(0, len(tokens) - 1))
    damaged = tokens[:position] + tokens[position + 1 :]
    try:
        assert encode(decode(damaged)) == damaged
    except TokenError:
        pass


@pytest.mark.parametrize(
    ("wild", "clean"),
    [
        ("FREE f $ ABS BOUND 0 $ CONST a", "FREE f $ ( ABS BOUND 0 $ CONST a )"),
        ("FREE f $ ( CONST a $ ABS BOUND 0 ) $ CONST b", "FREE f $ ( CONST a $ ( ABS BOUND 0 ) ) $ CONST b"),
        ("FREE f $ ABS CONST a $ ABS BOUND 1", "FREE f $ ( ABS CONST a $ ( ABS BOUND 1 ) )"),
        ("VAR <V0> 0 $ VAR <V1> 2", "VAR <V0> $ VAR <V1>.2"),
        ("((CONST a)) $ (CONST b)", "CONST a $ CONST b"),
        ("(CONST f $ (CONST g $ CONST a))", "CONST f $ ( CONST g $ CONST a )"),
        ("( ABS BOUND 0 )", "ABS BOUND 0"),
        ("( CONST f $ CONST a ) $ CONST b", "CONST f $ CONST a $ CONST b"),
    ],
)
def test_variants_of_the_wild(wild: str, clean: str) -> None:
    assert encode_line(decode(wild, strict=False)) == clean
    with pytest.raises(TokenError):
        decode(wild)


@pytest.mark.parametrize(
    ("tokens", "position", "found", "expected"),
    [
        ("", 0, None, "CONST, FREE, VAR, BOUND, ABS or '('"),
        ("CONST", 1, None, "the name of a constant"),
        ("CONST $", 1, "$", "the name of a constant"),
        ("CONST a $", 3, None, "CONST, FREE, VAR, BOUND or '('"),
        ("CONST a CONST b", 2, "CONST", "'$' or the end"),
        ("CONST a )", 2, ")", "'$' or the end"),
        ("CONST a $ ( CONST b", 6, None, "'$' or ')'"),
        ("CONST a $ ( CONST b )", 6, ")", "'$', because a single name is not bracketed"),
        ("CONST a $ ABS BOUND 0", 3, "ABS", "CONST, FREE, VAR, BOUND or '('"),
        ("BOUND x", 1, "x", "the index of a bound variable"),
        ("BOUND -1", 1, "-1", "the index of a bound variable"),
        ("BOUND 007", 1, "007", "the index of a bound variable"),
        ("( CONST a $ CONST b ) $ CONST c", 1, "CONST", "ABS, because"),
        ("( ABS BOUND 0 )", 5, None, "'$', because"),
        ("VAR <V0> 0", 2, "0", "'$' or the end"),
        ("LAMBDA x", 0, "LAMBDA", "CONST, FREE, VAR, BOUND, ABS or '('"),
    ],
)
def test_errors_say_where_what_and_what_instead(tokens: str, position: int, found: str | None, expected: str) -> None:
    with pytest.raises(TokenError) as caught:
        decode(tokens)
    error = caught.value
    assert (error.position, error.found) == (position, found)
    assert error.expected.startswith(expected)
    assert f"token {position}" in str(error)
    assert "\n" not in str(error)


def test_every_sample_line_decodes_strictly_and_encodes_back() -> None:
    lines = [line for example in sample_examples() for line in example.propositions()]
    assert len(lines) > 2500
    for line in lines:
        assert encode_line(decode(line)) == line
    for line in VALIDATION_605.values():
        assert encode_line(decode(line)) == line


@pytest.mark.parametrize("shape", ["argument", "function", "abstraction", "head"])
def test_fifty_thousand_levels(shape: str) -> None:
    depth = 50_000
    line = {
        "argument": "FREE f $ ( " * (depth - 1) + "FREE f $ FREE x" + " )" * (depth - 1),
        "function": "FREE f" + " $ FREE x" * depth,
        "abstraction": "ABS " * depth + "BOUND 0",
        "head": "( ABS " * depth + "BOUND 0" + " ) $ CONST a" * depth,
    }[shape]
    term = decode(line)
    assert term == decode(line)
    assert encode_line(term) == line
    assert decode(line, strict=False) == term
    assert len(repr(term)) > depth


def hostile() -> list[object]:
    rng = random.Random(605)
    real = sample_examples()[0].f3.split()
    return [
        *([rng.choice(VOCABULARY) for _ in range(rng.randint(0, 60))] for _ in range(2000)),
        *(real[:n] for n in range(len(real))),
        *(rng.sample(real, len(real)) for _ in range(200)),
        "(" * 100_000,
        ")" * 100_000,
        "( " * 50_000,
        ") " * 50_000,
        "(" * 50_000 + ")" * 50_000,
        "ABS " * 25_000,
        "ABS ( " * 16_000,
        "CONST a $ " * 10_000,
        "CONST HOL.Trueprop $ ( " * 4_000,
        "FREE f $ FREE f $ ( " * 5_000,
        "BOUND " + "9" * 100_000,
        "CONST " + "a" * 100_000,
        "VAR " + "x.1" * 30_000,
        "\x00 \ud800 \ufffd",
        b"\xff\xfe\x00CONST a $".decode("utf-8", errors="surrogateescape"),
        "",
        " \t\n",
        [""],
        ["CONST", " "],
        ["CONST", ""],
    ]


@pytest.mark.parametrize("strict", [True, False])
def test_hostile_input_ends_in_our_error_after_little_work(strict: bool) -> None:
    for tokens in hostile():
        try:
            with at_most(20 * len(tokens) + 20_000):
                decode(tokens, strict=strict)  # type: ignore[arg-type]
        except UserError as error:
            assert len(str(error)) < 1000


def test_hostile_input_is_judged_after_little_work() -> None:
    signature = sample_signature()
    doubling = "CONST Product_Type.Pair $ BOUND 0 $ BOUND 0"
    explosion = "FREE x"
    for _ in range(60):  # every level doubles the type
        explosion = f"( ABS {doubling} ) $ ( {explosion} )" if "$" in explosion else f"( ABS {doubling} ) $ {explosion}"
    chain = "FREE f" + "".join(f" $ FREE x{n}" for n in range(20_000))
    for tokens in [*hostile(), explosion, f"CONST HOL.Trueprop $ ( {chain} )"]:
        with at_most(20 * len(tokens) + 20_000_000):  # what inference spends on a type before it gives up
            judgement = well_formed(tokens, signature)  # type: ignore[arg-type]
        assert judgement or (judgement.reason and len(judgement.reason) < 2000)
    assert not well_formed(explosion, signature)
    assert well_formed(f"CONST HOL.Trueprop $ ( {chain} )", signature)
