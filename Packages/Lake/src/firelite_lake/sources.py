"""What a table of a lake is made of: the rows of a view, or the resources of a type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pyarrow as pa

from . import resources
from .columns import KEY, MOMENT, ROOT, UPDATED, VERSION, keys, schema, typed
from .numbers import Numbers, numbers
from .plan import ResourcePlan, View
from .store import States, Store


class Source(Protocol):
    """What a table is made of."""

    #: The name of the table.
    @property
    def name(self) -> str: ...

    #: The type of the resources.
    @property
    def resource(self) -> str: ...

    #: What determines the rows besides the resources.
    @property
    def definition(self) -> str: ...

    #: The column with the version of a row's resource.
    @property
    def version(self) -> str: ...

    def schema(self) -> pa.Schema:
        """The columns, as far as they do not depend on the rows.

        Raises LakeError.
        """

    def batches(self, snapshot: Store, states: States, roots: Numbers | None) -> Iterator[pa.RecordBatch]:
        """The rows of some resources, or of all of the states. They may have more columns.

        Raises LakeError.
        """


class ViewSource:
    """A view."""

    version = VERSION

    def __init__(self, view: View) -> None:
        self.view = view
        self.name = view.name
        self.resource = view.resource
        self.definition = view.definition

    def schema(self) -> pa.Schema:
        return schema(self.view.name, self.view.columns)

    def batches(self, snapshot: Store, states: States, roots: Numbers | None) -> Iterator[pa.RecordBatch]:
        # In the order of the table's columns, so that rows fit it as they are.
        known = self.schema()
        for batch in snapshot.rows(self.view, roots):
            places = states.places(numbers(batch.column(ROOT)))
            arrays = typed(self.view, batch)
            arrays[ROOT] = batch.column(ROOT)
            if self.view.key is not None:
                arrays[KEY] = arrays[self.view.key]
            else:
                arrays[KEY] = keys(self.resource, states.ids.take(pa.array(places)))
            arrays[VERSION] = pa.array(states.versions[places])
            arrays[UPDATED] = pa.array(states.updated[places] * 1000, pa.int64()).cast(MOMENT)
            yield pa.RecordBatch.from_arrays([_as(arrays[name], type) for name, type in zip(known.names, known.types, strict=True)], schema=known)


def _as(array: pa.Array, type: pa.DataType) -> pa.Array:
    return array if array.type == type else array.cast(type)


class ResourceSource:
    """A resource type."""

    version = resources.REVISION

    def __init__(self, plan: ResourcePlan, release: str) -> None:
        self.plan = plan
        self.name = self.resource = plan.type
        # Which elements the file has is no part of it: those that it has not yet, no resource has.
        self.definition = f"Parquet on FHIR, {release}"

    def schema(self) -> pa.Schema:
        return resources.schema(self.plan)

    def batches(self, snapshot: Store, states: States, roots: Numbers | None) -> Iterator[pa.RecordBatch]:
        return resources.Assembler(snapshot, self.plan).batches(states, roots)
