"""The table of releases, and an official download: a wrapper script on the PATH, settings that only its own tool knows, Poly/ML and
images where those settings say."""

import json
import sys
from pathlib import Path

import pytest

from isarstep import cli
from isarstep.common.errors import UserError
from isarstep.isabelle.process import release, yxml
from isarstep.isabelle.process.images import Images
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.ml_process import options_file, scala_result, session_file

OLD, NEW = release.RELEASES[1], release.RELEASES[2]

# What `isabelle install` writes.
WRAPPER = '#!/usr/bin/env bash\n\nexec "{home}/bin/isabelle" "$@"\n'

# The part of bin/isabelle that is asked: `getenv -a` and `getenv -b NAME`.
TOOL = """#!/usr/bin/env bash
export ISABELLE_HOME="{home}" ISABELLE_HEAPS="{user}/heaps" ISABELLE_HEAPS_SYSTEM="{home}/heaps"
export POLYML_HOME="{poly}" ML_SYSTEM="polyml-5.9.2"
[ "$1" = getenv ] || exit 2
case "$2" in
  -a) env ;;
  -b) echo "${{!3}}" ;;
esac
"""


@pytest.fixture
def download(fake, tmp_path, monkeypatch):
    """The fake Isabelle as an official download, found by the wrapper script alone."""
    (fake.home / "etc" / "ISABELLE_IDENTIFIER").write_text("Isabelle2025-2\n")
    (fake.home / "contrib").mkdir()
    # Where only the settings know: a user may have moved both.
    component = tmp_path / "components" / "polyml-5.9.2-2"
    user = tmp_path / "user" / "Isabelle2025-2"
    (fake.home / "bin").mkdir()
    program(fake.home / "bin" / "isabelle", TOOL.format(home=fake.home, user=user, poly=component))
    on_path = tmp_path / "usr-local-bin"
    on_path.mkdir()
    program(on_path / "isabelle", WRAPPER.format(home=fake.home))
    for name in ("ISABELLE_HOME", "ML_HOME", "POLYML_HOME", "ML_SYSTEM", "ML_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{on_path}:/usr/bin:/bin")
    return fake, component, user


# Whatever this machine is: machine, folder of Poly/ML, what `poly -v` says.
LINUX = [("x86_64", "x86_64_32-linux", "X86_64_32"), ("aarch64", "arm64_32-linux", "Arm64_32")]


def program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def poly_of(component: Path, fake, platform: str, version: str) -> Path:
    path = component / platform / "poly"
    path.parent.mkdir(parents=True)
    program(path, (fake.poly / "poly").read_text().replace("X86_64_32", version))
    return path


@pytest.mark.parametrize(
    ("machine", "system", "platform", "version"),
    [
        ("x86_64", "linux", "x86_64_32-linux", "X86_64_32"),
        ("aarch64", "linux", "arm64_32-linux", "Arm64_32"),
        ("arm64", "darwin", "arm64_32-darwin", "Arm64_32"),
        ("x86_64", "darwin", "x86_64_32-darwin", "X86_64_32"),
    ],
)
def test_an_official_download_is_served_as_it_is(download, monkeypatch, machine, system, platform, version):
    fake, component, user = download
    monkeypatch.setattr(release.platform, "machine", lambda: machine)
    monkeypatch.setattr(sys, "platform", system)
    poly_of(component, fake, platform.replace("_32", ""), version.replace("_32", ""))  # there too, and second choice
    poly = poly_of(component, fake, platform, version)
    heaps = user / "heaps" / f"polyml-5.9.2_{platform}"
    heaps.mkdir(parents=True)
    (heaps / "Pure").write_text("image of Pure")
    found = find_installation()
    assert (found.home, found.identifier, found.release) == (fake.home, "Isabelle2025-2", OLD)
    assert (found.poly, found.ml_system, found.ml_platform) == (poly, "polyml-5.9.2", platform)
    assert found.image("Pure") == heaps / "Pure"
    assert found.environment["POLYML_HOME"] == str(component)
    assert found.environment["ML_HOME"] == str(poly.parent)


@pytest.mark.parametrize(("machine", "platform", "version"), LINUX)
def test_an_official_download_is_mined(download, tmp_path, capfd, monkeypatch, machine, platform, version):
    fake, component, user = download
    monkeypatch.setattr(release.platform, "machine", lambda: machine)
    poly_of(component, fake, platform, version)
    heaps = user / "heaps" / f"polyml-5.9.2_{platform}"
    heaps.mkdir(parents=True)
    (heaps / "Pure").write_text("image of Pure")
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert "building Pure" not in capfd.readouterr().err
    assert {path.name for path in (tmp_path / "out" / "Small").iterdir()} == {f"{name}.jsonl.zst" for name in "ABC"}


@pytest.mark.parametrize(("machine", "platform", "version"), LINUX)
def test_a_download_whose_tool_does_not_run(download, monkeypatch, machine, platform, version):
    """Then Poly/ML is where downloads keep it, and images are in the home folder."""
    fake, _, _ = download
    monkeypatch.setattr(release.platform, "machine", lambda: machine)
    program(fake.home / "bin" / "isabelle", "#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("ISABELLE_HOME", str(fake.home))
    poly = poly_of(fake.home / "contrib" / "polyml-5.9.2-2", fake, platform, version)
    heaps = Path.home() / ".isabelle" / "Isabelle2025-2" / "heaps" / f"polyml-5.9.2_{platform}"
    heaps.mkdir(parents=True)
    (heaps / "Pure").write_text("image of Pure")
    found = find_installation()
    assert found.poly == poly
    assert found.image("Pure") == heaps / "Pure"


def test_a_component_that_does_not_fit_the_machine(download, monkeypatch):
    fake, component, _ = download
    monkeypatch.setattr(release.platform, "machine", lambda: "aarch64")
    poly_of(component, fake, "x86_64_32-linux", "X86_64_32")
    with pytest.raises(UserError, match=r"no Poly/ML for .*POLYML_HOME"):
        find_installation()


def test_a_wrapper_that_says_nothing(download, tmp_path):
    program(tmp_path / "usr-local-bin" / "isabelle", "#!/bin/sh\nexit 1\n")
    with pytest.raises(UserError, match="does not say where its Isabelle is; set ISABELLE_HOME"):
        find_installation()


@pytest.mark.parametrize(
    ("stated", "announced", "expected"),
    [
        ("Isabelle2025-1", "Isabelle2025-1", "Isabelle2025-1"),
        ("", "Isabelle2025-2", "Isabelle2025-2"),
        ("", "Isabelle2026", "Isabelle2026-RC0"),
        ("Isabelle2026-RC0", "Isabelle2026", "Isabelle2026-RC0"),
    ],
)
def test_releases_by_the_names_that_they_give_themselves(fake, stated, announced, expected):
    (fake.home / "ANNOUNCE").write_text(f"Subject: Announcing Isabelle2025-1\n\n{announced} is now available.\n")
    if stated:
        (fake.home / "etc" / "ISABELLE_IDENTIFIER").write_text(stated)
    found = find_installation()
    assert (found.identifier, found.release.name) == (expected, expected)


TOPLEVEL = "src/Pure/Isar/toplevel.ML"
BEGINS = {
    "Isabelle2026-RC0": "type init = unit -> theory\n",
    "Isabelle2026-after-RC0": "  type init = unit -> {skipped: bool, theory: theory}\n",
}


def sources(home: Path, name: str) -> None:
    """Bare sources of 2026, which announce the release before and after its first candidate."""
    (home / "ANNOUNCE").write_text("Isabelle2026 is now available.\n")
    (home / TOPLEVEL).parent.mkdir(parents=True, exist_ok=True)
    (home / TOPLEVEL).write_text(f"signature TOPLEVEL =\nsig\n{BEGINS[name]}end;\n")


@pytest.mark.parametrize("name", BEGINS)
def test_sources_with_one_announcement_are_told_apart(fake, name):
    sources(fake.home, name)
    found = find_installation()
    assert (found.identifier, found.release.name) == (name, name)
    assert ("Release_2026_Later.ML" in found.release.words) == (name == "Isabelle2026-after-RC0")
    (fake.home / "etc" / "ISABELLE_IDENTIFIER").write_text("Isabelle2026-RC1")  # a download that is not known
    assert find_installation(any_release=True).release.name == name


def test_sources_that_no_release_fits_are_refused_in_one_line(fake, tmp_path, capfd):
    """As Poly/ML put it when a theory's beginning had become a record."""
    sources(fake.home, "Isabelle2026-RC0")
    complaint = r"""print("error: Reason: Can't unify theory to {skipped: bool} Error trying to use the file: '/some/where/Driver.ML'")
sys.exit(1)
address, password ="""
    program(fake.poly / "poly", (fake.poly / "poly").read_text().replace("address, password =", complaint))
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1] == (
        f"isarstep: {fake.home} was taken for Isabelle2026-RC0, but Driver.ML does not compile there: its sources are"
        " of none of Isabelle2025-1, Isabelle2025-2, Isabelle2026-RC0, Isabelle2026-after-RC0"
    )
    assert "unify" not in said.err


def test_an_unknown_release(fake, tmp_path, capfd):
    (fake.home / "etc" / "ISABELLE_IDENTIFIER").write_text("Isabelle2026")  # the release, which nobody has seen
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out")]) == 2
    [line] = capfd.readouterr().err.splitlines()
    assert line.endswith(
        "is Isabelle2026, which is none of Isabelle2025-1, Isabelle2025-2, Isabelle2026-RC0, Isabelle2026-after-RC0; --any-release tries it all the same"
    )
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--any-release"]) == 0
    assert find_installation(any_release=True).identifier == "Isabelle2026"


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("Isabelle2024", "Isabelle2025-1"),
        ("Isabelle2025", "Isabelle2025-1"),
        ("Isabelle2025-3", "Isabelle2025-2"),
        ("Isabelle2026", "Isabelle2026-RC0"),
        ("Isabelle2026-RC2", "Isabelle2026-RC0"),
        ("Isabelle2027", "Isabelle2026-RC0"),
        ("", "Isabelle2026-RC0"),
    ],
)
def test_the_nearest_release(fake, identifier, expected):
    assert release.nearest(identifier, fake.home).name == expected


def test_every_release_has_its_words():
    for known in release.RELEASES:
        signature, words, *_ = (path.read_text() for path in known.words_files)
        assert "signature ISARSTEP_RELEASE =" in signature
        assert "structure Isarstep_Release: ISARSTEP_RELEASE =" in words


def decoded(body):
    return [yxml.decode_list(item) for item in yxml.decode_list(body)]


def test_options_as_the_releases_read_them(fake, monkeypatch):
    installation = find_installation()
    old = decoded(yxml.parse(options_file(installation, {"threads": "1"})))
    (fake.home / "ANNOUNCE").write_text("Isabelle2026 is now available.")
    new = decoded(yxml.parse(options_file(find_installation(), {"threads": "1"})))

    def fields(rest):
        name, more = yxml.decode_pair(rest)
        kind, value = yxml.decode_pair(more)
        return yxml.content(name), yxml.content(kind), value

    assert [fields(entry[1]) for entry in old] == [
        ("threads", "int", ("1",)),
        ("document", "string", ()),
        ("limit", "real", ("-1.5",)),
    ]
    values = [(fields(entry[1])[0], *yxml.decode_pair(fields(entry[1])[2])) for entry in new]
    assert [(name, yxml.content(value)) for name, value, _ in values] == [
        ("threads", "1"),
        ("document", ""),
        ("limit", "-1.5"),
    ]
    assert [[yxml.content(item) for item in yxml.decode_list(standard)] for _, _, standard in values] == [
        [],
        ["true"],
        [],
    ]


def test_scala_functions_as_the_releases_read_them():
    def functions(known):
        body = yxml.parse(session_file(known, [], {}, ()))
        for _ in range(4):
            body = yxml.decode_pair(body)[1]
        first = yxml.decode_list(yxml.decode_pair(body)[0])[0]
        name, flags = yxml.decode_pair(first)
        return yxml.content(name), [yxml.content(part) for part in yxml.decode_list(flags)]

    assert functions(OLD) == ("echo", ["10", ""])
    assert functions(NEW) == ("echo", ["1", "0", ""])


def test_building_pure_says_so(fake, tmp_path, capfd):
    installation = find_installation()
    heaps = tmp_path / "heaps"
    heaps.mkdir()
    Images(installation, Sessions(installation), heaps)
    first, last = capfd.readouterr().err.splitlines()
    assert first == "building Pure of Isabelle2025-1"
    assert last.startswith("building Pure of Isabelle2025-1: done in ")


def test_a_run_in_which_every_theory_failed(fake, tmp_path):
    for name, imports in (("A", "Pure"), ("B", "A"), ("C", "A B")):
        fake.write("Small", name, imports, "FAIL")
    arguments = ["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert cli.run(arguments) == 1
    fake.write("Small", "A", "Pure")
    assert cli.run([*arguments, "--resume"]) == 0  # one of three


def test_a_run_with_nothing_left_to_do(fake, tmp_path):
    arguments = ["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert cli.run(arguments) == 0
    assert cli.run([*arguments, "--resume"]) == 0


def test_a_process_that_never_starts(fake, tmp_path):
    """The ML side reports nothing; the theories count as failed."""
    text = (fake.poly / "poly").read_text().replace("address, password =", "sys.exit(1)\naddress, password =")
    (fake.poly / "poly").write_text(text)
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 1
    total = json.loads((tmp_path / "out" / "summary.json").read_text())["total"]
    assert (total["theories"], total["failed_theories"]) == (0, 3)


def test_images_of_a_miner_are_found_where_isabelle_heaps_says(fake, tmp_path, monkeypatch):
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    monkeypatch.setenv("ISABELLE_HEAPS", str(tmp_path / "out" / "heaps"))
    other = tmp_path / "other"
    other.mkdir()
    installation = find_installation()
    images = Images(installation, Sessions(installation), other)
    assert "Small" in images
    assert not list(other.iterdir())  # Pure was not built again
    (fake.home / "ANNOUNCE").write_text("Isabelle2025-2 is now available.\n")
    changed = find_installation()
    assert "Small" not in Images(changed, Sessions(changed), other)


def test_a_proof_that_wants_a_solver_says_so(fake, tmp_path, capfd):
    fake.write("Small", "B", "A", "SOLVER BROKEN")
    assert cli.run(["mine", "Small", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    said = [line.partition(" ")[2] for line in capfd.readouterr().err.splitlines() if "skipped" in line]
    assert said == [
        "Small.B: line 9: lemma skipped: the proof calls `smt`, whose solver is not installed",
        "Small.B: line 7: lemma skipped: no solver",
    ]


def test_digests_that_2026_asks_of_scala():
    answer = scala_result("SHA1.digest", [b"abc"], "Isabelle2026-RC0")
    assert answer == [b"1", b"a9993e364706816aba3e25717850c26c9cd0d89d"]
    assert scala_result("SHA256.digest", [b""], "Isabelle2026-RC0")[1].startswith(b"e3b0c44298fc1c14")
