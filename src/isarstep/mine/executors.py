"""Where mining jobs run: in threads of this process, each with its own ML process, or on a dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

from isarstep.errors import UserError
from isarstep.mine.driver import Mining
from isarstep.mine.graph_store import Store
from isarstep.mine.isabelle import Sessions, find_installation
from isarstep.mine.session_job import Outcome, Progress, SessionJob, run_session


class LocalExecutor:
    """Threads; an ML process lives and dies with the thread that started it."""

    def __init__(self, mining: Mining, workers: int) -> None:
        self._mining = mining
        self.workers = workers
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="mine")

    def submit(self, job: SessionJob, progress: Progress) -> Future[Outcome]:
        mining = self._mining
        return self._threads.submit(run_session, mining.installation, mining.sessions, mining.store, job, progress)

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=kind is None, cancel_futures=True)


class DaskExecutor:
    """Workers of a dask.distributed cluster that share the file system of images, theories and graphs."""

    def __init__(self, mining: Mining, address: str, directories: Sequence[Path]) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise UserError("--cluster needs dask.distributed: pip install 'isarstep[cluster]'") from error
        try:
            self._client: Any = Client(address, timeout=8)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"no dask scheduler at {address}: {error}") from error
        self._home = mining.installation.home
        self._directories = tuple(directories)
        self._out = mining.store.folder.resolve()

    @property
    def workers(self) -> int:
        return max(1, len(self._client.scheduler_info()["workers"]))

    def submit(self, job: SessionJob, progress: Progress) -> Future[Outcome]:
        remote = self._client.submit(
            run_remote, self._home, self._directories, self._out, job, pure=False, retries=5, resources={}
        )
        result: Future[Outcome] = Future()

        def done(finished: Any) -> None:
            error = finished.exception() if not finished.cancelled() else RuntimeError("cancelled")
            if error is not None:
                result.set_exception(error)
                return
            outcome: Outcome = finished.result()
            for record in outcome.records:
                progress(record)
            result.set_result(outcome)

        remote.add_done_callback(done)
        return result

    def __enter__(self) -> DaskExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()


def run_remote(home: Path, directories: Sequence[Path], out: Path, job: SessionJob) -> Outcome:
    """A job on a worker. One that was begun by a worker that died finds its finished theories in the folder."""
    from dataclasses import replace

    installation = find_installation(home, any_release=True)  # whoever sent the job has looked at it
    store = Store(out)
    fresh = (
        replace(item, mine=item.mine and not store.has(item.theory.session, item.theory.name)) for item in job.theories
    )
    return run_session(
        installation, Sessions(installation, directories), store, replace(job, theories=tuple(fresh)), lambda _: None
    )
