"""What to publish, as `firelite publish` says it: stores, and the statements of their views."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .errors import USAGE, LakeError

#: The forms of the plans that this version reads. Since form 3, columns may have references instead of keys.
FORMS = (2, 3)

TYPES = ("boolean", "integer", "decimal", "date", "dateTime", "instant", "time", "string")

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Column:
    """A column of a view."""

    name: str
    #: One of `TYPES`.
    type: str
    is_collection: bool
    #: Whether the statement has a column `_aside_NAME` with the rest of its literals.
    has_aside: bool
    #: The type of the resources whose keys the column has, if the statement gives references; empty for any type.
    references: str | None = None


@dataclass(frozen=True)
class View:
    """A view, with its statements for one store."""

    name: str
    #: The type of the resources.
    resource: str
    columns: tuple[Column, ...]
    #: The statement for all resources; None if the file has no table of the type.
    sql: str | None
    #: The statement for the resources whose numbers are a list of JSON in parameter 1.
    changes_sql: str | None
    #: What determines the rows besides the resources, as canonical JSON.
    definition: str
    #: A column with the key of each row's resource, if the view has one.
    key: str | None
    #: A column with the id of each row's resource, if the view has one.
    id: str | None
    #: The base addresses of the store's own resources.
    bases: tuple[str, ...]


@dataclass(frozen=True)
class Member:
    """An element of a resource, and where the file has it."""

    name: str
    #: The table of a repeating element.
    table: str | None
    #: The column of a primitive, which is `value` in the table of a repeating one; its type; and the column with the rest of its literals.
    column: str | None
    type: str | None
    aside: str | None
    #: The table that a recursive element shares with the one that it refers to.
    recursion: str | None
    #: What `_member` is in the rows of this element, if other lists share the table.
    member: str | None
    #: The elements of an object, or the id and extensions of a primitive in a list.
    members: tuple[Member, ...]


@dataclass(frozen=True)
class ResourcePlan:
    """A resource type, published as it is."""

    type: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class StorePlan:
    """A store and its views."""

    path: str
    #: The name of the store in the lake; None for its identity.
    name: str | None
    release: str
    #: SQLite's number of the schema that the statements were made for.
    schema_version: int
    views: tuple[View, ...]
    resources: tuple[ResourcePlan, ...]


@dataclass(frozen=True)
class Plan:
    """What to publish."""

    lake: str
    #: Whether the change logs say what changed, instead of a comparison of versions.
    since_last: bool
    stores: tuple[StorePlan, ...]

    @staticmethod
    def read(text: str) -> Plan:
        """Reads a plan.

        Raises LakeError with status USAGE for a plan of another form.
        """
        try:
            plan = json.loads(text)
            form = plan["plan"]
        except (ValueError, KeyError, TypeError):
            raise LakeError("this is not a plan: call `firelite publish`", USAGE) from None
        if form not in FORMS:
            raise LakeError(
                f"the plan has form {form}, and this firelite-lake reads {FORMS[0]} to {FORMS[-1]}: install the one of the tool's version", USAGE
            )
        try:
            return Plan(
                lake=plan["lake"],
                since_last=bool(plan["sinceLast"]),
                stores=tuple(_store(store) for store in plan["stores"]),
            )
        except (KeyError, TypeError) as error:
            raise LakeError(f"the plan is not complete: {type(error).__name__} {error}", USAGE) from None


def _store(plan: dict[str, Any]) -> StorePlan:
    views = tuple(_view(view) for view in plan["views"])
    known: set[str] = set()
    for view in views:
        if view.name.lower() in known:
            raise LakeError(f"two views have the name '{view.name}': rename one", USAGE)
        known.add(view.name.lower())
    resources = tuple(_resource(one) for one in plan["resources"])
    for resource in resources:
        if resource.type.lower() in known:
            raise LakeError(f"a view has the name of the resource type {resource.type}: rename it, or publish without --resources", USAGE)
    return StorePlan(plan["path"], plan["name"], plan["release"], plan["schemaVersion"], views, resources)


def _resource(plan: dict[str, Any]) -> ResourcePlan:
    return ResourcePlan(plan["type"], tuple(_member(one) for one in plan["members"]))


def _member(plan: dict[str, Any]) -> Member:
    table, column, type, aside, recursion, member = (
        plan.get(name) for name in ("table", "column", "type", "aside", "recursion", "member")
    )
    return Member(plan["name"], table, column, type, aside, recursion, member, tuple(_member(one) for one in plan.get("members", [])))


def _view(plan: dict[str, Any]) -> View:
    name = plan["name"]
    if not _NAME.fullmatch(name):
        raise LakeError("a view's name has letters, digits and underscores, and begins with a letter", USAGE)
    columns = tuple(
        Column(column["name"], column["type"], bool(column["collection"]), bool(column["aside"]), column.get("references"))
        for column in plan["columns"]
    )
    for column in columns:
        if column.type not in TYPES or not _NAME.fullmatch(column.name):
            raise LakeError(f"the view '{name}' has a column that this firelite-lake does not know: install the one of the tool's version", USAGE)
    texts = {column.name for column in columns if column.type == "string" and not column.is_collection and column.references is None}
    return View(
        name=name,
        resource=plan["resource"],
        columns=columns,
        sql=plan["sql"],
        changes_sql=plan["changesSQL"],
        definition=json.dumps(plan["definition"], sort_keys=True, separators=(",", ":")),
        key=_about_rows(plan["definition"], "getResourceKey()", texts),
        id=_about_rows(plan["definition"], "id", texts),
        bases=tuple(plan["definition"]["bases"]),
    )


def _about_rows(definition: dict[str, Any], path: str, names: set[str]) -> str | None:
    """The column that has a path of each row's resource, whatever else the row is about."""
    for select in definition["view"]["select"]:
        if not {"forEach", "forEachOrNull", "repeat"} & select.keys():
            for column in select.get("column", []):
                if column.get("path") == path and column.get("name") in names:
                    return str(column["name"])
    return None
