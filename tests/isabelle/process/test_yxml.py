import pytest
from hypothesis import given
from hypothesis import strategies as st

from isarstep.isabelle.process import yxml

texts = st.text(st.characters(exclude_characters="\x05\x06", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(texts, texts)))
def test_lists_of_pairs_survive(pairs):
    encoded = yxml.listing(yxml.pair(yxml.string, yxml.string))(pairs)
    decoded = [yxml.decode_pair(item) for item in yxml.decode_list(yxml.parse(encoded))]
    assert [(yxml.content(a), yxml.content(b)) for a, b in decoded] == pairs


def test_exact_bytes():
    assert yxml.pair(yxml.string, yxml.boolean)(("a", True)) == b"\x05\x06:\x05a\x05\x06\x05\x05\x06:\x051\x05\x06\x05"
    assert yxml.properties([("k", "v=w")]) == b"\x05\x06:\x06k=v=w\x05\x05\x06\x05"
    assert yxml.option(yxml.integer)(None) == b""


def test_content_drops_markup():
    assert yxml.content(yxml.parse(b"one \x05\x06position\x06line=3\x05two\x05\x06\x05 three")) == "one two three"


@pytest.mark.parametrize(
    "bad", [b"\x05\x06a\x05", b"\x05\x06\x05", b"\x05\x06a\x06x\x05\x05\x06\x05", b"\x05\x06\x06x=1\x05\x05\x06\x05"]
)
def test_malformed_is_refused(bad):
    with pytest.raises(ValueError, match="malformed YXML"):
        yxml.parse(bad)


def test_control_characters_are_refused():
    with pytest.raises(ValueError, match="control characters"):
        yxml.string("a\x05b")
