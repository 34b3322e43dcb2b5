"""Measures publications: rows a second, CPU beside pyarrow's for the same rows, and what a second publication costs after some changes.

Its floor is deltalake's own merge of the same rows into tables of the rows before. Importing the package is measured in a process of its own.

    python benchmarks/publish.py TOOL FOLDER STORE… [--share PERCENT] [--seed N] [--repeat N]

It copies the stores into FOLDER, publishes the copies, changes so many of the resources that the views show, chosen by chance, and publishes again.
Each is done so many times, into the same lake as it was before, and the least CPU counts: on a busy machine, the same work varies by a half.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

from firelite_lake import Plan, files, publish, tables
from firelite_lake.files import COMPRESSION, GROUP_ROWS


def cpu() -> float:
    return time.process_time()


def measured(work: Any) -> tuple[float, float, Any]:
    before, started = cpu(), time.perf_counter()
    result = work()
    return cpu() - before, time.perf_counter() - started, result


def least(work: Any, lake: str, before: str | None, repeat: int) -> tuple[float, float, Any]:
    """The least CPU of publications into a lake as it was before, or into a new one."""
    found: list[tuple[float, float, Any]] = []
    for _ in range(repeat):
        shutil.rmtree(lake, ignore_errors=True)
        if before is not None:
            shutil.copytree(before, lake)
        found.append(measured(work))
    return min(found, key=lambda one: one[0])


def size(lake: str) -> int:
    """The bytes of the data files and the logs."""
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(lake) for name in names)


def plan_of(tool: str, stores: list[str], lake: str, *options: str) -> tuple[str, float]:
    before = os.times()
    arguments = [one for store in stores for one in ("--database", store)]
    text = subprocess.run([tool, "publish", *arguments, "--to", lake, "--plan", *options], capture_output=True, text=True, check=True).stdout
    after = os.times()
    return text, after.children_user + after.children_system - before.children_user - before.children_system


def change(tool: str, store: str, share: float, seed: int) -> int:
    """Changes resources of the standard views by the tool, as an app would."""
    chance = random.Random(seed)
    changed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for type in ("Patient", "Condition", "Observation", "Encounter", "MedicationRequest", "Procedure", "Immunization"):
            output = os.path.join(folder, type)
            subprocess.run([tool, "export", "--database", store, "--type", type, "--output", output], capture_output=True, check=True)
            for path in glob.glob(os.path.join(output, "*.ndjson")):
                with open(path, encoding="utf-8") as file:
                    lines = file.read().splitlines()
                for line in chance.sample(lines, round(len(lines) * share)):
                    resource = json.loads(line)
                    resource["language"] = "en"
                    if "status" in resource:
                        resource["status"] = {"final": "amended"}.get(resource["status"], resource["status"])
                    changed.append(json.dumps(resource))
        path = os.path.join(folder, "changed.ndjson")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(changed) + "\n")
        subprocess.run([tool, "import", "--quiet", "--database", store, path], check=True)
    return len(changed)


def baseline(lake: str, repeat: int) -> tuple[float, float]:
    """The least CPU of pyarrow for the rows in memory: as columns, and as Python's rows."""
    columns = rows = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for table in tables(lake):
            for number, file in enumerate(files(lake, table)):
                content = pq.ParquetFile(file.path).read()

                def write(content: pa.Table, number: int = number, table: str = table) -> None:
                    pq.write_table(content, os.path.join(folder, f"{table}{number}"), compression=COMPRESSION, row_group_size=GROUP_ROWS)

                columns += min(measured(lambda content=content: write(content))[0] for _ in range(repeat))
                python, schema = content.to_pylist(), content.schema
                rows += measured(lambda python=python, schema=schema: write(pa.Table.from_pylist(python, schema)))[0]
    return columns, rows


def importing() -> float:
    """CPU of a Python that imports the package, beyond one that imports nothing."""

    def spent(code: str) -> float:
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(spent("import firelite_lake.program") for _ in range(3)) - min(spent("") for _ in range(3))


Contents = dict[str, dict[str, pa.Table]]


def contents(lake: str) -> Contents:
    """The rows of each file of each table, with those that are deleted and the column that the table is partitioned by."""
    found: Contents = {}
    for table in tables(lake):
        for file in files(lake, table):
            rows = pq.ParquetFile(file.path).read()
            found.setdefault(table, {})[file.path] = rows.append_column("_store", pa.repeat(pa.scalar(file.store), len(rows)))
    return found


def merging(before: Contents, after: Contents) -> tuple[float, float]:
    """CPU of deltalake for the rows of the new files: merging them into tables of the rows before, and only appending them."""
    merged = appended = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for table, known in before.items():
            new = [rows for path, rows in after[table].items() if path not in known]
            if not new:
                continue
            rows, path = pa.concat_tables(new), os.path.join(folder, table)
            for name in (path, path + "-appended"):
                write_deltalake(name, pa.concat_tables(known.values()), partition_by=["_store"])
            target = DeltaTable(path)
            merge = target.merge(rows, "t._store = s._store AND t._root = s._root", source_alias="s", target_alias="t")
            merged += measured(merge.when_matched_update_all().when_not_matched_insert_all().execute)[0]
            other = DeltaTable(path + "-appended")
            appended += measured(lambda rows=rows, other=other: write_deltalake(other, rows, mode="append"))[0]
    return merged, appended


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folder")
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    lake = os.path.join(given.folder, "lake")
    shutil.rmtree(lake, ignore_errors=True)
    copies = []
    for store in given.stores:
        copy = os.path.join(given.folder, os.path.basename(store))
        shutil.copyfile(store, copy)
        copies.append(copy)
    text, planning = plan_of(given.tool, copies, lake, "--since-last")
    first, wall, run = least(lambda: publish(Plan.read(text)), lake, None, given.repeat)
    rows = sum(one.added for one in run.published)
    print(f"{len(copies)} stores: {rows:,} rows in {wall:.2f} s, {first:.2f} s of CPU: {rows / wall:,.0f} rows a second; plan {planning:.2f} s of CPU")
    columns, python = baseline(lake, given.repeat)
    print(f"pyarrow, the same rows: {columns:.2f} s of CPU from columns ({first / columns:.2f} times), {python:.2f} s from Python's rows ({first / python:.2f} times)")
    before = contents(lake)
    old, written = lake + "-before", size(lake)
    shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(lake, old)
    changed = sum(change(given.tool, copy, given.share / 100, given.seed + number) for number, copy in enumerate(copies))
    text, planning_again = plan_of(given.tool, copies, lake, "--since-last")
    second, wall, run = least(lambda: publish(Plan.read(text)), lake, old, given.repeat)
    more = size(lake) - written
    added, modes = sum(one.added for one in run.published), sorted({one.mode for one in run.published})
    print(
        f"again after {changed:,} changes: {added:,} rows in {wall:.2f} s, {second:.2f} s of CPU ({100 * second / first:.2f} % of the first; with the"
        f" plans {100 * (second + planning_again) / (first + planning):.2f} %), {', '.join(modes)} {run.notes or ''}"
    )
    print(f"bytes written: {written:,} and {more:,} ({100 * more / written:.2f} %)")
    merged, appended = merging(before, contents(lake))
    print(f"deltalake alone, the same rows: merging {merged:.2f} s of CPU ({second / merged:.2f} times), appending {appended:.2f} s")
    print(f"importing the package: {importing():.2f} s of CPU")
    third, wall, run = measured(lambda: publish(Plan.read(text)))
    print(f"again without changes: {third:.2f} s of CPU")
    text, _ = plan_of(given.tool, copies, lake)
    compared, wall, run = measured(lambda: publish(Plan.read(text)))
    print(f"comparing all versions: {compared:.2f} s of CPU, {sorted({one.mode for one in run.published})}")


if __name__ == "__main__":
    main()
