"""The commands `term` and `demo`, run through the command line."""

import gzip
import json
from pathlib import Path

import pytest
from tests.isabelle.syntax.paper_examples import EVEN_A

from isarstep.cli import run
from isarstep.isabelle.syntax.writing.sample import sample_examples, sample_signature

Output = pytest.CaptureFixture[str]


def test_term_prints_a_proposition_and_its_types(capfd: Output) -> None:
    assert run(["term", EVEN_A]) == 0
    assert capfd.readouterr().out.splitlines() == ["even x₀", "    x₀ :: 'a", "    'a :: semiring_parity"]


def test_term_reads_files_variants_and_signatures(tmp_path: Path, capfd: Output) -> None:
    lines = [example.f1 for example in sample_examples()[:20]]
    file, signature = tmp_path / "props.txt", tmp_path / "signature.json.gz"
    file.write_text("\n".join(line.replace("( ", "(").replace(" )", ")") for line in lines) + "\n", encoding="utf-8")
    signature.write_bytes(gzip.compress(json.dumps(sample_signature().to_json()).encode()))
    arguments = ["term", "--file", str(file), "--signature", str(signature), "--form", "tokens", "--no-types"]
    assert run(arguments) == 2
    assert f"{file}, line " in capfd.readouterr().err
    assert run([*arguments, "--variants"]) == 0
    assert capfd.readouterr().out.splitlines() == lines
    for form, sign in (("latex", "\\"), ("mathml", "<math")):
        assert run(["term", "--file", str(file), "--variants", "--form", form]) == 0
        assert sign in capfd.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"CONST HOL.Trueprop $", "line 1: token 3"), (b"CONST HOL.True", "not prop"), (b"\xff\xfe", "not UTF-8")],
)
def test_mistakes_in_a_file(tmp_path: Path, capfd: Output, content: bytes, message: str) -> None:
    file = tmp_path / "props.txt"
    file.write_bytes(content)
    assert run(["term", "--file", str(file)]) == 2
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
