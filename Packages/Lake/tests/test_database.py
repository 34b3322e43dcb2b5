"""A database closes whatever was being read, and importing the package stays cheap."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from firelite_lake.database import Database, Errors


def test_closing_ends_statements_that_are_being_read(tmp_path: Path) -> None:
    path = tmp_path / "numbers.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE number(n INTEGER)")
    connection.executemany("INSERT INTO number VALUES (?)", ((number,) for number in range(100_000)))
    connection.commit()
    database = Database(str(path))
    batches = database.batches("SELECT n FROM number ORDER BY n")
    assert next(batches).num_rows == 65_536
    database.close()
    # Nothing holds the file any more: another connection may lock it.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.rollback()
    connection.close()


def test_rows_have_the_values_and_parameters_of_a_statement(tmp_path: Path) -> None:
    path = tmp_path / "a b?c#d.sqlite"
    sqlite3.connect(path).executescript("CREATE TABLE t(n, s); INSERT INTO t VALUES (1, 'one'), (2, NULL)")
    database = Database(str(path))
    assert database.rows("SELECT n, s FROM t WHERE n <= ? ORDER BY n", (2,)) == [(1, "one"), (2, None)]
    assert database.rows("SELECT n FROM t WHERE s = ?", ("one",)) == [(1,)]
    assert database.rows("SELECT n FROM t WHERE n > 2") == []
    with pytest.raises(Errors):
        database.rows("SELECT nothing FROM t")
    with pytest.raises(Errors):
        database.rows("INSERT INTO t VALUES (3, 'three')")
    database.close()


def test_importing_does_not_load_what_few_publications_need() -> None:
    code = "import sys, firelite_lake.program; print([name for name in ('pandas', 'polars', 'deltalake', 'pyarrow.dataset') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
