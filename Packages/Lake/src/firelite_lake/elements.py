"""Primitives in the form of *Parquet on FHIR*: texts as FHIR writes them, and annotations with numbers and times to calculate with.

A decimal `value` is text, with `__value_numeric` beside it. A date or dateTime is text, with the first and the last moment that it may mean
in `__birthDate_start` and `__birthDate_end`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import MOMENT, ZERO, moments

#: The type of the annotation `numeric`.
NUMERIC = pa.decimal128(38, 6)

_INTEGERS = {"integer": pa.int32(), "positiveInt": pa.int32(), "unsignedInt": pa.int32(), "integer64": pa.int64()}
_BOOLEAN = "boolean"


@dataclass(frozen=True)
class Value:
    """A primitive in a column of the store."""

    name: str
    column: str
    type: str
    #: The column with the rest of its literal.
    aside: str | None

    def columns(self) -> list[tuple[str, str, bool]]:
        """The columns of a statement over a table `t`: name, expression, and whether it gives numbers."""
        value = _quoted(self.column)
        aside = None if self.aside is None else _quoted(self.aside)
        if self.type in _INTEGERS or self.type == _BOOLEAN:
            return [(self.column, value, True)]
        if self.type == "decimal":
            number = f"CASE WHEN {value} = CAST({value} AS INTEGER) AND abs({value}) < 1e15 THEN CAST(CAST({value} AS INTEGER) AS TEXT)"
            # A cast gives more digits than those that a decimal without a literal has.
            number += f" WHEN {value} IS NOT NULL THEN printf('%!.15g', {value}) END"
            return [(self.column, number if aside is None else f"coalesce({aside}, {number})", False)]
        if self.type == "dateTime" and aside is not None:
            return [
                (f"{self.column}/utc", value, False), (f"{self.column}/offset", f"CAST({aside} AS TEXT)", False),
                (self.column, _literal(value, aside), False),
            ]
        if self.type == "instant" and aside is not None:
            return [(self.column, _literal(value, aside), False)]
        return [(self.column, value, False)]


def _quoted(column: str) -> str:
    return 't."' + column.replace('"', '""') + '"'


def _literal(value: str, offset: str) -> str:
    """FHIR's text of a time that is stored in UTC. Offsets are whole minutes, so the seconds stay as they are."""
    zone = f"printf('%s%02d:%02d', CASE WHEN {offset} < 0 THEN '-' ELSE '+' END, abs({offset}) / 60, abs({offset}) % 60)"
    local = f"strftime('%Y-%m-%dT%H:%M', substr({value}, 1, 16), {offset} || ' minutes') || substr({value}, 17)"
    return (
        f"CASE WHEN {offset} IS NULL THEN {value} WHEN typeof({offset}) = 'text' THEN {value} || {offset}"
        f" WHEN {offset} = 0 THEN {value} || 'Z' ELSE {local} || {zone} END"
    )


def value_fields(value: Value) -> list[pa.Field]:
    """The columns that a primitive becomes."""
    if value.type == "decimal":
        return [pa.field(value.name, pa.string()), pa.field(f"__{value.name}_numeric", NUMERIC)]
    if value.type in ("date", "dateTime"):
        return [pa.field(value.name, pa.string()), pa.field(f"__{value.name}_start", MOMENT), pa.field(f"__{value.name}_end", MOMENT)]
    return [pa.field(value.name, _type(value.type))]


def _type(type: str) -> pa.DataType:
    if type == _BOOLEAN:
        return pa.bool_()
    return _INTEGERS.get(type, pa.binary() if type == "base64Binary" else pa.string())


def values_of(value: Value, rows: pa.Table) -> Iterator[tuple[str, pa.Array]]:
    """The columns of a primitive, with their names."""
    raw = _whole(rows.column(value.column))
    if value.type == "decimal":
        text = _plain(raw)
        yield value.name, text
        yield f"__{value.name}_numeric", _numeric(text)
    elif value.type in ("date", "dateTime"):
        yield value.name, raw
        if f"{value.column}/utc" in rows.column_names:
            first, last = bounds(_whole(rows.column(f"{value.column}/utc")), _whole(rows.column(f"{value.column}/offset")))
        else:
            first, last = bounds(raw, pa.nulls(len(raw), pa.string()))
        yield f"__{value.name}_start", first
        yield f"__{value.name}_end", last
    elif value.type == _BOOLEAN:
        yield value.name, pc.not_equal(raw, ZERO)
    else:
        yield value.name, raw.cast(_type(value.type))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _plain(text: pa.Array) -> pa.Array:
    """Numbers that SQLite writes with an exponent in FHIR's way. A literal with one is kept: it has no `.0e` of SQLite's."""
    powers = pc.fill_null(pc.match_substring_regex(text, "^-?[0-9]\\.[0-9]+e[+-][0-9][0-9]+$"), False)
    if not pc.any(powers).as_py():
        return text
    return pa.array([_plain_text(one) if is_power else one for one, is_power in zip(text.to_pylist(), powers.to_pylist(), strict=True)], pa.string())


def _plain_text(text: str) -> str:
    return format(Decimal(text).normalize(), "f")


def _numeric(text: pa.Array) -> pa.Array:
    """The numbers with all their digits; none where six after the point are not enough."""
    try:
        return pc.cast(text, NUMERIC)
    except pa.ArrowInvalid:
        memory: dict[str | None, Decimal | None] = {None: None}
        for one in pc.unique(text).to_pylist():
            if one is not None:
                memory[one] = _exact(one)
        return pa.array([memory[one] for one in text.to_pylist()], NUMERIC)


def _exact(text: str) -> Decimal | None:
    number = Decimal(text)
    if not number.is_finite() or number.adjusted() >= 32:
        return None
    digits = number.normalize().as_tuple()
    assert isinstance(digits.exponent, int)
    return None if digits.exponent < -6 else number


# Times


def bounds(raw: pa.Array, zone: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The first and the last moment of dates and times, in milliseconds; without a zone, they are in UTC.

    `raw` has texts in UTC without a zone and `zone` the zone, as a store has them; or whole literals.
    """
    moment, _, _ = moments(raw, zone)
    valid = np.asarray(moment.is_valid().to_numpy(zero_copy_only=False))
    first = np.asarray(pc.fill_null(moment.cast(pa.int64()), 0).to_numpy()) // 1000
    bare = pc.replace_substring_regex(raw, "(Z|[+-][0-9][0-9]:[0-9][0-9])$", "")
    length = np.asarray(pc.fill_null(pc.utf8_length(bare), 0).to_numpy())
    last = first.copy()
    for many, milliseconds in ((10, 86_399_999), (16, 59_999), (19, 999), (21, 99), (22, 9)):
        last[length == many] += milliseconds
    days: Any = first.astype("datetime64[ms]")
    for many, unit in ((4, "Y"), (7, "M")):
        chosen = length == many
        last[chosen] = (days[chosen].astype(f"datetime64[{unit}]") + 1).astype("datetime64[ms]").astype(np.int64) - 1
    return _moments(first, valid), _moments(last, valid)


def _moments(milliseconds: Any, valid: Any) -> pa.Array:
    return pa.array(milliseconds * 1000, pa.int64(), mask=~valid).cast(MOMENT)
