"""Runs the API: loads everything, then listens. A stop waits a moment for what was accepted, and ends the process
within five seconds, whatever a thread computes."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from isarstep.apps.admission import Load
from isarstep.apps.batching import LARGEST
from isarstep.apps.engine import Engine
from isarstep.apps.http.app import create_app
from isarstep.apps.http.gate import ServerLimits
from isarstep.apps.service.service import Service
from isarstep.common.errors import UserError

GRACE = 3.0  # seconds in which requests that were accepted may be answered after a stop
CLOSING = 1.5  # seconds after that in which threads may end by themselves
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Server(uvicorn.Server):
    """Says so when it is told to stop, so that new requests on open connections are refused politely."""

    def __init__(self, config: uvicorn.Config, load: Load) -> None:
        super().__init__(config)
        self.load = load

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As usual, but without raising the signal again afterwards: a stop that was asked for is a success."""
        before = {sig: signal.signal(sig, self.handle_exit) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.load.stopping:  # whoever says it twice means at once
            self.force_exit = True
        else:
            watching = threading.Timer(GRACE + CLOSING, end_process)
            watching.daemon = True
            watching.start()
        self.load.stopping = True
        super().handle_exit(sig, frame)


def end_process() -> None:
    """Without waiting for threads: one of them may be inside a long call that nothing interrupts. Provers end with the
    process that started them."""
    sys.stdout.flush()
    os._exit(0)


def serve(
    model: str | Path,
    benchmark: str | Path,
    host: str,
    port: int,
    concurrency: int,
    token: str | None,
    largest_batch: int = LARGEST,
) -> None:
    """Serve until stopped."""
    if host not in LOOPBACK and not token:
        raise UserError(f"--host {host} can be reached from elsewhere: give a --token, or stay on 127.0.0.1")
    listening = listen(host, port)
    engine = Engine(model, benchmark)
    engine.warm_up()
    service = Service(engine, largest_batch)
    load = Load()
    limits = ServerLimits(concurrency=concurrency, token=token, loopback=host in LOOPBACK)
    config = uvicorn.Config(
        create_app(service, limits, load),
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_keep_alive=10,
        timeout_graceful_shutdown=GRACE,  # type: ignore[arg-type]  # seconds, also parts of one
        h11_max_incomplete_event_size=64 << 10,
        server_header=False,
    )
    service.load_ahead()
    listening.listen(config.backlog)  # whoever reads the next line may connect at once
    shown = f"[{host}]" if ":" in host else host
    print(f"isarstep: serving on http://{shown}:{listening.getsockname()[1]}", flush=True)
    server = Server(config, load)
    try:
        server.run(sockets=[listening])
    finally:
        service.workers.interrupt_all()
        if not server.force_exit:
            service.close()


def listen(host: str, port: int) -> socket.socket:
    """Bind before loading anything: a port that is taken is said at once."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot listen on {host}:{port}: {reason}; choose another --port") from None
    return listening
