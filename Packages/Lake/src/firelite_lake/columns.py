"""From what SQLite gives to typed columns.

A decimal becomes `decimal(38, 18)`, a date a date, a dateTime or instant a moment in UTC. What such a type does not keep is in columns beside it,
as in a store: `NAME_offset` has minutes east of UTC, and `NAME_literal` FHIR's text, where the typed value does not give it back exactly.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .errors import USAGE, LakeError
from .plan import Column, View

DECIMAL = pa.decimal128(38, 18)
MOMENT = pa.timestamp("us", tz="UTC")

#: The column by which a table is partitioned.
STORE = "_store"
#: The columns that say which resource a row is from, and which version of it.
ROOT, KEY, VERSION, UPDATED = "_root", "_key", "_version", "_updated"

# Scalars have their types: to find one out, Arrow looks for pandas and dateutil, each time if they are not installed.
_NO_TEXT = pa.scalar(None, pa.string())
ZERO = pa.scalar(0, pa.int64())
_SECOND = pa.scalar(1_000_000, pa.int64())
#: The lengths of texts.
_YEAR, _DAY, _SECONDS, _MILLISECONDS = (pa.scalar(length, pa.int32()) for length in (4, 10, 19, 23))


def constant(text: str) -> pa.Scalar:
    """A text as Arrow's."""
    return pa.scalar(text, pa.string())


_SLASH, _HYPHEN, _FIRST = constant("/"), constant("-"), constant("01")

_OWN = [pa.field(ROOT, pa.int64()), pa.field(KEY, pa.string()), pa.field(VERSION, pa.int64()), pa.field(UPDATED, MOMENT)]


@functools.lru_cache(maxsize=1024)
def schema(name: str, columns: tuple[Column, ...]) -> pa.Schema:
    """The columns of a view's table, without the partition.

    Raises LakeError if two have one name, whatever its case.
    """
    fields = list(_OWN)
    for column in columns:
        fields += _fields(column)
    known: set[str] = set()
    for field in fields:
        if field.name.lower() in known:
            raise LakeError(
                f"the view '{name}' has a column '{field.name}', and another one of that name is needed: rename it", USAGE
            )
        known.add(field.name.lower())
    return pa.schema(fields)


def _fields(column: Column) -> list[pa.Field]:
    name = column.name
    if column.is_collection:
        elements = {"boolean": pa.bool_(), "integer": pa.int64()}
        return [pa.field(name, pa.list_(elements.get(column.type, pa.string())))]
    literal = pa.field(f"{name}_literal", pa.string())
    match column.type:
        case "boolean":
            return [pa.field(name, pa.bool_())]
        case "integer":
            return [pa.field(name, pa.int64())]
        case "decimal":
            return [pa.field(name, DECIMAL), literal]
        case "date":
            return [pa.field(name, pa.date32()), literal]
        case "dateTime" | "instant":
            return [pa.field(name, MOMENT), pa.field(f"{name}_offset", pa.int32()), literal]
        case _:
            return [pa.field(name, pa.string())]


def raw_columns(view: View) -> list[tuple[str, bool]]:
    """The columns of a view's statement with whether each is a number, in their order."""
    columns = [(ROOT, True)]
    for column in view.columns:
        if column.name == view.key and view.id is not None:
            # Arrow makes keys of ids in a tenth of the time that SQLite needs to give another text of each row.
            continue
        columns.append((column.name, column.type in ("boolean", "integer") and not column.is_collection))
        if column.has_aside:
            columns.append((f"_aside_{column.name}", False))
    return columns


def typed(view: View, batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """The typed columns of a batch of the view's statement."""
    arrays: dict[str, pa.Array] = {}
    for column in view.columns:
        if column.name == view.key and view.id is not None:
            arrays[column.name] = keys(view.resource, batch.column(view.id))
            continue
        raw = batch.column(column.name)
        aside = batch.column(f"_aside_{column.name}") if column.has_aside else pa.nulls(len(raw), pa.string())
        name = column.name
        if column.is_collection:
            arrays[name] = _lists(raw, _fields(column)[0].type)
            continue
        match column.type:
            case "boolean":
                arrays[name] = pc.not_equal(raw, ZERO)
            case "decimal":
                arrays[name], arrays[f"{name}_literal"] = decimals(raw, aside)
            case "date":
                arrays[name], arrays[f"{name}_literal"] = dates(raw)
            case "dateTime" | "instant":
                arrays[name], arrays[f"{name}_offset"], arrays[f"{name}_literal"] = moments(raw, aside)
            case _:
                arrays[name] = raw if column.references is None else reference_keys(raw, column.references, view.bases)
    return arrays


# Keys and references


def keys(type: str, ids: pa.Array) -> pa.Array:
    """The keys of resources with these ids; none for those without."""
    return pc.binary_join_element_wise(constant(type), ids, _SLASH)


_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
_TYPE = re.compile(r"[A-Z][A-Za-z]*")


def reference_keys(raw: pa.Array, type: str, bases: tuple[str, ...]) -> pa.Array:
    """The keys of the resources that references name, of a type unless it is empty; none for those to other types and elsewhere."""
    texts = raw.dictionary_encode()
    known = texts.dictionary
    plain = pc.match_substring_regex(known, rf"^{type or '[A-Z][A-Za-z]*'}/[A-Za-z0-9.-]{{1,64}}$")
    if plain.false_count:
        keys = [text if is_plain else _key(text, type, bases) for text, is_plain in zip(known.to_pylist(), plain.to_pylist(), strict=True)]
        return pa.array(keys, pa.string()).take(texts.indices)
    return raw


def _key(text: str, type: str, bases: tuple[str, ...]) -> str | None:
    mark = text.find("/_history/")
    if mark > 0 and _ID.fullmatch(text, mark + len("/_history/")):
        text = text[:mark]
    head, _, id = text.rpartition("/")
    base, slash, name = head.rpartition("/")
    if not _ID.fullmatch(id) or not _TYPE.fullmatch(name) or type not in ("", name) or (slash and base not in bases):
        return None
    return f"{name}/{id}"


def _lists(raw: pa.Array, type: pa.ListType) -> pa.Array:
    memory: dict[str | None, Any] = {None: None}
    for text in pc.unique(raw).to_pylist():
        if text is not None:
            memory[text] = json.loads(text)
    return pa.array([memory[text] for text in raw.to_pylist()], type)


def _each(values: list[Any], convert: Callable[[Any], Any], type: pa.DataType) -> pa.Array:
    memory: dict[Any, Any] = {None: None}
    for value in set(values) - {None}:
        memory[value] = convert(value)
    return pa.array([memory[value] for value in values], type)


# Decimals


def decimals(raw: pa.Array, aside: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Decimals with all their digits, and their literals where they are not the shortest. One that does not fit is only in the literal."""
    text = pc.coalesce(aside, raw)
    try:
        return pc.cast(text, DECIMAL), aside
    except pa.ArrowInvalid:
        pass
    value = _each(text.to_pylist(), _decimal, DECIMAL)
    # What does not fit has its text in the literal.
    return value, pc.if_else(pc.and_(pc.is_null(value), pc.is_valid(text)), text, aside)


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number) >= Decimal(10) ** 20:
        return None
    digits = number.as_tuple()
    exponent = digits.exponent
    assert isinstance(exponent, int)
    significant = "".join(map(str, digits.digits))
    lost = significant[exponent + 18 :] if exponent < -18 else ""
    return None if lost.strip("0") else number


# Dates and times


def dates(raw: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The first day of each date, and the literals of those that are only a year or a month."""
    length = pc.utf8_length(raw)
    whole = pc.equal(length, _DAY)
    literal = pc.if_else(whole, _NO_TEXT, raw)
    try:
        return pc.cast(_first_day(raw, length), pa.date32()), literal
    except pa.ArrowInvalid:
        value = _each(raw.to_pylist(), _date, pa.date32())
        return value, pc.if_else(pc.is_null(value), raw, literal)


def _first_day(raw: pa.Array, length: pa.Array) -> pa.Array:
    month = pc.if_else(pc.equal(length, _YEAR), pc.binary_join_element_wise(raw, _FIRST, _HYPHEN), raw)
    return pc.if_else(pc.less(length, _DAY), pc.binary_join_element_wise(month, _FIRST, _HYPHEN), month)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text + "-01-01"[: 10 - len(text)] if len(text) != 7 else text + "-01")
    except ValueError:
        return None


def moments(raw: pa.Array, aside: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Moments in UTC, their offsets in minutes, and their literals where these two do not give them back.

    `raw` has texts in UTC without a zone and `aside` the zone, as a store has them; or whole literals without an `aside`.
    """
    if raw.null_count == len(raw):
        return pa.nulls(len(raw), MOMENT), pa.nulls(len(raw), pa.int32()), pa.nulls(len(raw), pa.string())
    offset, zoned = _offsets(aside)
    length = pc.binary_length(raw)
    try:
        whole = raw.is_valid()
        if zoned.equals(whole) and pc.min_max(length).as_py() == {"min": 19, "max": 19}:
            value = _whole_moments(raw)
        else:
            whole = pc.and_(zoned, pc.or_(pc.equal(length, _SECONDS), pc.equal(length, _MILLISECONDS)))
            value = _whole_moments(pc.if_else(whole, raw, _NO_TEXT))
            # `.000` is not what a moment without a fraction gives.
            whole = pc.fill_null(pc.and_(whole, pc.or_(pc.equal(length, _SECONDS), pc.fill_null(_has_fraction(value), False))), False)
    except pa.ArrowInvalid:
        whole = pa.array([False] * len(raw))
        value = pa.nulls(len(raw), MOMENT)
    literal = pa.nulls(len(raw), pa.string())
    rest = pc.and_(raw.is_valid(), pc.invert(whole))
    if not rest.true_count:
        return value, offset, literal
    places = pc.indices_nonzero(rest)
    memory: dict[tuple[str, str | None], tuple[datetime | None, int | None, str | None]] = {}
    found = []
    for text, zone in zip(pc.take(raw, places).to_pylist(), pc.take(aside, places).to_pylist(), strict=True):
        known = memory.get((text, zone))
        if known is None:
            known = memory[text, zone] = _moment(text, zone)
        found.append(known)
    value = pc.replace_with_mask(value, rest, pa.array([one[0] for one in found], MOMENT))
    offset = pc.replace_with_mask(offset, rest, pa.array([one[1] for one in found], pa.int32()))
    literal = pc.replace_with_mask(literal, rest, pa.array([one[2] for one in found], pa.string()))
    return value, offset, literal


def _whole_moments(raw: pa.Array) -> pa.Array:
    return pc.cast(raw, pa.timestamp("us")).cast(MOMENT)


def _offsets(aside: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The minutes that an aside is, and where it is that."""
    try:
        # A text that says more than minutes, such as `-00:00`, is no number.
        return pc.cast(aside, pa.int32()), aside.is_valid()
    except pa.ArrowInvalid:
        zoned = pc.fill_null(pc.match_substring_regex(aside, "^-?[0-9]+$"), False)
        return pc.cast(pc.if_else(zoned, aside, _NO_TEXT), pa.int32()), zoned


def _has_fraction(value: pa.Array) -> pa.Array:
    number = value.cast(pa.int64())
    return pc.not_equal(pc.subtract(number, pc.multiply(pc.divide(number, _SECOND), _SECOND)), ZERO)


def _moment(text: str, zone: str | None) -> tuple[datetime | None, int | None, str | None]:
    """One moment with its offset and its literal."""
    if len(text) <= 10:
        day = _date(text)
        return (datetime(day.year, day.month, day.day, tzinfo=timezone.utc) if day else None), None, text
    if zone is None:
        minutes, literal, utc = _parts(text)
    elif zone.lstrip("-").isdigit():
        minutes = int(zone)
        return _utc(text), minutes, _literal(text, minutes)
    else:
        minutes, utc, literal = 0, text, text + zone
    return _utc(utc), minutes, literal


def _parts(text: str) -> tuple[int | None, str, str]:
    """The offset of a whole literal, the literal, and its text in UTC."""
    if text.endswith("Z"):
        return 0, text, text[:-1]
    if len(text) > 6 and text[-6] in "+-" and text[-3] == ":":
        sign = -1 if text[-6] == "-" else 1
        minutes = sign * (int(text[-5:-3]) * 60 + int(text[-2:]))
        return minutes, text, _shifted(text[:-6], -minutes)
    return None, text, text


def _literal(utc: str, minutes: int) -> str | None:
    """FHIR's text of a time in UTC and its offset; None if the moment and the offset say the same."""
    moment = _utc(utc)
    if moment is not None and utc == _text(moment):
        return None
    zone = "Z" if minutes == 0 else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return _shifted(utc, minutes) + zone


def _text(moment: datetime) -> str:
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    fraction = moment.microsecond
    if fraction == 0:
        return text
    return text + (f".{fraction // 1000:03}" if fraction % 1000 == 0 else f".{fraction:06}")


def _shifted(text: str, minutes: int) -> str:
    """A time some minutes later. Seconds stay as they are, as there are sixtieth ones."""
    try:
        moment = datetime.fromisoformat(text[:16]) + timedelta(minutes=minutes)
    except (ValueError, OverflowError):
        return text
    return moment.strftime("%Y-%m-%dT%H:%M").rjust(16, "0") + text[16:]


def _utc(text: str) -> datetime | None:
    """The moment of a text in UTC, to the microsecond; None if it has none that Parquet can hold."""
    second, _, fraction = text.partition(".")
    is_leap = second.endswith(":60")
    try:
        moment = datetime.fromisoformat(second[:-2] + "59" if is_leap else second).replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    microseconds = int((fraction + "000000")[:6]) if fraction.isdigit() else 0
    return moment.replace(microsecond=microseconds)
