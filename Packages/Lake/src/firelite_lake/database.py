"""A database that Arrow's SQLite driver has open for reading: statements that give rows, or batches of columns.

The driver's DB-API is left aside: it imports pandas and polars wherever they are installed, which costs more than a publication.
"""

from __future__ import annotations

import contextlib
import os
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Any

import adbc_driver_manager
import adbc_driver_sqlite
import pyarrow as pa

#: How many rows SQLite gives at a time.
_BATCH = 65_536

#: What a statement raises, and reading its rows.
Errors = (adbc_driver_manager.Error, pa.ArrowException, OSError)


class Database:
    """A connection with one transaction, which begins with the first statement."""

    def __init__(self, path: str) -> None:
        """Opens a file.

        Raises one of `Errors`.
        """
        self._database = adbc_driver_sqlite.connect(f"file:{urllib.parse.quote(os.path.abspath(path))}?mode=ro")
        self._connection: Any = None
        #: Statements whose rows are not all read, as an error may end a publication anywhere.
        self._unread: list[contextlib.ExitStack] = []
        try:
            self._connection = adbc_driver_manager.AdbcConnection(self._database)
            self._connection.set_autocommit(False)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for statement in self._unread:
            statement.close()
        if self._connection is not None:
            self._connection.close()
        self._database.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement.

        Raises one of `Errors`.
        """
        found: list[tuple[Any, ...]] = []
        for batch in self.batches(sql, parameters):
            found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return found

    def batches(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[pa.RecordBatch]:
        """The rows of a statement, as they come.

        Raises one of `Errors`.
        """
        opened = contextlib.ExitStack()
        self._unread.append(opened)
        try:
            statement = opened.enter_context(adbc_driver_manager.AdbcStatement(self._connection))
            statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH)})
            statement.set_sql_query(sql)
            statement.prepare()
            if parameters:
                # Arrow finds out types at length, and `pa.array` of a list looks for pandas.
                arrays = [pa.repeat(pa.scalar(one, pa.string() if isinstance(one, str) else pa.int64()), 1) for one in parameters]
                statement.bind(pa.RecordBatch.from_arrays(arrays, [str(number) for number in range(len(arrays))]))
            stream, _ = statement.execute_query()
            yield from opened.enter_context(pa.RecordBatchReader.from_stream(stream))
        finally:
            opened.close()
            self._unread.remove(opened)
