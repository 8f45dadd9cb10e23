from pathlib import Path

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.process.session_roots import TheoryEntry, read_options, read_root, read_roots
from isarstep.isabelle.theory.text.outer_syntax import _PATTERN, outer_tokens

ROOT = r"""
(* comments (* nest *) *)
chapter_definition Logic (main) description "about"
chapter \<open>My chapter\<close>

session "Base-Session" (main timing) in "Base dir" = HOL +
  description \<open>
    With \<open>inner\<close> cartouches and "quotes".
  \<close>
  options [strict_facts, document = false, timeout = 600,
    document_tags = "a%b,c"]
  sessions
    "HOL-Library" HOL
  directories "extra" "$LIB/more"
  theories [quick_and_dirty]
    Alpha  (*first*)
    "sub/Beta"
  theories
    Gamma (global) "HOL-Library.Multiset"
  document_theories "HOL-Library.Multiset"
  document_files (in "doc")
    "root.tex"
  document_files "root.bib"
  export_files (in "out") [2]
    "*:**.ML"
  export_classpath

session Next = "Base-Session" + theories Delta
"""


def test_everything_a_root_may_say(tmp_path: Path):
    (tmp_path / "ROOT").write_text(ROOT)
    base, following = read_root(tmp_path / "ROOT", {"ISABELLE_HOME": "/isabelle", "LIB": "/nonexistent"})
    assert base.name == "Base-Session"
    assert base.groups == ("main", "timing")
    assert base.parent == "HOL"
    assert base.directory == tmp_path / "Base dir"
    assert base.options == (("strict_facts", ""), ("document", "false"), ("timeout", "600"), ("document_tags", "a%b,c"))
    assert base.imports == ("HOL-Library", "HOL")
    assert base.directories == (tmp_path / "Base dir", tmp_path / "Base dir" / "extra", Path("/nonexistent/more"))
    assert base.theories == (
        TheoryEntry("Alpha", False, (("quick_and_dirty", ""),)),
        TheoryEntry("sub/Beta", False, (("quick_and_dirty", ""),)),
        TheoryEntry("Gamma", True, ()),
        TheoryEntry("HOL-Library.Multiset", False, ()),
    )
    assert (following.name, following.parent, following.directory) == ("Next", "Base-Session", tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("session A = B + theories T nonsense [", "expected the next session"),
        ("session A theories T", "expected ="),
        ("session A = B theories T", r"expected \+"),
        ("sessions A", "expected chapter or session"),
        ("session A = B + (* open", "does not end"),
        ('session A = "B', "string begins here and does not end"),
        ("session A = B + options [x", "end of the file"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, text: str, says: str):
    (tmp_path / "ROOT").write_text("\n" + text)
    with pytest.raises(UserError, match=says) as caught:
        list(read_root(tmp_path / "ROOT", {}))
    assert str(tmp_path / "ROOT") in str(caught.value)


def test_roots_are_followed_and_partial_copies_allowed(tmp_path: Path):
    (tmp_path / "ROOTS").write_text("# a comment\none\nnot_there\n")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "ROOT").write_text("session One = Pure + theories T")
    assert [entry.name for entry in read_roots(tmp_path, {})] == ["One"]
    with pytest.raises(UserError, match="neither ROOT nor ROOTS"):
        list(read_roots(tmp_path / "missing", {}))


def test_options(tmp_path: Path):
    path = tmp_path / "options"
    path.write_text(
        'section "Of all kinds"\n'
        'public option threads : int = 0 for build\n  -- "how many (0 = guess)"\n'
        'option document : string = "" (standard "true") for build build_sync -- "a \\"quoted\\" word"\n'
        "option scale : real = -1.5\n"
        "option on : bool = true"
    )
    found = [(option.name, option.type, option.value) for option in read_options(path)]
    assert found == [
        ("threads", "int", "0"),
        ("document", "string", ""),
        ("scale", "real", "-1.5"),
        ("on", "bool", "true"),
    ]


def test_tokens_skip_formal_comments_and_keep_lines():
    text = 'a \\<comment> \\<open>gone\\<close>\n"b\\"c" \\<open>d\\<close> \\<alpha>\\<^sub>1 x.y'
    found = outer_tokens(text, _PATTERN, lambda place, what: UserError(f"{place}: {what}"))
    assert [(token.text, token.quoted, 1 + text.count("\n", 0, token.start)) for token in found] == [
        ("a", False, 1), ('b"c', True, 2), ("d", True, 2), ("\\<alpha>\\<^sub>1", False, 2), ("x.y", False, 2),
    ]  # fmt: skip
