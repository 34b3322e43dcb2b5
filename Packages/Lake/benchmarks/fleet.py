"""Makes stores of the same resources with ids of their own: `ward1.sqlite`, `ward2.sqlite` and so on, with change logs.

    python benchmarks/fleet.py TOOL FOLDER NDJSON COUNT

NDJSON is a folder of files whose ids are UUIDs, such as those of Synthea. The first four digits of each become the number of the store. Stores that
are there are kept, so the program can be ended and started again.
"""

from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
import tempfile

_UUID = re.compile(rb"[0-9a-f]{4}([0-9a-f]{4}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def main() -> None:
    tool, folder, source, count = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for number in range(1, int(count) + 1):
        path = os.path.join(folder, f"ward{number}.sqlite")
        if os.path.exists(path):
            continue
        with tempfile.TemporaryDirectory(dir=folder) as work:
            names = []
            for file in sorted(glob.glob(os.path.join(source, "*.ndjson"))):
                names.append(os.path.join(work, os.path.basename(file)))
                with open(file, "rb") as original, open(names[-1], "wb") as varied:
                    varied.write(_UUID.sub(b"%04x\\1" % number, original.read()))
            store = os.path.join(work, "store.sqlite")
            subprocess.run([tool, "import", "--quiet", "--database", store, *names], check=True)
            subprocess.run([tool, "track", "--database", store, "on", "changes"], check=True)
            subprocess.run([tool, "backup", "--database", store, path], check=True, stdout=subprocess.DEVNULL)
        print(path, flush=True)


if __name__ == "__main__":
    main()
