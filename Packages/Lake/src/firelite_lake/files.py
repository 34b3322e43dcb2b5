"""The data files of a table: writing rows into new ones, and finding the rows of resources in those that are there."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import vectors
from .columns import ROOT, UPDATED
from .delta import Action, Table, added
from .errors import LakeError
from .numbers import Numbers, numbers
from .schemas import fitted, merged_fields

#: The most rows of a file, and of a part of it that is compressed as one.
FILE_ROWS = 1 << 20
GROUP_ROWS = 1 << 17
#: Rows are written earlier if they have so many bytes.
_GROUP_BYTES = 1 << 28

COMPRESSION = "zstd"

#: A column of a larger file gets a dictionary if so many first rows have at most so many different texts. Building one for others costs a third, and
#: in a smaller file any costs more than it saves.
_SAMPLE = 2048
_MOST_TEXTS = 512


class Writer:
    """Writes rows into new files of a table, of which nobody knows before a commit names them."""

    def __init__(self, table: Table, store: str, schema: pa.Schema) -> None:
        self.rows = 0
        self.actions: list[Action] = []
        self._table = table
        self._store = store
        #: The columns, to which batches may add.
        self.schema = schema
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        #: The path of the file that is being written; empty for none.
        self._path = ""
        self._file_rows = 0
        self._least = 0
        self._most = 0

    def write(self, batch: pa.RecordBatch) -> None:
        if len(batch) == 0:
            return
        if batch.schema != self.schema:
            merged = merged_fields(self.schema, batch.schema)
            if merged != self.schema:
                # A file has one schema.
                self.close()
                self.schema = merged
            batch = fitted(batch, self.schema)
        self._waiting.append(batch)
        self._waiting_rows += len(batch)
        self._waiting_bytes += batch.nbytes
        self.rows += len(batch)
        if self._waiting_rows >= GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        rows = pa.Table.from_batches(self._waiting, self.schema)
        roots = pc.min_max(rows.column(ROOT))
        if self._writer is None:
            self._path = self._table.new_path(self._store)
            path = self._table.absolute(self._path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            dictionary = False if len(rows) < _SAMPLE else _repeating(rows.slice(0, _SAMPLE))
            self._writer = pq.ParquetWriter(path, self.schema, compression=COMPRESSION, use_dictionary=dictionary)
            self._file_rows = 0
            self._least, self._most = roots["min"].as_py(), roots["max"].as_py()
        self._writer.write_table(rows, row_group_size=GROUP_ROWS)
        self._file_rows += len(rows)
        self._least = min(self._least, roots["min"].as_py())
        self._most = max(self._most, roots["max"].as_py())
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        if self._file_rows >= FILE_ROWS:
            self._finish()

    def _finish(self) -> None:
        if self._writer is None:
            return
        self._writer.close()
        self._writer = None
        path = self._table.absolute(self._path)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        stats = {
            "numRecords": self._file_rows,
            "minValues": {ROOT: self._least},
            "maxValues": {ROOT: self._most},
            "nullCount": {ROOT: 0},
            "tightBounds": True,
        }
        self.actions.append(added(self._path, self._store, os.path.getsize(path), stats))
        self._path = ""

    def close(self) -> None:
        """Completes the last file."""
        self._flush()
        self._finish()

    def abandon(self) -> None:
        """Removes the files, as no commit will name them."""
        if self._writer is not None:
            try:
                self._writer.close()
            except (OSError, pa.ArrowException):
                # Such as one for which the disk has no room.
                pass
            self._writer = None
        if self._path:
            self._remove(self._table.absolute(self._path))
        for action in self.actions:
            self._remove(self._table.file(action["add"]))

    @staticmethod
    def _remove(path: str) -> None:
        try:
            os.unlink(path)
        except OSError:
            pass


def _repeating(sample: pa.Table) -> list[str]:
    """The columns whose texts repeat, and all texts within lists and structs, by their paths in Parquet."""
    found: list[str] = []
    for field in sample.schema:
        if not pa.types.is_string(field.type):
            found += _texts(field.name, field.type)
        elif pc.count_distinct(sample.column(field.name)).as_py() <= _MOST_TEXTS:
            found.append(field.name)
    return found


def _texts(path: str, type: pa.DataType) -> list[str]:
    if pa.types.is_list(type):
        return _texts(f"{path}.list.element", type.value_type)
    if pa.types.is_struct(type):
        return [one for index in range(type.num_fields) for one in _texts(f"{path}.{type.field(index).name}", type.field(index).type)]
    return [path] if pa.types.is_string(type) and "." in path else []


@dataclass
class Rows:
    """The rows of a file, by their positions: the resource and its version, and whether the row is still there."""

    file: Action
    roots: Numbers
    versions: Numbers
    updated: Numbers
    #: The positions of deleted rows.
    deleted: Numbers

    @property
    def is_live(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        live = np.ones(len(self.roots), bool)
        live[self.deleted] = False
        return live


    def is_of(self, roots: Numbers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which rows are of some resources, in ascending order."""
        if np.any(self.roots[1:] < self.roots[:-1]):
            return np.isin(self.roots, roots)
        # A file's rows mostly are in the order of the store.
        hits = np.zeros(len(self.roots) + 1, np.int64)
        np.add.at(hits, np.searchsorted(self.roots, roots, "left"), 1)
        np.subtract.at(hits, np.searchsorted(self.roots, roots, "right"), 1)
        return np.cumsum(hits[:-1]) > 0


def count(file: Action) -> int:
    """The number of rows of a file that are still there."""
    records = int(json.loads(file["stats"])["numRecords"])
    vector = file.get("deletionVector")
    return records - (int(vector["cardinality"]) if vector else 0)


def may_have(file: Action, roots: Numbers) -> bool:
    """Whether a file may have rows of some resources, in ascending order, by what the log says of it."""
    stats = json.loads(file["stats"])
    least, most = stats.get("minValues", {}).get(ROOT), stats.get("maxValues", {}).get(ROOT)
    if least is None or most is None:
        return True
    place = int(np.searchsorted(roots, least))
    return place < len(roots) and int(roots[place]) <= most


def read_rows(table: Table, file: Action, version: str | None) -> Rows:
    """Reads which resources the rows of a file are from, and, from a column, in which version."""
    names = [ROOT] if version is None else [ROOT, version, UPDATED]
    columns = read(table, file, names)
    empty = np.zeros(0, np.int64)
    return Rows(
        file,
        numbers(columns.column(ROOT)),
        empty if version is None else numbers(columns.column(version)),
        empty if version is None else numbers(columns.column(UPDATED)) // 1000,
        vectors.decoded(file.get("deletionVector"), table.folder),
    )


def read(table: Table, file: Action, names: list[str] | None = None) -> pa.Table:
    """Reads columns of a file, with the rows that are deleted."""
    path = table.file(file)
    try:
        # As one file: a folder's name would otherwise become a column.
        return pq.ParquetFile(path).read(columns=names, use_threads=False)
    except (OSError, pa.ArrowException):
        raise LakeError(f"{path}, a file of the lake, cannot be read: publish into a new folder") from None
