"""Resources as nested columns, in the shape of *Parquet on FHIR*: to-one elements as structs, repeating ones as lists.

The store has a table for each resource type and each repeating element. Here they become one table again, column by column: the rows of an element
find their owners by number, and a list is the rows of an owner in their order. No resource is read by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import MOMENT, ROOT, UPDATED, constant
from .elements import Value, value_fields, values_of
from .errors import LakeError
from .numbers import Numbers
from .plan import Member, ResourcePlan
from .store import States, Store

#: The column with the resource's revision. `_version` is what FHIR calls the id and extensions of an element `version`.
REVISION = "_revision"

#: How many resources are assembled at a time, and how many bytes of the file they may have on average.
_CHUNK = 20_000
_CHUNK_BYTES = 1 << 28

_NODE = (1 << 24) - 1


@dataclass
class Rows:
    """Rows of a table of the store."""

    keys: Numbers
    #: The keys of the rows that they belong to.
    owners: Numbers
    places: Numbers
    #: The member of the owner, where rows of several lists are in one table.
    member: pa.Array | None
    values: pa.Table

    def take(self, places: Numbers) -> Rows:
        return Rows(
            self.keys[places], self.owners[places], self.places[places],
            None if self.member is None else self.member.take(pa.array(places)), self.values.take(pa.array(places)),
        )


@dataclass
class Object:
    """The elements of objects, each as a column."""

    names: list[pa.Field] = field(default_factory=list)
    arrays: list[pa.Array] = field(default_factory=list)

    def add(self, name: str, array: pa.Array) -> None:
        self.names.append(pa.field(name, array.type))
        self.arrays.append(array)

    def struct(self, count: int) -> tuple[pa.StructArray, np.ndarray[Any, np.dtype[np.bool_]]]:
        """The objects, and which of them have any element."""
        present = np.zeros(count, bool)
        for array in self.arrays:
            present |= np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
        return pa.StructArray.from_arrays(self.arrays, fields=self.names, mask=pa.array(~present)), present


class Assembler:
    """Assembles the resources of a type."""

    def __init__(self, snapshot: Store, plan: ResourcePlan) -> None:
        self._snapshot = snapshot
        self._plan = plan
        self._tables = dict(_tables(plan.type, plan.members))
        self._needs_member = {one.recursion for one in _all(plan.members) if one.recursion and one.member}
        self._loaded: dict[str, Rows] = {}

    def batches(self, states: States, roots: Numbers | None) -> Iterator[pa.RecordBatch]:
        """The resources of the states, `roots` among them or all, with their numbers, revisions and times."""
        size = max(1, min(_CHUNK, _CHUNK_BYTES // self._snapshot.resource_bytes))
        start = 0
        while start < len(states.roots):
            chunk = states.roots[start : start + size]
            try:
                batch = self._batch(states, start, chunk, is_range=roots is None)
            except pa.ArrowInvalid:
                # A column of texts holds 2 GB, which a few large attachments fill.
                if len(chunk) == 1:
                    raise LakeError(f"{self._snapshot.path} has a {self._plan.type} that is too large for a column of Parquet") from None
                size = len(chunk) // 2
                continue
            yield batch
            start += len(chunk)

    def _batch(self, states: States, start: int, chunk: Numbers, *, is_range: bool) -> pa.RecordBatch:
        self._chunk, self._is_range = chunk, is_range
        self._loaded = {}
        rows = self._load(self._plan.type)
        places = np.searchsorted(rows.keys, chunk << 24)
        places = np.minimum(places, max(len(rows.keys) - 1, 0))
        found = rows.keys[places] == chunk << 24 if len(rows.keys) else np.zeros(len(chunk), bool)
        # A resource without any element has no row.
        taken = Rows(
            chunk << 24, chunk << 24, np.zeros(len(chunk), np.int64), None,
            rows.values.take(pa.array(places, mask=~found)) if len(rows.keys) else _empty(rows.values.schema, len(chunk)),
        )
        content = self._object(self._plan.members, taken)
        end = start + len(chunk)
        own: list[tuple[pa.Field, pa.Array]] = [
            (pa.field("resourceType", pa.string(), nullable=False), pa.repeat(constant(self._plan.type), len(chunk))),
            (pa.field(ROOT, pa.int64()), pa.array(chunk)),
            (pa.field(REVISION, pa.int64()), pa.array(states.versions[start:end])),
            (pa.field(UPDATED, MOMENT), pa.array(states.updated[start:end] * 1000, pa.int64()).cast(MOMENT)),
        ]
        return pa.RecordBatch.from_arrays(
            [array for _, array in own] + content.arrays, schema=pa.schema([one for one, _ in own] + content.names)
        )

    # Rows of the store

    def _load(self, table: str) -> Rows:
        if table in self._loaded:
            return self._loaded[table]
        columns: list[tuple[str, str, bool]] = [("_k", "t._k", True), ("_parent", "t._parent", True), ("_ord", "t._ord", True)]
        if table in self._needs_member:
            columns.append(("_member", "t._member", False))
        for value in _values(self._tables[table]):
            columns += value.columns()
        condition = "t._parent IS NULL" if table == self._plan.type else "t._parent IS NOT NULL"
        found = self._snapshot.element_rows(table, columns, self._chunk, condition, is_range=self._is_range)
        keys, parents, places = (np.asarray(pc.fill_null(found.column(name), 0).to_numpy()) for name in ("_k", "_parent", "_ord"))
        member = found.column("_member").combine_chunks() if table in self._needs_member else None
        rows = Rows(keys, (keys & ~_NODE) + parents, places, member, found)
        self._loaded[table] = rows
        return rows

    # Objects

    def _object(self, members: tuple[Member, ...], rows: Rows) -> Object:
        """The elements of objects that are in some rows: their own, or those of a to-one element in them."""
        found = Object()
        for member in members:
            if member.recursion is not None:
                self._add_list(found, member, self._tables[member.recursion], self._load(member.recursion), rows)
            elif member.table is not None:
                self._add_list(found, member, member, self._load(member.table), rows)
            elif member.type is not None:
                for name, array in values_of(_value(member), rows.values):
                    found.add(name, array)
            else:
                inner = self._object(member.members, rows)
                if inner.arrays:
                    found.add(member.name, inner.struct(len(rows.keys))[0])
        return found

    def _add_list(self, found: Object, member: Member, definition: Member, elements: Rows, owners: Rows) -> None:
        chosen, counts = _joined(owners.keys, elements, member.member)
        if member.recursion is not None and not len(chosen):
            # The depth is that of the data.
            return
        rows = elements.take(chosen)
        if definition.type is None:
            inner = self._object(definition.members, rows)
            array = inner.struct(len(rows.keys))[0] if inner.arrays else pa.nulls(len(rows.keys), pa.struct([]))
            if inner.arrays:
                found.add(member.name, _list(array, counts, counts > 0))
            return
        for name, array in values_of(_value(definition), rows.values) if definition.column is not None else ():
            valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
            renamed = name.replace("value", member.name, 1)
            found.add(renamed, _list(array, counts, _any(valid, counts)))
        inner = self._object(definition.members, rows)
        if inner.arrays:
            array, present = inner.struct(len(rows.keys))
            found.add(f"_{member.name}", _list(array, counts, _any(present, counts)))


def _joined(owners: Numbers, elements: Rows, member: str | None) -> tuple[Numbers, Numbers]:
    """The rows of owners, by owner and place, and how many each owner has."""
    order = np.argsort(owners, kind="stable")
    known = owners[order]
    if not len(known) or not len(elements.keys):
        return np.zeros(0, np.int64), np.zeros(len(owners), np.int64)
    places = np.minimum(np.searchsorted(known, elements.owners), len(known) - 1)
    hits = known[places] == elements.owners
    if member is not None and elements.member is not None:
        hits &= np.asarray(pc.fill_null(pc.equal(elements.member, member), False).to_numpy(zero_copy_only=False))
    chosen = np.flatnonzero(hits)
    of = order[places[chosen]]
    sorting = np.lexsort((elements.places[chosen], of))
    return chosen[sorting], np.bincount(of, minlength=len(owners)).astype(np.int64)


def _any(valid: np.ndarray[Any, np.dtype[np.bool_]], counts: Numbers) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether any of each owner's elements is valid."""
    of = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(of[valid], minlength=len(counts)) > 0


def _list(values: pa.Array, counts: Numbers, present: np.ndarray[Any, np.dtype[np.bool_]]) -> pa.ListArray:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]).astype(np.int32)
    type = pa.list_(pa.field("element", values.type))
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=type, mask=pa.array(~present))


def _empty(schema: pa.Schema, count: int) -> pa.Table:
    return pa.table([pa.nulls(count, one.type) for one in schema], schema=schema)


def _all(members: tuple[Member, ...]) -> Iterator[Member]:
    for member in members:
        yield member
        yield from _all(member.members)


def _tables(type: str, members: tuple[Member, ...]) -> Iterator[tuple[str, Member]]:
    """The tables, each with its element."""
    yield type, Member(type, type, None, None, None, None, None, members)
    for member in _all(members):
        if member.table is not None:
            yield member.table, member


def _value(member: Member) -> Value:
    assert member.column is not None and member.type is not None
    # The values of a list are in a column of their own table.
    return Value(member.name if member.table is None else "value", member.column, member.type, member.aside)


def _values(definition: Member) -> Iterator[Value]:
    """The primitives in the rows of a table."""
    if definition.column is not None:
        yield _value(definition)
    pending = list(definition.members)
    while pending:
        member = pending.pop()
        if member.table is not None or member.recursion is not None:
            continue
        if member.type is not None:
            yield _value(member)
        pending += member.members


def schema(plan: ResourcePlan) -> pa.Schema:
    """The columns that every batch of a type has; those of recursive elements come with the data."""
    own = [pa.field("resourceType", pa.string(), nullable=False), pa.field(ROOT, pa.int64()), pa.field(REVISION, pa.int64()), pa.field(UPDATED, MOMENT)]
    return pa.schema(own + _fields(plan.members))


def _fields(members: tuple[Member, ...]) -> list[pa.Field]:
    found: list[pa.Field] = []
    for member in members:
        if member.recursion is not None:
            continue
        if member.table is not None:
            inner = _fields(member.members)
            if member.column is not None:
                for one in value_fields(_value(member)):
                    found.append(pa.field(one.name.replace("value", member.name, 1), pa.list_(pa.field("element", one.type))))
            if inner:
                name = member.name if member.type is None else f"_{member.name}"
                found.append(pa.field(name, pa.list_(pa.field("element", pa.struct(inner)))))
        elif member.type is not None:
            found += value_fields(_value(member))
        else:
            inner = _fields(member.members)
            if inner:
                found.append(pa.field(member.name, pa.struct(inner)))
    return found
