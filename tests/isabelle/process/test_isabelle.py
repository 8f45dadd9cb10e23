from pathlib import Path

import pytest

from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, find_installation, read_header


def test_installation_is_found_and_described(fake):
    found = find_installation()
    assert found.home == fake.home
    assert found.poly == fake.poly / "poly"
    assert (found.identifier, found.ml_system, found.ml_platform) == (
        "Isabelle2025-1",
        "polyml-5.9.2",
        "x86_64_32-linux",
    )
    assert [option.name for option in found.options] == ["threads", "document", "limit"]


def test_what_is_wrong_is_said_plainly(fake, monkeypatch, tmp_path):
    with pytest.raises(UserError, match=r"no Isabelle at .*nowhere"):
        find_installation(tmp_path / "nowhere")
    (fake.home / "ANNOUNCE").write_text("Isabelle2021 is now available.")
    with pytest.raises(
        UserError,
        match="is Isabelle2021, which is none of Isabelle2025-1, Isabelle2025-2, Isabelle2026-RC0, Isabelle2026-after-RC0;",
    ):
        find_installation()
    monkeypatch.delenv("ISABELLE_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="no Isabelle found: set ISABELLE_HOME"):
        find_installation()
    with pytest.raises(UserError, match="not an Isabelle installation"):
        find_installation(tmp_path)


def test_missing_poly(fake, monkeypatch, tmp_path):
    monkeypatch.delenv("ML_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="no Poly/ML"):
        find_installation()


def test_theories_of_sessions_in_dependency_order(fake):
    sessions = Sessions(find_installation())
    assert [theory.name for theory in sessions.all_theories("Small-More")] == [
        "Small.A", "Small.B", "Small.C", "Small-More.X", "Small-More.Y", "Small-More.Z",
    ]  # fmt: skip
    assert [theory.name for theory in sessions.own_theories("Other")] == ["Other.O"]
    assert sessions.requirements("Other") == ("Pure", "Small", "Other")
    assert sessions.theory("Small-More.X", "test").conditions == ("ISARSTEP_NO_SUCH",)


def test_a_header_gives_options_before_those_of_its_root(fake):
    (fake.home / "src" / "Small" / "ROOT").write_text("session Small = Pure + options [b = 1] theories [b = 3] A")
    (fake.home / "src" / "Small" / "A.thy").write_text("theory A imports Pure options [b = 2] begin end")
    assert Sessions(find_installation()).theory("Small.A", "test").options == (("b", "1"), ("b", "2"), ("b", "3"))


def test_unknown_things(fake):
    sessions = Sessions(find_installation())
    with pytest.raises(UserError, match=r"unknown session HOL-More .did you mean Small-More"):
        sessions["HOL-More"]
    fake.write("Small/Other", "O", '"Nowhere.T"')
    with pytest.raises(UserError, match=r"Other\.O imports Nowhere\.T, but session Nowhere is unknown"):
        sessions.all_theories("Other")
    fake.write("Small", "C", "A D")
    with pytest.raises(UserError, match=r"Small\.C needs theory Small\.D, but there is no file"):
        sessions.all_theories("Small")


def test_cyclic_imports(fake):
    fake.write("Small", "A", "C")
    with pytest.raises(UserError, match="cyclic imports"):
        Sessions(find_installation()).all_theories("Small")


def test_further_directories(fake, tmp_path):
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "ROOT").write_text("session Extra = Small + theories E")
    (extra / "E.thy").write_text('theory E imports "Small.C" keywords "foo" :: thy_decl begin end')
    sessions = Sessions(find_installation(), [extra])
    assert sessions.all_theories("Extra")[-1].imports == ("Small.C",)
    with pytest.raises(UserError, match="no session directory"):
        Sessions(find_installation(), [tmp_path / "nope"])


def test_headers(tmp_path: Path):
    path = tmp_path / "T.thy"
    path.write_text(
        "(* c *)\nchapter \\<open>One\\<close>\ntext\\<^marker>\\<open>tag x\\<close> \\<open>theory Fake imports Wrong\\<close>\n"
        'theory %invisible T\nimports Main "HOL-Library.Set" "~~/src/X/Y"\nkeywords "a" :: thy_decl\nbegin\nimports Z'
    )
    assert read_header(path) == (("Main", "HOL-Library.Set", "~~/src/X/Y"), ())
    path.write_text(
        'theory T imports Main options [quick_and_dirty, names_limit = 3] keywords "a" :: thy_decl begin end'
    )
    assert read_header(path) == (("Main",), (("quick_and_dirty", ""), ("names_limit", "3")))
    path.write_text("theory U imports Main begin end")
    with pytest.raises(UserError, match="does not fit"):
        read_header(path)
