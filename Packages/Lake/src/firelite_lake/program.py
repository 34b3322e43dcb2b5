"""The program `firelite-lake`: reads a plan from standard input, publishes, and prints what it did as JSON.

`firelite publish` calls it. Its exit statuses are those of `firelite`, and 75 asks for another plan.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys

from .errors import FAILED, LakeError
from .plan import Plan
from .publish import Run, publish


def main() -> int:
    # Health records are their owner's.
    os.umask(0o077)
    if len(sys.argv) > 1:
        print("firelite-lake: call `firelite publish`, which gives this program a plan", file=sys.stderr)
        return 2
    run = Run()
    status, error = 0, None
    try:
        publish(Plan.read(sys.stdin.read()), run)
    except LakeError as failure:
        status, error = failure.status, failure.message
    except OSError as failure:
        status, error = FAILED, f"{failure.filename or 'the lake'} cannot be written: {failure.strerror or failure}"
    except MemoryError:
        status, error = FAILED, "there is not enough memory: publish fewer views at a time"
    answer = {
        "tables": [dataclasses.asdict(one) for one in run.published],
        "notes": run.notes,
        "error": None if error is None else " ".join(error.split()),
    }
    print(json.dumps(answer))
    return status


if __name__ == "__main__":
    sys.exit(main())
