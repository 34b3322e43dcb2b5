"""Publishers that end by SIGKILL: at a call that writes something, or after a time.

They are forked from a server that has imported everything, so a kill meets the publication, however busy the machine is.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq

from firelite_lake import Plan, publish

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["killing"])
#: The seconds after which a publisher that has not ended is a failure.
_PATIENCE = 300


def killed_at(plan: str, call: int) -> int:
    """Publishes in a process that ends itself at the N-th call that writes. Returns its status: -9 if it came so far, or 0."""
    return _status(_SERVER.Process(target=_publish_until, args=(plan, call)), None)


def killed_after(plan: str, seconds: float) -> int:
    """Publishes in a process that is killed after some time. Returns its status."""
    return _status(_SERVER.Process(target=_publish_until, args=(plan, 0)), seconds)


def _status(process: Any, seconds: float | None) -> int:
    process.start()
    if seconds is not None:
        process.join(seconds)
        process.kill()
    process.join(_PATIENCE)
    if process.exitcode is None:
        process.kill()
        raise AssertionError(f"a publisher did not end within {_PATIENCE} s")
    return int(process.exitcode)


def _publish_until(plan: str, limit: int) -> None:
    calls = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def count() -> None:
            nonlocal calls
            calls += 1
            if calls == limit:
                os.kill(os.getpid(), signal.SIGKILL)

        def call(*arguments: Any, **options: Any) -> Any:
            # Before the call, and after it.
            count()
            result = function(*arguments, **options)
            count()
            return result

        return call

    for name in ("link", "unlink", "fsync", "makedirs"):
        setattr(os, name, counted(getattr(os, name)))
    for name in ("write_table", "close"):
        setattr(pq.ParquetWriter, name, counted(getattr(pq.ParquetWriter, name)))
    publish(Plan.read(plan))
    sys.stdout.flush()
