"""Asks a lake the twenty questions with DuckDB, chDB, Polars, DataFusion (in deltalake) and Spark, and compares the answers with the stores'.

    python examples/engines.py LAKE [ENGINE…] [--stores PLAN | --answers FILE] [--kill-executor]

An engine is duckdb, chdb, polars, datafusion or spark. PLAN is a file with what `firelite publish --plan` prints: the answers of the stores are
then calculated with SQLite's library alone, store by store, and every engine must give their sums, to the last digit. FILE has such answers, as
`benchmarks/copies.py` leaves them. Without either, the engines are compared with each other. --kill-executor ends one of Spark's two executors in
the middle of the work.
"""

from __future__ import annotations

import glob
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from questions import QUESTIONS, VIEWS

Answer = dict[tuple[Any, ...], tuple[Any, ...]]


def answer(rows: list[tuple[Any, ...]], question: str) -> Answer:
    """Rows as keys and figures, which are the last columns: n, or n and s."""
    figures = 2 if " AS s" in question else 1
    found: Answer = {}
    for row in rows:
        key = tuple(int(value) if isinstance(value, (int, float, Decimal)) else value for value in row[:-figures])
        found[key] = (int(row[-figures]), *(Decimal(str(value)).normalize() for value in row[len(row) - figures + 1 :]))
    return found


# The engines: each gives a function from SQL to rows.


def duckdb(lake: str) -> Callable[[str], list[tuple[Any, ...]]]:
    import duckdb

    connection = duckdb.connect()
    try:
        # The extension from PyPI, in the version of DuckDB; `INSTALL delta` downloads it otherwise.
        import duckdb_extension_delta as extension

        path = glob.glob(os.path.join(os.path.dirname(extension.__file__), "extensions", f"v{duckdb.__version__}", "*.duckdb_extension"))[0]
        connection.execute(f"LOAD '{path}'")
    except ImportError:
        connection.execute("INSTALL delta; LOAD delta")
    # The years of moments are those of the session's zone. The zone needs the extension icu, so moments are read as they are stored: in UTC.
    for view in VIEWS:
        source = f"delta_scan('{os.path.join(lake, view)}')"
        moments = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall() if row[1] == "TIMESTAMP WITH TIME ZONE"]
        casts = ", ".join(f'make_timestamp(epoch_us("{name}")) AS "{name}"' for name in moments)
        connection.execute(f"CREATE VIEW {view} AS SELECT * REPLACE ({casts}) FROM {source}")
    return lambda sql: connection.execute(sql).fetchall()


def chdb(lake: str) -> Callable[[str], list[tuple[Any, ...]]]:
    import chdb

    # It reads only files below the present folder.
    os.chdir(lake)

    def rows(sql: str) -> list[tuple[Any, ...]]:
        sources = [f"{view} AS (SELECT * FROM deltaLakeLocal('{os.path.join(lake, view)}'))" for view in VIEWS if view in sql]
        whole = f"WITH {', '.join(sources)} {sql} SETTINGS output_format_json_quote_decimals = 1"
        figures = 2 if " AS s" in sql else 1
        found = [json.loads(line) for line in chdb.query(whole, "JSONCompactEachRow").bytes().decode().splitlines() if line]
        # Whole numbers of 64 bits are texts in ClickHouse's JSON.
        return [(*row[:-figures], int(row[-figures]), *row[len(row) - figures + 1 :]) for row in found]

    return rows


def polars(lake: str) -> Callable[[str], list[tuple[Any, ...]]]:
    import polars

    context = polars.SQLContext({view: polars.scan_delta(os.path.join(lake, view)) for view in VIEWS})
    return lambda sql: context.execute(sql, eager=True).rows()


def datafusion(lake: str) -> Callable[[str], list[tuple[Any, ...]]]:
    import pyarrow
    from deltalake import DeltaTable, QueryBuilder

    builder = QueryBuilder()
    for view in VIEWS:
        builder = builder.register(view, DeltaTable(os.path.join(lake, view)))
    return lambda sql: [tuple(row.values()) for row in pyarrow.table(builder.execute(sql).read_all()).to_pylist()]


def spark(lake: str) -> Callable[[str], list[tuple[Any, ...]]]:
    from pyspark.sql import SparkSession

    from firelite_lake.spark import read

    # Two executors, which are processes of their own, on the loopback interface.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.executor.memory": "1g",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(os.environ.get("LAKE_SPARK", "local-cluster[2,1,1024]"))
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    for view in VIEWS:
        read(session, lake, view).createOrReplaceTempView(view)
    return lambda sql: [tuple(row) for row in session.sql(sql).collect()]


ENGINES = {"duckdb": duckdb, "chdb": chdb, "polars": polars, "datafusion": datafusion, "spark": spark}


# The stores


Sums = dict[str, dict[tuple[Any, ...], list[Any]]]


def no_sums() -> Sums:
    return {name: defaultdict(lambda: [0, Decimal(0)]) for name in QUESTIONS}


def add_store(sums: Sums, store: dict[str, Any]) -> None:
    """Adds the answers of a store of a plan, by Python over the rows that SQLite gives."""
    connection = sqlite3.connect(f"file:{store['path']}?mode=ro", uri=True)
    rows: dict[str, list[dict[str, Any]]] = {}
    for view in store["views"]:
        cursor = connection.execute(view["sql"]) if view["sql"] else None
        names = [one[0] for one in cursor.description] if cursor else []
        rows[view["name"]] = [dict(zip(names, row, strict=True)) for row in cursor] if cursor else []
        for column in view["columns"]:
            if (type := column.get("references")) is not None:
                # The texts of references, which are keys in these stores unless they are to another type.
                for row in rows[view["name"]]:
                    if not (row[column["name"]] or "").startswith(f"{type}/" if type else ""):
                        row[column["name"]] = None
    connection.close()
    _add(sums, rows, store["name"])


def answers(sums: Sums) -> dict[str, Answer]:
    return {
        name: {key: tuple([n, s.normalize()] if " AS s" in QUESTIONS[name] else [n]) for key, (n, s) in found.items()}
        for name, found in sums.items()
    }


def of_stores(path: str) -> dict[str, Answer]:
    """The answers of the stores of a plan, added up."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    sums = no_sums()
    for store in plan["stores"]:
        add_store(sums, store)
    return answers(sums)


def save(found: dict[str, Answer], path: str) -> None:
    """Writes answers into a file, exact decimals as texts."""
    lists = {name: [[key, [str(figure) for figure in figures]] for key, figures in one.items()] for name, one in found.items()}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(lists, file)


def saved(path: str) -> dict[str, Answer]:
    """The answers in a file."""
    with open(path, encoding="utf-8") as file:
        lists = json.load(file)
    return {name: {tuple(key): (int(n), *map(Decimal, rest)) for key, (n, *rest) in one} for name, one in lists.items()}


def _year(text: str | None) -> int | None:
    return None if text is None else int(text[:4])


def _value(row: dict[str, Any]) -> Decimal | None:
    text = row.get("_aside_value") or row["value"]
    return None if text is None else Decimal(text)


def _add(sums: Sums, rows: dict[str, list[dict[str, Any]]], store: str) -> None:
    def add(question: str, *key: Any, value: Decimal | None = None) -> None:
        figures = sums[question][key]
        figures[0] += 1
        if value is not None:
            figures[1] += value

    patients = {row["key"]: row for row in rows["patients"]}
    for row in rows["patients"]:
        add("patients by gender", row["gender"])
        add("patients by year of birth", _year(row["birth_date"]))
        add("patients by state", row["state"])
    sums["deceased patients"][()][0] += sum(row["deceased_date"] is not None for row in rows["patients"])
    for row in rows["observations"]:
        value = _value(row)
        add("observations by code", row["code"])
        add("observations by category and status", row["category"], row["status"])
        add("observations by store", store)
        if value is not None:
            add("sum of the values of each code", row["code"], value=value)
            if 100 <= value <= 200:
                add("values from 100 to 200 by unit", row["unit"], value=value)
        if row["effective"] is not None:
            add("observations by year", _year(row["effective"]))
        if row["code"] == "29463-7" and row["patient"] in patients:
            add("body weights by gender", patients[row["patient"]]["gender"], value=value)
    for row in rows["conditions"]:
        add("conditions by code", row["code"])
        if row["code"] == "59621000" and row["patient"] in patients:
            add("hypertension by gender", patients[row["patient"]]["gender"])
    sums["patients with diabetes"][()][0] += len({row["patient"] for row in rows["conditions"] if row["code"] == "44054006"})
    for row in rows["encounters"]:
        add("encounters by class", row["class"])
        if row["start"] is not None:
            add("encounters by year", _year(row["start"]))
        if row["patient"] in patients:
            add("encounters by state", patients[row["patient"]]["state"])
    for row in rows["medication_requests"]:
        add("medication requests by status and code", row["status"], row["medication_code"])
    for row in rows["procedures"]:
        add("procedures by code", row["code"])
    for row in rows["immunizations"]:
        add("immunizations by vaccine", row["vaccine_code"])


# Running


def kill_an_executor(after: float) -> None:
    """Ends one of the executors that this process's Spark has started."""

    def run() -> None:
        time.sleep(after)
        listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
        own = [line for line in listing.splitlines() if "CoarseGrainedExecutorBackend" in line and f"--app-id {application()}" in line]
        if own:
            os.kill(int(own[0].split()[0]), signal.SIGKILL)
            print("spark: killed one of", len(own), "executors", flush=True)

    threading.Thread(target=run, daemon=True).start()


def application() -> str:
    from pyspark.sql import SparkSession

    return str(SparkSession.builder.getOrCreate().sparkContext.applicationId)


def main() -> None:
    arguments = sys.argv[1:]
    kills = "--kill-executor" in arguments
    arguments = [one for one in arguments if one != "--kill-executor"]
    expected: dict[str, Answer] | None = None
    if "--stores" in arguments:
        place = arguments.index("--stores")
        started = time.time()
        expected = of_stores(arguments[place + 1])
        print(f"the stores' answers: {time.time() - started:.1f} s", flush=True)
        del arguments[place : place + 2]
    if "--answers" in arguments:
        place = arguments.index("--answers")
        expected = saved(arguments[place + 1])
        del arguments[place : place + 2]
    lake, *engines = arguments
    ask_all(os.path.abspath(lake), engines or list(ENGINES), expected, kills=kills)


def ask_all(lake: str, engines: list[str], expected: dict[str, Answer] | None, *, kills: bool = False) -> None:
    """Asks each engine the questions. Ends the program with a message if one gives another answer."""
    for name in engines:
        started = time.time()
        ask = ENGINES[name](lake)
        if name == "spark" and kills:
            kill_an_executor(3)
        found = {question: answer(ask(sql), sql) for question, sql in QUESTIONS.items()}
        expected = expected or found
        for question, one in found.items():
            if one != expected[question]:
                differing = sum(one.get(key) != expected[question].get(key) for key in one.keys() | expected[question].keys())
                raise SystemExit(f"{name}: {question}: {differing} of {len(expected[question])} answers differ")
        groups = sum(len(one) for one in found.values())
        print(f"{name}: {len(found)} questions, {groups} answers, all as expected, {time.time() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
