"""schemathesis against the API: what its OpenAPI document promises holds, whatever is sent."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import positive_data_acceptance
from tests.drawn import drawn
from tests.waiting import PATIENCE, PAUSE

from isarstep.apps.admission import Load
from isarstep.apps.engine import Engine
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.apps.service.service import Service

OPERATIONS = {
    ("GET", "/health"), ("GET", "/examples"), ("GET", "/example/{id}"), ("POST", "/read"), ("POST", "/propose"),
    ("POST", "/check"), ("POST", "/sketch"), ("POST", "/attention"), ("POST", "/isar"), ("GET", "/facts"),
    ("GET", "/theories"), ("POST", "/paste"),
}  # fmt: skip


@pytest.fixture(scope="module")
def api(engine: Engine) -> Iterator[schemathesis.BaseSchema]:
    service = Service(engine, 4)
    app = create_app(service, ServerLimits(body=1 << 26, loopback=False), Load())
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    service.close()


def test_every_operation_is_tried(api: schemathesis.BaseSchema) -> None:
    found = {(operation.ok().method.upper(), operation.ok().path) for operation in api.get_all_operations()}
    assert found == OPERATIONS


@pytest.mark.reduced
@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_the_api_keeps_its_word(api: schemathesis.BaseSchema, method: str, path: str, mode: GenerationMode) -> None:
    operation = api[path][method]
    if mode is GenerationMode.NEGATIVE and path == "/health":
        pytest.skip("nothing can be wrong in a request for health")

    @settings(max_examples=drawn(8), suppress_health_check=list(HealthCheck), deadline=None)
    @given(case=operation.as_strategy(generation_mode=mode))
    def try_it(case: schemathesis.Case) -> None:
        # A text may fit the schema and still be no proposition. schemathesis itself waits ten seconds for an answer.
        case.call_and_validate(excluded_checks=[positive_data_acceptance], timeout=PATIENCE * PAUSE)

    try_it()


@pytest.mark.parametrize(
    ("path", "more"), [("/propose", {"beam": 4}), ("/check", {"proposals": ["x = x"]}), ("/sketch", {})]
)
def test_events_of_a_stream_are_what_the_document_says(
    api: schemathesis.BaseSchema, path: str, more: dict[str, Any]
) -> None:
    """Random requests seldom ask for a stream and can be read. schemathesis reads twenty events of a stream: few steps."""
    body: dict[str, Any] = {"goal": "x = x", "stream": True, **more}
    answer = (
        api[path]["POST"].Case(body=body, media_type="application/json").call_and_validate(timeout=PATIENCE * PAUSE)
    )
    assert answer.headers["content-type"][0].startswith("text/event-stream")
    assert "event: done" in answer.text
