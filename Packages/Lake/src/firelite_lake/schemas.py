"""The columns of a table, by those of the views that were published into it."""

from __future__ import annotations

import functools
import json

import pyarrow as pa
from deltalake import Schema as DeltaSchema

from .columns import STORE, schema
from .errors import USAGE, LakeError
from .plan import Column


@functools.lru_cache(maxsize=1024)
def merged_schema(name: str, columns: tuple[Column, ...], stored: str | None) -> tuple[pa.Schema, bool]:
    """The columns of a table, as the log has them, with those of a view: new ones come last. Returns whether there are any.

    Raises LakeError if a column has another type.
    """
    wanted = schema(name, columns)
    if stored is None:
        return wanted, True
    known = {one["name"]: one for one in json.loads(stored)["fields"]}
    needed = {one["name"]: one for one in json.loads(DeltaSchema.from_arrow(wanted).to_json())["fields"]}
    spelled = {one.lower(): one for one in known}
    for one, field in needed.items():
        if one in known and known[one]["type"] != field["type"]:
            raise LakeError(f"the column '{one}' has another type than in the view: rename it, or publish into a new folder", USAGE)
        if spelled.get(one.lower(), one) != one:
            raise LakeError(f"the column '{one}' differs from '{spelled[one.lower()]}' in case only: rename it", USAGE)
    table = pa.schema(DeltaSchema.from_json(stored).to_arrow())
    rest = [one for one in wanted if one.name not in known]
    types = {one.name: one for one in wanted}
    return pa.schema([*(types.get(one.name, one) for one in table if one.name != STORE), *rest]), bool(rest)
