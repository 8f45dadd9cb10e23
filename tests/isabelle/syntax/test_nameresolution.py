"""Name spaces: what a short name means, by which name a constant is called, and names that are nearly others."""

import pytest

from isarstep.isabelle.syntax.grammar.name_resolution import NameSpace, accesses


@pytest.mark.parametrize(
    ("name", "optional", "calls"),
    [
        ("A.b.c", "", ["c", "A.c", "b.c", "A.b.c"]),
        ("A.b.c", "000", ["A.b.c"]),
        ("A.b.c", "010", ["A.c", "A.b.c"]),
        ("A.b.c", "11", ["c", "A.c", "b.c", "A.b.c"]),  # not one for each part: all but the last may be left out
        ("A", "0", ["A"]),
        ("c", "1", ["c"]),
    ],
)
def test_names_by_which_something_may_be_called(name: str, optional: str, calls: list[str]) -> None:
    assert accesses(name, optional) == calls


def test_of_several_the_last_one_is_meant_and_others_instead_of_it():
    space = NameSpace(["A.size", "B.size", "C.size", "A.list.map"])
    assert [space.resolve("size", instead) for instead in range(5)] == [
        "C.size",
        "B.size",
        "A.size",
        "A.size",
        "A.size",
    ]
    assert space.candidates("size") == ["C.size", "B.size", "A.size"]
    assert (space.resolve("nope"), space.resolve("nope", 1), space.resolve("list.map", 1)) == (None, None, "A.list.map")
    assert [space.shortest(name) for name in ("A.size", "C.size", "A.list.map")] == ["A.size", "size", "map"]


def test_what_is_hidden_needs_more_of_its_name_or_has_none():
    space = NameSpace(["A.length", "B.size", "C.rev"])
    space.hidden.update({"A.length": True, "B.size": False})
    assert [space.resolve(text) for text in ("length", "A.length", "size", "B.size", "rev")] == [
        None, "A.length", None, None, "C.rev",
    ]  # fmt: skip
    assert [space.shortest(name) for name in ("A.length", "B.size", "C.rev")] == ["A.length", "B.size", "rev"]
    assert space.candidates("size") == ["B.size"]


def test_what_a_theory_hides_at_its_end_may_be_called_in_it_and_is_written_as_others_need_it():
    space = NameSpace(["A.length", "B.length"])
    space.hidden.update({"A.length": True, "B.length": True})
    space.half_hidden.add("A.length")
    assert (space.resolve("length"), space.shortest("A.length"), space.resolve("x.length")) == (
        "A.length",
        "A.length",
        None,
    )
    open_there = NameSpace(["A.length"])
    open_there.half_hidden.add("A.length")
    assert (open_there.resolve("length"), open_there.shortest("A.length")) == ("A.length", "A.length")


def test_a_second_name_means_the_first_where_nothing_else_has_it():
    space = NameSpace(["A.x", "B.x", "B.old"])
    space.alias("A.x", "C.y", "10")
    space.alias("B.x", "D.y", "00")
    space.alias("B.x", "C.old", "10")
    assert [space.resolve(text) for text in ("y", "C.y", "D.y", "old", "C.old")] == [
        "A.x",
        "A.x",
        "B.x",
        "B.old",
        "B.x",
    ]


def test_names_of_later_theories_come_later_and_of_one_theory_nobody_knows_which():
    ranks = {"A": 5, "B": 3}
    space = NameSpace(["A.x", "B.x", "B.q.x", "B.y"], rank=lambda name: ranks[name[0]])
    assert space.resolve("x") == "A.x"
    assert space.candidates("x") == ["A.x", "B.q.x", "B.x"]
    assert [space.shortest(name) for name in ("A.x", "B.x", "B.q.x", "B.y")] == ["x", "B.x", "q.x", "y"]
    same = NameSpace(["B.p.x", "B.q.x"], rank=lambda name: 0)
    assert [same.shortest(name) for name in ("B.p.x", "B.q.x")] == ["p.x", "q.x"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("Length", "length"), ("lenght", "length"), ("lengt", "length"), ("llength", "length"), ("lengthh", "length"),
     ("sice", "size"), ("rEv", "rev"), ("length", None), ("lenhgt", None), ("elngth", "length"), ("lngeth", None),
     ("len", None), ("lengthxx", None), ("x1", None), ("xone", None)],
)  # fmt: skip
def test_a_name_is_like_another_but_for_one_slip(written: str, meant: str | None) -> None:
    space = NameSpace(["A.length", "B.size", "C.rev", "D.x2", "E.xzne.hidden"])
    space.hidden["A.gone"] = False
    assert space.like(written) == meant


def test_what_nothing_is_called_by_is_like_nothing():
    space = NameSpace(["A.lengtj", "A.length"])
    space.hidden["A.lengtj"] = False
    assert space.like("lengtx") == "length"
