"""Settings for all tests: property tests have no deadline, because a busy machine is not a wrong program. What some
rooms share: a real browser and a real Isabelle, skipped with the reason where there is none."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from isarstep.errors import UserError
from isarstep.mine.isabelle import Installation, find_installation

settings.register_profile("isarstep", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("isarstep")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="skipped: playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("skipped: no Chromium on the PATH")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def installation() -> Installation:
    """A configured Isabelle with an image of Pure."""
    if not os.environ.get("ISABELLE_HOME"):
        pytest.skip("no real Isabelle: ISABELLE_HOME is not set")
    try:
        found = find_installation()
    except UserError as error:
        pytest.skip(f"no real Isabelle: {error}")
    if found.image("Pure") is None:
        pytest.skip("no real Isabelle: there is no image of Pure; set ISABELLE_HEAPS")
    return found


@pytest.fixture(scope="module")
def installation_with_hol(installation: Installation) -> Installation:
    if installation.image("HOL") is None:
        pytest.skip("no real Isabelle: there is no image of HOL; set ISABELLE_HEAPS")
    return installation
