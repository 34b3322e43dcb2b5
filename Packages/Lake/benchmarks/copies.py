"""Publishes many copies of a store into one lake, each of which is a store of its own, and asks the lake the twenty questions.

    python benchmarks/copies.py TOOL STORE FOLDER COUNT [--minutes N] [--engines NAME…]

A copy gets an identity of its own, and SQLite changes values and genders in one of 53 resources. FireLite would refuse the page checksums of such a
file, so copies are published by the plan of the store, under names of their own. They are published one after another and then deleted, so that
the disk needs room for one; the answers of each are added up before, and their sums stand in FOLDER/answers.json for `examples/engines.py`. One
publication is killed and repeated. After N minutes, the copies that are there have to do.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples"))

from engines import add_store, answers, ask_all, no_sums, save
from publish import cpu, plan_of

from firelite_lake import Plan, publish


def copy(source: str, path: str, number: int) -> None:
    shutil.copyfile(source, path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE _meta SET value = ? WHERE key = 'identity'", (random.getrandbits(62) + 1,))
    connection.execute(
        "UPDATE Observation SET valueQuantity_value = valueQuantity_value + ?1"
        " WHERE (_k >> 24) % 53 = ?1 AND _parent IS NULL AND valueQuantity_value = round(valueQuantity_value)",
        (number,),
    )
    connection.execute("UPDATE Patient SET gender = 'other' WHERE (_k >> 24) % 53 = ? AND _parent IS NULL", (number,))
    connection.commit()
    connection.close()


def kill(plan: str, seconds: float) -> None:
    process = subprocess.Popen([sys.executable, "-m", "firelite_lake.program"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stdin is not None
    process.stdin.write(plan)
    process.stdin.close()
    time.sleep(seconds)
    process.kill()
    print(f"a publisher was killed after {seconds:.1f} s, status {process.wait()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("store")
    parser.add_argument("folder")
    parser.add_argument("count", type=int)
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--engines", nargs="+", default=["duckdb", "polars", "datafusion"])
    given = parser.parse_args()
    lake = os.path.join(os.path.abspath(given.folder), "lake")
    shutil.rmtree(lake, ignore_errors=True)
    os.makedirs(lake)
    whole = json.loads(plan_of(given.tool, [given.store], lake)[0])
    (store,) = whole["stores"]
    sums = no_sums()
    begun, spent, rows, done, last, is_killed = time.time(), 0.0, 0, 0, 0.0, False
    for number in range(1, given.count + 1):
        if time.time() - begun > given.minutes * 60:
            break
        path = os.path.join(given.folder, f"ward{number}.sqlite")
        copy(given.store, path, number)
        store |= {"path": os.path.abspath(path), "name": f"ward{number}"}
        plan = json.dumps(whole)
        if done and not is_killed and (number * 2 > given.count or time.time() - begun > given.minutes * 30):
            kill(plan, last * 0.7)
            is_killed = True
        before, started = cpu(), time.time()
        run = publish(Plan.read(plan))
        spent, last = spent + cpu() - before, time.time() - started
        rows += sum(one.rows for one in run.published)
        add_store(sums, store)
        for name in glob.glob(path + "*"):
            os.unlink(name)
        done += 1
        save(answers(sums), os.path.join(given.folder, "answers.json"))
        print(f"{done} stores, {rows:,} rows, {spent:.1f} s of CPU, {time.time() - begun:.0f} s", flush=True)
    print(f"{done} stores, {rows:,} rows, {spent:.1f} s of CPU to publish", flush=True)
    ask_all(lake, given.engines, answers(sums))


if __name__ == "__main__":
    main()
