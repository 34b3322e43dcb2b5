"""The columns of a table, by those of what was published into it."""

from __future__ import annotations

import functools
import json
from typing import Any

import pyarrow as pa

from .columns import STORE
from .errors import USAGE, LakeError


@functools.lru_cache(maxsize=1024)
def merged_schema(wanted: pa.Schema, stored: str | None) -> tuple[pa.Schema, bool]:
    """The columns of a table, as the log has them, with wanted ones: new ones come last, also those of structs. Returns whether there are any.

    Raises LakeError if a column has another type.
    """
    if stored is None:
        return wanted, True
    known = stored_schema(stored)
    merged = merged_fields(known, wanted)
    return merged, merged != known


def merged_fields(known: pa.Schema, wanted: pa.Schema) -> pa.Schema:
    """Known columns, and what wanted ones add to them.

    Raises LakeError if a column has another type.
    """
    return pa.schema(_merged(list(known), list(wanted), ""))


def _merged(known: list[pa.Field], wanted: list[pa.Field], path: str) -> list[pa.Field]:
    found = {one.name: one for one in known}
    spelled = {one.name.lower(): one.name for one in known}
    for field in wanted:
        name = path + field.name
        if spelled.get(field.name.lower(), field.name) != field.name:
            raise LakeError(f"the column '{name}' differs from '{path}{spelled[field.name.lower()]}' in case only: rename it", USAGE)
        old = found.get(field.name)
        type = field.type if old is None else _merged_type(old.type, field.type, name)
        found[field.name] = pa.field(field.name, type, nullable=field.nullable if old is None else old.nullable)
    return list(found.values())


def _merged_type(known: pa.DataType, wanted: pa.DataType, name: str) -> pa.DataType:
    if pa.types.is_struct(known) and pa.types.is_struct(wanted):
        return pa.struct(_merged(_children(known), _children(wanted), name + "."))
    if pa.types.is_list(known) and pa.types.is_list(wanted):
        return pa.list_(pa.field("element", _merged_type(known.value_type, wanted.value_type, name)))
    if known != wanted:
        raise LakeError(f"the column '{name}' has another type than in the lake: rename it, or publish into a new folder", USAGE)
    return known


def _children(type: pa.StructType) -> list[pa.Field]:
    return [type.field(index) for index in range(type.num_fields)]


# As the log has them


def stored_schema(text: str) -> pa.Schema:
    """The columns of a table by the text in its log, without the partition.

    Raises LakeError for types that this package does not write.
    """
    return pa.schema([_field(one) for one in json.loads(text)["fields"] if one["name"] != STORE])


_PRIMITIVES = {
    "string": pa.string(), "long": pa.int64(), "integer": pa.int32(), "boolean": pa.bool_(), "date": pa.date32(), "binary": pa.binary(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_NAMES = {type: name for name, type in _PRIMITIVES.items()}


def _field(one: dict[str, Any]) -> pa.Field:
    return pa.field(one["name"], _type(one["type"], one["name"]), nullable=one["nullable"])


def _type(type: Any, name: str) -> pa.DataType:
    if isinstance(type, str):
        if type in _PRIMITIVES:
            return _PRIMITIVES[type]
        if type.startswith("decimal("):
            precision, scale = type[len("decimal(") : -1].split(",")
            return pa.decimal128(int(precision), int(scale))
    elif type["type"] == "struct":
        return pa.struct([_field(one) for one in type["fields"]])
    elif type["type"] == "array":
        return pa.list_(pa.field("element", _type(type["elementType"], name)))
    raise LakeError(f"the column '{name}' has a type that this version does not write: publish into a new folder")


def schema_text(schema: pa.Schema) -> str:
    """The text of columns for the log, with the partition first."""
    return json.dumps(_struct_text([pa.field(STORE, pa.string()), *schema]), separators=(",", ":"))


def _struct_text(fields: list[pa.Field]) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [{"name": one.name, "type": _type_text(one.type), "nullable": one.nullable, "metadata": {}} for one in fields],
    }


def _type_text(type: pa.DataType) -> Any:
    if pa.types.is_struct(type):
        return _struct_text(_children(type))
    if pa.types.is_list(type):
        return {"type": "array", "elementType": _type_text(type.value_type), "containsNull": type.value_field.nullable}
    if pa.types.is_decimal128(type):
        return f"decimal({type.precision},{type.scale})"
    return _NAMES[type]


# Fitting


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Rows with the columns of a schema; those that they do not have are empty, also in structs."""
    if batch.schema == schema:
        return batch
    names = set(batch.schema.names)
    arrays = [_fitted(batch.column(field.name), field.type) if field.name in names else pa.nulls(len(batch), field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fitted(array: pa.Array, type: pa.DataType) -> pa.Array:
    if array.type == type:
        return array
    if pa.types.is_struct(type):
        have = {array.type.field(index).name: index for index in range(array.type.num_fields)}
        children = [
            _fitted(array.field(have[one.name]), one.type) if one.name in have else pa.nulls(len(array), one.type) for one in _children(type)
        ]
        return pa.StructArray.from_arrays(children, fields=_children(type), mask=array.is_null())
    if pa.types.is_list(type):
        if array.offset:
            # A slice begins amid its values.
            array = pa.concat_arrays([array, array.slice(0, 0)]) if len(array) else pa.nulls(0, array.type)
        return pa.ListArray.from_arrays(array.offsets, _fitted(array.values, type.value_type), type=type, mask=array.is_null())
    return array.cast(type)
