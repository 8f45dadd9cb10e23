"""What people get wrong about mining: one line on stderr, exit code 2, nothing left behind."""

import shutil
import stat
from pathlib import Path

import pytest

from isarstep import cli
from isarstep.common.errors import UserError
from isarstep.isabelle.process.installation import Sessions, find_installation
from isarstep.isabelle.process.ml_process import MLProcess, Start, allow_starts


def no_isabelle(fake, out):
    shutil.rmtree(fake.home)
    return ["mine", "Small", "--out", str(out)], "there is no such folder"


def not_isabelle(fake, out):
    return ["mine", "Small", "--out", str(out), "--isabelle", str(fake.poly)], "is not an Isabelle installation"


def wrong_version(fake, out):
    (fake.home / "ANNOUNCE").write_text("Isabelle2023 is now available.")
    return (
        [
            "mine",
            "Small",
            "--out",
            str(out),
        ],
        "is Isabelle2023, which is none of Isabelle2025-1, Isabelle2025-2, Isabelle2026-RC0, Isabelle2026-after-RC0; --any-release",
    )


def unknown_session(fake, out):
    return ["mine", "HOL-Nothing", "--out", str(out)], "unknown session HOL-Nothing"


def unwritable_output(fake, out):
    out.parent.mkdir(exist_ok=True)
    out.write_text("a file, not a folder")
    return ["mine", "Small", "--out", str(out)], f"cannot write to {out}"


def unwritable_images(fake, out):
    (out.parent / "heaps").write_text("a file, not a folder")
    return ["mine", "Small", "--out", str(out), "--heaps", str(out.parent / "heaps")], "cannot write to"


def no_image_of_pure(fake, out):
    program = fake.poly / "poly"
    program.write_text(
        '#!/bin/sh\ncase "$*" in -v) echo "Poly/ML 5.9.2 RTS version: X86_64-5.9.2";; *) echo no sources; exit 1;; esac\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return ["mine", "Small", "--out", str(out)], "building Pure from"


def broken_poly(fake, out):
    (fake.poly / "poly").write_text("#!/bin/sh\necho 'no such library' >&2\nexit 127\n")
    return ["mine", "Small", "--out", str(out)], "does not run: no such library"


MISTAKES = [
    no_isabelle,
    not_isabelle,
    wrong_version,
    unknown_session,
    unwritable_output,
    unwritable_images,
    no_image_of_pure,
    broken_poly,
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_one_line_and_exit_code_2(mistake, fake, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments, expected = mistake(fake, tmp_path / "out")
    assert cli.run(arguments) == 2
    said = [line for line in capfd.readouterr().err.splitlines() if line != "building Pure of Isabelle2025-1"]
    assert len(said) == 1, said
    assert expected in said[0]


def test_an_image_that_went_away(fake, tmp_path: Path) -> None:
    allow_starts()  # a run before this one has ended with a ban
    installation = find_installation()
    start = Start(images=(tmp_path / "Gone",), uses=(), main="()", loaded=(), sessions=())
    with (
        pytest.raises(UserError, match=r"missing image .*Gone"),
        MLProcess(installation, Sessions(installation), start),
    ):
        pass
