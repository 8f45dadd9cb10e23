"""`isarstep demo` runs the main jobs to the end; what provers find in time is not asked here."""

import pytest

from isarstep.cli import run


@pytest.mark.slow
def test_demo_runs_every_job_and_says_what_to_type_next(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--scored", "2"]) == 0
    out = capfd.readouterr().out
    for command in ("propose", "prove", "fill", "show", "evaluate"):
        assert f"\n$ isarstep {command} " in out
    assert "so that  ∃c. a = 2 * c" in out
    assert "\n  1 " in out  # which step comes first depends on what provers find in time
    assert 'shows "rev (xs @ ys) = rev ys @ rev xs"' in out
    assert "a = a / b * b" in out
    assert "test split, 2 examples" in out
    assert out.rstrip().endswith("your own model")
