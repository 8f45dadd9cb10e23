"""What is handed out: wheel and sdist are built from this tree without a network, and the wheel works where there is no tree."""

import os
import shutil
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import isarstep

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
MAX_WHEEL = 95_000_000  # bytes; package indexes take 100 MB


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command that sees neither this tree's `src` nor a network."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**environment, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and sdist."""
    pytest.importorskip("hatchling", reason="skipped: hatchling, which builds the package, is not installed")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    return {name for name in names if name and (ROOT / name).is_file()}


def test_the_wheel_has_every_file_of_the_package_and_is_small_enough(
    built: tuple[Path, Path], tracked: set[str]
) -> None:
    wheel, _ = built
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name.removeprefix("src/") for name in tracked if name.startswith("src/isarstep/")}
    assert package <= names
    assert {name for name in names if name.startswith("tests/")} == set()
    assert any(name.endswith(f"isarstep-{isarstep.__version__}.dist-info/licenses/LICENSE") for name in names)
    assert wheel.stat().st_size < MAX_WHEEL


def test_the_sdist_has_what_the_tests_need(built: tuple[Path, Path], tracked: set[str]) -> None:
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked if not name.startswith("data/")} <= names


def test_the_sdist_builds_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unpacked)
    (again,) = tmp_path.glob("*.whl")
    ours, theirs = (
        {info.filename: info.CRC for info in zipfile.ZipFile(path).infolist()} for path in (built[0], again)
    )
    assert ours == theirs


def test_the_wheel_works_where_there_is_no_tree(built: tuple[Path, Path], tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", built[0], cwd=tmp_path)
    (packages,) = home.glob("lib/python*/site-packages")
    # The dependencies are those of the tests. A path in a .pth file is searched, but .pth files there (our editable
    # install is one) are not read.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    assert str(packages) in run(python, "-c", "import isarstep; print(isarstep.__file__)", cwd=tmp_path)

    command = home / "bin" / "isarstep"
    assert run(command, "--version", cwd=tmp_path).strip() == f"isarstep {isarstep.__version__}"
    assert "a = a / b * b" in run(command, "show", "2585bb6c8e55", cwd=tmp_path)
    proposed = run(command, "propose", "--fact", "x ≤ y", "--goal", "x < y + 1", "--type", "y :: nat", cwd=tmp_path)
    assert "so that  x < y + 1" in proposed
    assert "\n  1  " in proposed
