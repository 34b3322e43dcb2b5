"""What the tests share: stores that the tool `firelite` makes, and readers that have nothing in common with the publisher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder

from firelite_lake import Plan, publish
from firelite_lake.publish import Run

ROOT = Path(__file__).resolve().parents[3]

#: Views with every type of column, lists, rows for elements, conditions and unions.
VIEWS: list[dict[str, Any]] = [
    {
        "name": "people", "resource": "Patient",
        "select": [
            {
                "column": [
                    {"name": "id", "path": "getResourceKey()"}, {"name": "active", "path": "active"}, {"name": "born", "path": "birthDate"},
                    {"name": "died", "path": "deceased.ofType(dateTime)"}, {"name": "twin", "path": "multipleBirth.ofType(integer)"},
                    {"name": "given", "path": "name.given", "collection": True}, {"name": "gender", "path": "gender"},
                ]
            }
        ],
    },
    {
        "name": "families", "resource": "Patient",
        "select": [
            {"column": [{"name": "id", "path": "id"}]},
            {"forEach": "name", "column": [{"name": "family", "path": "family"}, {"name": "since", "path": "period.start"}]},
        ],
        "where": [{"path": "active"}],
    },
    {
        "name": "values", "resource": "Observation",
        "select": [
            {
                "column": [
                    {"name": "patient", "path": "subject.getReferenceKey(Patient)"}, {"name": "about", "path": "subject.getReferenceKey()"},
                    {"name": "value", "path": "value.ofType(Quantity).value"},
                    {"name": "at", "path": "effective.ofType(dateTime)"}, {"name": "issued", "path": "issued"},
                    {"name": "unit", "path": "value.ofType(Quantity).unit"}, {"name": "hour", "path": "value.ofType(time)"},
                    {"name": "code", "path": "code.coding.first().code"},
                ]
            }
        ],
    },
    {
        "name": "both", "resource": "Observation",
        "select": [
            {
                "unionAll": [
                    {"column": [{"name": "number", "path": "value.ofType(Quantity).value"}, {"name": "when", "path": "effective.ofType(dateTime)"}]},
                    {
                        "forEach": "component",
                        "column": [
                            {"name": "number", "path": "value.ofType(Quantity).value"}, {"name": "when", "path": "value.ofType(dateTime)"},
                        ],
                    },
                ]
            }
        ],
    },
]


def tool_path() -> str | None:
    path = os.environ.get("FIRELITE") or str(ROOT / ".build/debug/firelite")
    return path if os.access(path, os.X_OK) else shutil.which("firelite")


@pytest.fixture(scope="session")
def tool() -> str:
    path = tool_path()
    if path is None:
        pytest.skip("the tool firelite is not built: swift build --product firelite, or name it in FIRELITE")
    return path


class World:
    """A folder with stores, views and a lake."""

    def __init__(self, tool: str, folder: Path) -> None:
        self.tool = tool
        self.folder = folder
        self.lake = str(folder / "lake")
        self.views: list[str] = []
        for view in VIEWS:
            self.add_view(view)

    def add_view(self, view: dict[str, Any]) -> str:
        path = str(self.folder / f"{view['name']}.json")
        Path(path).write_text(json.dumps(view))
        if path not in self.views:
            self.views.append(path)
        return path

    def store(self, name: str) -> str:
        return str(self.folder / f"{name}.sqlite")

    def run(self, *arguments: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([self.tool, *arguments], capture_output=True, text=True)
        if not fails:
            assert done.returncode == 0, (arguments, done.stderr)
        return done

    def put(self, name: str, *resources: dict[str, Any] | str, server: bool = False) -> None:
        """Stores resources, which are objects or lines of JSON."""
        path = self.folder / "in.ndjson"
        lines = [one if isinstance(one, str) else json.dumps(one) for one in resources]
        path.write_text("\n".join(lines) + "\n")
        self.run("import", "--quiet", "--database", self.store(name), *(["--from-server"] if server else []), str(path))

    def delete(self, name: str, *keys: str) -> None:
        self.run("delete", "--database", self.store(name), *keys)

    # Publishing

    def plan(self, *names: str, since_last: bool = True, views: list[str] | None = None) -> str:
        arguments = ["publish", "--plan", "--to", self.lake]
        for name in names:
            arguments += ["--database", self.store(name)]
        for path in self.views if views is None else views:
            arguments += ["--views", path]
        if since_last:
            arguments.append("--since-last")
        return self.run(*arguments).stdout

    def publish(self, *names: str, since_last: bool = True, views: list[str] | None = None) -> Run:
        return publish(Plan.read(self.plan(*names, since_last=since_last, views=views)))

    # Reading

    def expected(self, name: str, view: dict[str, Any]) -> Counter[str]:
        """The rows that the tool prints for a view of a store."""
        lines = self.run("view", "--database", self.store(name), "--definition", str(self.folder / f"{view['name']}.json"), "--format", "ndjson")
        rows = [json.loads(line, parse_float=Number, parse_int=Number) for line in lines.stdout.splitlines()]
        return Counter(canonical(row) for row in rows)

    def published(self, name: str, view: dict[str, Any]) -> Counter[str]:
        """The rows that the lake has of a store, as the tool would print them."""
        names = self.columns(view)
        return Counter(canonical({column: literal(row, column) for column in names}) for row in self.rows(view["name"], name))

    def columns(self, view: dict[str, Any]) -> list[str]:
        names: list[str] = []
        for select in view["select"]:
            names += [column["name"] for column in select.get("column", [])]
            if "unionAll" in select:
                names += [column["name"] for column in select["unionAll"][0]["column"]]
        return names

    def rows(self, table: str, store: str | None = None) -> list[dict[str, Any]]:
        """The rows of a table, as DataFusion reads them."""
        delta = DeltaTable(os.path.join(self.lake, table))
        condition = "" if store is None else f" WHERE _store = '{store}'"
        result = QueryBuilder().register("t", delta).execute(f"SELECT * FROM t{condition}")
        return pa.table(result.read_all()).to_pylist()

    def is_same(self, *names: str, views: list[dict[str, Any]] | None = None) -> None:
        """The lake has exactly what the stores have."""
        for view in VIEWS if views is None else views:
            for name in names:
                assert self.published(name, view) == self.expected(name, view), (view["name"], name)
            assert {row["_store"] for row in self.rows(view["name"])} <= set(names)


class Number(str):
    """A number of JSON with its digits."""


def canonical(row: dict[str, Any]) -> str:
    def text(value: Any) -> Any:
        if isinstance(value, Number):
            number = Decimal(value)
            return ["number", str(number.normalize()), value if number != 0 and "." in value and value.endswith("0") else ""]
        return [text(one) for one in value] if isinstance(value, list) else value

    return json.dumps({name: text(value) for name, value in row.items()})


def literal(row: dict[str, Any], column: str) -> Any:
    """The value of a column as FHIR writes it, by what the columns beside it say."""
    value = row[column]
    if row.get(f"{column}_literal") is not None:
        return Number(row[f"{column}_literal"]) if isinstance(value, Decimal) or is_number(row[f"{column}_literal"]) else row[f"{column}_literal"]
    if value is None:
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return Number(str(value))
    if isinstance(value, Decimal):
        return Number(format(value.normalize(), "f"))
    if hasattr(value, "hour"):
        minutes = row[f"{column}_offset"]
        local = value + timedelta(minutes=minutes)
        text = local.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
        if local.microsecond:
            text += f".{local.microsecond // 1000:03}" if local.microsecond % 1000 == 0 else f".{local.microsecond:06}"
        return text + ("Z" if minutes == 0 else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value


def is_number(text: str) -> bool:
    try:
        Decimal(text)
    except ArithmeticError:
        return False
    return "e" in text.lower() or len(text) > 18


@pytest.fixture
def world(tool: str, tmp_path: Path) -> Iterator[World]:
    yield World(tool, tmp_path)


@pytest.fixture(scope="module")
def shared_world(tool: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    yield World(tool, tmp_path_factory.mktemp("world"))
