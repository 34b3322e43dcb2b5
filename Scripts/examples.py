#!/usr/bin/env python3
"""Imports the official examples of each FHIR release with the tool, checks and exports them, and compares what came out, number literals included.

usage: Scripts/examples.py FIRELITE EXAMPLES [RELEASE...]

EXAMPLES has a folder of JSON files for each release: DSTU2, STU3, R4, R4B, R5. Exit status: 0 all came out equal or were refused with a reason;
1 something differs.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


class Literal(str):
    """A number as it is written, which differs from a string with the same text."""

    def __eq__(self, other):
        return isinstance(other, Literal) and str.__eq__(self, other)

    __hash__ = str.__hash__


def parsed(text):
    return json.loads(text, parse_float=Literal, parse_int=Literal)


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def compare(tool, folder, release):
    """Returns whether everything is as it was, and prints a line."""
    files = sorted(folder.rglob("*.json"))
    with tempfile.TemporaryDirectory() as temporary:
        database = os.path.join(temporary, "store.sqlite")
        rejects = os.path.join(temporary, "rejects.ndjson")
        imported = run(
            tool, "import", "--database", database, "--release", release, "--whole-bundles", "--on-error", "skip", "--rejects", rejects,
            "--json", *map(str, files))
        if imported.returncode not in (0, 1):
            print(f"{release}: import failed: {imported.stderr.strip()}")
            return False
        checked = run(tool, "check", "--database", database)
        out = os.path.join(temporary, "out")
        exported = run(tool, "export", "--database", database, "--output", out)
        if exported.returncode != 0:
            print(f"{release}: export failed: {exported.stderr.strip()}")
            return False
        found = {}
        for path in Path(out).glob("*.ndjson"):
            for line in path.read_text(encoding="utf-8").splitlines():
                resource = parsed(line)
                found.setdefault((resource["resourceType"], resource.get("id")), []).append(resource)
        refused = len(Path(rejects).read_text(encoding="utf-8").splitlines()) if os.path.exists(rejects) else 0
        wanted = {}
        for path in files:
            resource = parsed(path.read_text(encoding="utf-8-sig"))
            wanted.setdefault((resource["resourceType"], resource.get("id")), []).append((path.name, resource))
        equal, replaced, different = 0, 0, []
        for key, candidates in wanted.items():
            stored = found.get(key, [])
            for name, resource in candidates:
                if resource in stored:
                    equal += 1
                elif key[1] is not None and any(other in stored for _, other in candidates):
                    # Two examples with one type and id: the later one is stored.
                    replaced += 1
                else:
                    different.append(name)
        isGood = checked.stdout.strip() == "sound" and len(different) == refused
        print(
            f"{release}: {len(files)} examples, {equal} equal, {replaced} replaced by another with their id, {refused} refused"
            f"{' (' + ', '.join(different) + ')' if different else ''}, {checked.stdout.strip()}")
        return isGood


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tool, data = sys.argv[1], Path(sys.argv[2])
    releases = sys.argv[3:] or ["DSTU2", "STU3", "R4", "R4B", "R5"]
    results = [compare(tool, data / release, release) for release in releases]
    sys.exit(0 if all(results) else 1)


main()
