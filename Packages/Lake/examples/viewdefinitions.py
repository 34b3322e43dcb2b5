"""Compares a lake with another engine's rows of the same ViewDefinitions over the NDJSON that was imported.

    python examples/viewdefinitions.py LAKE PLAN FOLDER

PLAN is a file with what `firelite publish --plan` prints for one store: its definitions are run. FOLDER has a file for each type, such as
Patient.ndjson. The engine is Helios (`pip install pysof`). A key is Type/id in a lake and the id alone in Helios, which the standard leaves to them.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pysof
from deltalake import DeltaTable, QueryBuilder


def of_engine(view: dict[str, Any], path: str) -> Counter[str]:
    """The rows of a view over a file."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "rows.ndjson")
        pysof.process_ndjson_to_file(view, path, output, "ndjson", fhir_version="R4")
        with open(output, encoding="utf-8") as file:
            # U+2028 and the like are no ends of lines in NDJSON.
            return Counter(canonical(json.loads(line, parse_float=Decimal, parse_int=Decimal)) for line in file)


def of_lake(lake: str, view: dict[str, Any], store: str) -> Counter[str]:
    """The rows that the lake has of a store."""
    builder = QueryBuilder().register("t", DeltaTable(os.path.join(lake, view["name"])))
    rows = pa.table(builder.execute(f"SELECT * FROM t WHERE _store = '{store}'").read_all()).to_pylist()
    paths = {column["name"]: column["path"] for select in view["select"] for column in select.get("column", [])}
    return Counter(canonical({name: value(row, name, path) for name, path in paths.items()}) for row in rows)


def value(row: dict[str, Any], name: str, path: str) -> Any:
    """A column's value as FHIR writes it, by what the columns beside it say."""
    found, literal = row[name], row.get(f"{name}_literal")
    if "getResourceKey(" in path or "getReferenceKey(" in path:
        return None if found is None else found.partition("/")[2]
    if isinstance(found, Decimal):
        return found
    if literal is not None:
        return literal
    if isinstance(found, datetime):
        minutes = row[f"{name}_offset"]
        text = (found + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S")
        if found.microsecond:
            text += f".{found.microsecond:06}".removesuffix("000")
        return text + ("Z" if minutes == 0 else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}")
    return found.isoformat() if isinstance(found, date) else found


def canonical(row: dict[str, Any]) -> str:
    """A row as a text. Numbers are compared by their value."""
    return json.dumps({name: str(one.normalize()) if isinstance(one, Decimal) else one for name, one in row.items()}, sort_keys=True)


def main() -> None:
    lake, path, folder = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        (store,) = json.load(file)["stores"]
    total = differing = 0
    for plan in store["views"]:
        view = plan["definition"]["view"] | {"resourceType": "ViewDefinition", "status": "active"}
        theirs = of_engine(view, os.path.join(folder, f"{view['resource']}.ndjson"))
        ours = of_lake(os.path.abspath(lake), view, store["name"])
        only_ours, only_theirs = (ours - theirs).total(), (theirs - ours).total()
        total, differing = total + ours.total(), differing + max(only_ours, only_theirs)
        print(f"{view['name']}: {ours.total()} rows, {only_ours} only in the lake, {only_theirs} only from the engine", flush=True)
    print(f"{total} rows, {differing} differ")
    sys.exit(1 if differing or not total else 0)


if __name__ == "__main__":
    main()
