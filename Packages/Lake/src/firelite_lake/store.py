"""A store, read by the contract of its file (the page *File format*): read-only, in one snapshot."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .columns import ROOT, raw_columns
from .database import Database, Errors
from .errors import STALE, LakeError
from .numbers import Numbers, numbers
from .plan import View

#: `FHIR`, in the header of each store.
_APPLICATION = 0x46484952
_FORMATS = (2, 3)

#: Shapes are numbered from 1, so a table of them is small. `np.isin` takes longer to choose its way than a table of so many takes.
_MOST_SHAPES = 1 << 16


@dataclass
class States:
    """Resources by number, in ascending order, each with its version and the time of its last change in milliseconds."""

    roots: Numbers
    versions: Numbers
    updated: Numbers
    #: Reads their ids, which not every table needs.
    read_ids: Callable[[], pa.Array]

    @functools.cached_property
    def ids(self) -> pa.Array:
        """Their ids, as an array of strings."""
        return self.read_ids()

    def places(self, roots: Numbers) -> Numbers:
        """The places of resources, which must be there."""
        places = np.searchsorted(self.roots, roots)
        found = places < len(self.roots)
        if not found.all() or not np.array_equal(self.roots[places], roots):
            raise LakeError("a view has rows of a resource that is not in _resource: run `firelite check`")
        return places.astype(np.int64)


@dataclass(frozen=True)
class Sums:
    """Sums over the resources of a type, which tell whether a change log has explained every change.

    A change that it does not list adds to the revisions; a new resource has a number above all earlier ones.
    """

    count: int = 0
    roots: int = 0
    revisions: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.count + other.count, self.roots + other.roots, self.revisions + other.revisions)

    def __sub__(self, other: Sums) -> Sums:
        return Sums(self.count - other.count, self.roots - other.roots, self.revisions - other.revisions)


@dataclass(frozen=True)
class Resources:
    """Rows of `_resource`, in ascending order."""

    roots: Numbers
    revisions: Numbers
    updated: Numbers
    shapes: Numbers

    def is_of(self, shapes: list[int]) -> npt.NDArray[np.bool_]:
        """Which of them have one of some shapes."""
        least, most = int(self.shapes.min(initial=0)), int(self.shapes.max(initial=0))
        if least < 0 or most > _MOST_SHAPES:
            return np.isin(self.shapes, np.array(shapes, np.int64))
        is_one = np.zeros(most + 1, np.bool_)
        is_one[[shape for shape in shapes if 0 <= shape <= most]] = True
        return is_one[self.shapes]

    def chosen(self, chosen: npt.NDArray[np.bool_]) -> Resources:
        return Resources(self.roots[chosen], self.revisions[chosen], self.updated[chosen], self.shapes[chosen])


@dataclass(frozen=True)
class Changes:
    """The resources that a change log lists after a position, in ascending order, by the first change of each."""

    roots: Numbers
    #: Whether they were there before, and in which revision.
    was: npt.NDArray[np.bool_]
    earlier: Numbers
    #: The types that they had, as places in the list of names.
    types: Numbers
    names: list[str]
    #: Those that are there now, as they are.
    present: Resources


@dataclass(frozen=True)
class Log:
    """What the change log says since a position."""

    #: The numbers of the changed resources that had the type, or have it now.
    roots: Numbers
    #: The sums over them as they were.
    before: Sums
    #: The sums over those that are there now.
    now: Sums
    #: The same over the changed resources of all types.
    before_of_all: Sums
    now_of_all: Sums


class Store:
    """A store's file, open for reading. All it gives is of one moment."""

    def __init__(self, path: str) -> None:
        """Opens a file.

        Raises LakeError if it is not a plain store of a format that this version reads.
        """
        self.path = path
        _check_header(path)
        self._database: Database | None = None
        try:
            self._database = self._opened()
            application, format, schema = self._rows(
                "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),"
                " (SELECT schema_version FROM pragma_schema_version)"
            )[0]
            if application != _APPLICATION:
                raise LakeError(f"{path} is not a FireLite store")
            if format not in _FORMATS:
                remedy = "open it once with the tool firelite" if format < min(_FORMATS) else "install a newer firelite-lake"
                raise LakeError(f"{path} has format {format}, and this firelite-lake reads {_FORMATS[0]} to {_FORMATS[-1]}: {remedy}")
            # The transaction has begun: from here on, all is of this moment.
            self._meta = dict(self._rows("SELECT key, CAST(value AS TEXT) FROM _meta"))
        except LakeError:
            self.close()
            raise
        self.schema_version: int = schema
        self.identity: str = self._meta.get("identity") or ""
        if not self.identity:
            raise LakeError(f"{path} has no identity: run `firelite check`")

    def _opened(self) -> Database:
        try:
            return Database(self.path)
        except Errors as error:
            raise self._error(error) from None

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Statements

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        assert self._database is not None
        try:
            return self._database.rows(sql, parameters)
        except Errors as error:
            raise self._error(error) from None

    def _batches(self, sql: str, columns: Sequence[tuple[str, bool]], parameters: Sequence[Any] = ()) -> Iterator[pa.RecordBatch]:
        """The rows of a statement with these columns, each of which is a number or a text.

        The first row of the statement that is run says so: the driver goes by the first values that it finds, and a column may begin with NULLs.
        """
        assert self._database is not None
        first = ", ".join(f'{-1 if is_number else chr(39) * 2} AS "{name}"' for name, is_number in columns)
        names = ", ".join(f'"{name}"' for name, _ in columns)
        expected = pa.schema([pa.field(name, pa.int64() if is_number else pa.string()) for name, is_number in columns])
        is_first = True
        try:
            for batch in self._database.batches(f"SELECT {first} UNION ALL SELECT {names} FROM ({sql})", parameters):
                if is_first:
                    batch = batch.slice(1)
                    is_first = False
                if len(batch):
                    yield batch.cast(expected)
        except Errors as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> LakeError:
        """An error of SQLite as one line, without values: its messages name tables and columns, but quote nothing else."""
        text = str(error)
        if "integer overflow" in text:
            return LakeError(f"{self.path}: a column of the view has several values for a resource, and is no collection")
        if "locked" in text or "busy" in text.lower():
            return LakeError(f"{self.path} is locked by another program: try again")
        if "not a database" in text:
            return LakeError(f"{self.path} is encrypted, or no database: make a plain backup of an encrypted one")
        if "malformed" in text:
            return LakeError(f"{self.path} is damaged: run `firelite check`")
        return LakeError(f"{self.path} cannot be read by SQLite: {_cause(text)}")

    def check_schema(self, number: int) -> None:
        """Raises LakeError with status STALE if the schema is not the one that statements were made for."""
        if number != self.schema_version:
            raise LakeError(f"{self.path} has got tables or columns since the plan was made: make another plan", STALE)

    # Views

    def rows(self, view: View, roots: Numbers | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a view's statement, for all resources or some."""
        if view.sql is None or view.changes_sql is None:
            return iter(())
        if roots is None:
            return self._batches(view.sql, raw_columns(view))
        return self._batches(view.changes_sql, raw_columns(view), (json.dumps(roots.tolist()),))

    # Resources

    def element_rows(
        self, table: str, columns: Sequence[tuple[str, str, bool]], roots: Numbers, condition: str, *, is_range: bool
    ) -> pa.Table:
        """The rows of a table `t` that belong to some resources, in ascending order, or to any from the first to the last of them.

        A column is a name, an expression, and whether it gives numbers.
        """
        names = [(name, is_number) for name, _, is_number in columns]
        chosen = ", ".join(f'{expression} AS "{name}"' for name, expression, _ in columns)
        quoted = table.replace('"', '""')
        if is_range:
            source, parameters = f'"{quoted}" t WHERE t._k BETWEEN ?1 << 24 AND (?2 << 24) + 16777215', [int(roots[0]), int(roots[-1])]
        else:
            source = f'json_each(?1) r CROSS JOIN "{quoted}" t WHERE t._k BETWEEN r.value << 24 AND (r.value << 24) + 16777215'
            parameters = [json.dumps(roots.tolist())]  # type: ignore[list-item]
        schema = pa.schema([pa.field(name, pa.int64() if is_number else pa.string()) for name, is_number in names])
        return pa.Table.from_batches(self._batches(f"SELECT {chosen} FROM {source} AND {condition}", names, parameters), schema)

    @functools.cached_property
    def _shapes(self) -> dict[str, list[int]]:
        """The shapes of each type."""
        shapes: dict[str, list[int]] = {}
        for shape, type in self._rows("SELECT shape, type FROM _shape"):
            shapes.setdefault(type, []).append(shape)
        return shapes

    @functools.cached_property
    def sums(self) -> dict[str, Sums]:
        """The sums over the resources of each type."""
        if "_all_states" in self.__dict__:
            known = self._all_states
            return {type: _sums(known.roots, known.revisions, known.is_of(shapes)) for type, shapes in self._shapes.items()}
        types = {shape: type for type, shapes in self._shapes.items() for shape in shapes}
        sums: dict[str, Sums] = {}
        for shape, *numbers in self._rows("SELECT shape, count(*), sum(root), sum(revision) FROM _resource GROUP BY shape"):
            type = types.get(shape, "")
            sums[type] = sums.get(type, Sums()) + Sums(*numbers)
        return sums

    @functools.cached_property
    def sums_of_all(self) -> Sums:
        """The sums over all resources: without types, as SQLite sorts to group them."""
        if "_all_states" in self.__dict__:
            known = self._all_states
            return Sums(len(known.roots), int(known.roots.sum()), int(known.revisions.sum()))
        numbers = self._rows("SELECT count(*), coalesce(sum(root), 0), coalesce(sum(revision), 0) FROM _resource")[0]
        return Sums(*numbers)

    @property
    def resource_bytes(self) -> int:
        """The bytes of the file for each resource."""
        return max(os.path.getsize(self.path) // max(self.sums_of_all.count, 1), 1)

    def states(self, type: str, roots: Numbers | None = None, position: int | None = None) -> States:
        """The resources of a type, or those among some, which the log may list as changed after a position."""
        if roots is None:
            known = self._all_states
        elif position is None:
            known = self._resources(" WHERE root IN (SELECT value FROM json_each(?1))", (json.dumps(roots.tolist()),))
        else:
            known = self._changes(position).present
            known = known.chosen(np.isin(known.roots, roots))
        chosen = known.chosen(known.is_of(self._shapes.get(type, [])))
        return States(chosen.roots, chosen.revisions, chosen.updated, lambda: self._ids(type, chosen.roots, is_all=roots is None))

    @functools.cached_property
    def _all_states(self) -> Resources:
        return self._resources("")

    def _resources(self, condition: str, parameters: Sequence[Any] = ()) -> Resources:
        """Resources in ascending order."""
        names = ("root", "revision", "updated", "shape")
        rows = self._numbers(f"SELECT {', '.join(names)} FROM _resource{condition} ORDER BY root", names, parameters)
        return Resources(*(numbers(rows.column(name)) for name in names))

    def _numbers(self, sql: str, names: Sequence[str], parameters: Sequence[Any] = ()) -> pa.Table:
        """The rows of a statement that gives numbers."""
        schema = pa.schema([pa.field(name, pa.int64()) for name in names])
        return pa.Table.from_batches(self._batches(sql, [(name, True) for name in names], parameters), schema)

    def _ids(self, type: str, roots: Numbers, *, is_all: bool) -> pa.Array:
        """The ids of resources of a type, in ascending order of their numbers."""
        if not len(roots) or not any(row[0] == "id" for row in self._rows("SELECT name FROM pragma_table_info(?)", (type,))):
            return pa.nulls(len(roots), pa.string())
        name = type.replace('"', '""')
        chosen = "_parent IS NULL" if is_all else "_k IN (SELECT value << 24 FROM json_each(?1))"
        parameters = () if is_all else (json.dumps(roots.tolist()),)
        columns = [("_root", True), ("_id", False)]
        schema = pa.schema([pa.field("_root", pa.int64()), pa.field("_id", pa.string())])
        sql = f'SELECT _k >> 24 AS _root, id AS _id FROM "{name}" WHERE {chosen} ORDER BY _k'
        table = pa.Table.from_batches(self._batches(sql, columns, parameters), schema)
        if np.array_equal(numbers(table.column(0)), roots):
            return table.column(1).combine_chunks()
        # A resource without a row of its own has no id.
        known = dict(zip(*table.to_pydict().values(), strict=True))
        return pa.array([known.get(root) for root in roots.tolist()], pa.string())

    def types(self) -> list[str]:
        """The types of which there are resources."""
        return sorted(type for type, sums in self.sums.items() if sums.count)

    # The change log

    @property
    def position(self) -> int:
        """The number of the newest entry of the change log; 0 if there is no log."""
        return max(int(self._meta.get("track.next") or 1) - 1, 0)

    def logs(self, type: str) -> bool:
        """Whether the change log lists the resources of a type."""
        types = (self._meta.get("track.changes") or "").split()
        return "*" in types or type in types

    @functools.cached_property
    def _has_log(self) -> bool:
        return bool(self._rows("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_change'")[0][0])

    @functools.cache  # noqa: B019  A snapshot lives for one publication.
    def entry(self, position: int) -> int:
        """A number for the entry at a position, or the newest one before it that is kept; 0 if there is none."""
        if not self._has_log:
            return 0
        rows = self._rows("SELECT seq, root, kind, time FROM _change WHERE seq <= ? ORDER BY seq DESC LIMIT 1", (position,))
        if not rows:
            return 0
        seq, root, kind, time = rows[0]
        return int((seq * 1_000_003 + root * 40_503 + kind * 7 + time) % (1 << 61))

    @functools.cache  # noqa: B019
    def _has_lost(self, position: int) -> bool:
        """Whether rows of the log after a position are lost: `track.whole` has its first number, the next one, and the ranges without rows."""
        mark = [int(text) if text.isascii() and text.isdigit() else 0 for text in (self._meta.get("track.whole") or "").split()]
        if len(mark) < 2 or len(mark) % 2 or mark[1] != self.position + 1:
            return False
        low, high = max(position + 1, mark[0]), mark[1]
        ranges = zip(mark[2::2], mark[3::2], strict=True)
        holes = sum(max(min(last + 1, high) - max(first, low), 0) for first, last in ranges)
        count = int(self._rows("SELECT count(*) FROM _change WHERE seq >= ? AND seq < ?", (low, high))[0][0])
        return count < high - low - holes

    @functools.cache  # noqa: B019
    def _changes(self, position: int) -> Changes:
        """Each changed resource with its first change after a position, and its present revision and shape."""
        sql = (
            "SELECT c.root AS root, c.kind AS kind, c.type AS type, c.revision AS earlier, r.revision AS revision, r.shape AS shape,"
            " r.updated AS updated"
            " FROM (SELECT root, min(seq), kind, type, revision FROM _change WHERE seq > ?1 GROUP BY root) c"
            " LEFT JOIN _resource r ON r.root = c.root ORDER BY c.root"
        )
        columns = [(name, name != "type") for name in ("root", "kind", "type", "earlier", "revision", "shape", "updated")]
        schema = pa.schema([pa.field(name, pa.int64() if is_number else pa.string()) for name, is_number in columns])
        rows = pa.Table.from_batches(self._batches(sql, columns, (position,)), schema)
        root, kind, earlier, revision, shape, updated = (
            numbers(pc.fill_null(rows.column(name), -1)) for name, is_number in columns if is_number
        )
        types = pc.fill_null(rows.column("type"), "").combine_chunks().dictionary_encode()
        present = Resources(root, revision, updated, shape).chosen(shape >= 0)
        return Changes(root, kind != 0, earlier, numbers(types.indices), types.dictionary.to_pylist(), present)

    def log(self, position: int, type: str) -> Log | str:
        """The changes after a position; or why the log cannot say them."""
        if not self._has_log or not self.logs(type):
            return f"the change log of {type} is off"
        if int(self._meta.get("track.start") or 1) > position + 1:
            return "the change log was pruned, or began after the last publication"
        if self._has_lost(position):
            return "the change log has lost rows: see `firelite check`"
        changes = self._changes(position)
        of_type = changes.types == (changes.names.index(type) if type in changes.names else -1)
        was = changes.was & of_type
        now = changes.present.chosen(changes.present.is_of(self._shapes.get(type, [])))
        present = changes.present
        return Log(
            np.union1d(changes.roots[was], now.roots), _sums(changes.roots, changes.earlier, was), _sums(now.roots, now.revisions),
            _sums(changes.roots, changes.earlier, changes.was), _sums(present.roots, present.revisions),
        )


def _sums(roots: Numbers, revisions: Numbers, chosen: npt.NDArray[np.bool_] | None = None) -> Sums:
    if chosen is not None:
        roots, revisions = roots[chosen], revisions[chosen]
    return Sums(len(roots), int(roots.sum()), int(revisions.sum()))


def _cause(text: str) -> str:
    """What SQLite says, without the driver's words and on one line."""
    for known in ("unable to open database file", "disk I/O error", "no such table", "no such column", "attempt to write a readonly database"):
        if known in text:
            return known
    return "its statement failed"


def _check_header(path: str) -> None:
    try:
        with open(path, "rb") as file:
            header = file.read(16)
    except OSError as error:
        raise LakeError(f"{path} cannot be read: {error.strerror}") from None
    if header and header != b"SQLite format 3\0":
        raise LakeError(f"{path} is encrypted, or no database: make a plain backup of an encrypted one")
