"""Brings the tables of a lake up to date with stores.

A table changes by one commit for each store. It says, beside the files, up to which entry of the change log it goes, and sums over the versions
of all resources, with which the next publication tests whether the log has listed every change since.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from . import vectors
from .delta import Action, State, Table, removed, with_vector
from .errors import USAGE, Conflict, LakeError
from .files import Rows, Writer, count, may_have, read, read_rows
from .numbers import Numbers
from .plan import Plan, StorePlan
from .schemas import merged_schema
from .sources import ResourceSource, Source, ViewSource
from .store import Store, Sums

#: Changes when the same view gives other rows.
_FORM = 1
#: A store's files are rewritten if so much of their rows has been deleted, and merged if there are more than so many.
_MOST_DELETED = 0.3
_MOST_FILES = 24
#: How often a publication is repeated when others publish the same store.
_TRIES = 8


@dataclass
class Published:
    """What became of one table of one store."""

    store: str
    table: str
    #: `all`, `changes`, `comparison` or `unchanged`.
    mode: str
    added: int
    removed: int
    #: How many rows the store has in the table now.
    rows: int
    version: int


@dataclass
class Run:
    """A publication: what was done, and what has to be said about it."""

    published: list[Published] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def publish(plan: Plan, run: Run | None = None) -> Run:
    """Publishes what a plan says.

    Raises LakeError. What was committed before stays, and publishing again completes the rest.
    """
    run = run or Run()
    tables: dict[str, Table] = {}
    for store in plan.stores:
        _publish_store(plan, store, run, tables)
    return run


def _publish_store(plan: Plan, store: StorePlan, run: Run, tables: dict[str, Table]) -> None:
    # The states first: a table that is newer than the snapshot would otherwise be set back to it.
    sources: list[Source] = [ViewSource(view) for view in store.views]
    sources += [ResourceSource(one, store.release) for one in store.resources]
    for source in sources:
        tables.setdefault(source.name, Table(os.path.join(plan.lake, source.name))).load()
    with Store(store.path) as snapshot:
        snapshot.check_schema(store.schema_version)
        for source in sources:
            publisher = Publisher(tables[source.name], snapshot, store, source, plan.since_last, run)
            try:
                run.published.append(publisher.publish())
                continue
            except Conflict:
                pass
            run.published.append(_repeated(tables[source.name], plan, store, source, run))


def _repeated(table: Table, plan: Plan, store: StorePlan, source: Source, run: Run) -> Published:
    """Publishes a table again, as another publisher of the store was first."""
    for _ in range(_TRIES):
        table.load()
        with Store(store.path) as snapshot:
            snapshot.check_schema(store.schema_version)
            try:
                return Publisher(table, snapshot, store, source, plan.since_last, run).publish()
            except Conflict:
                continue
    raise LakeError(f"{table.folder} is changed by other publishers of {store.path} all the time: let one publish it")


def marks_of(identity: str) -> Callable[[str], str]:
    """The names of a store's numbers in the log."""
    return lambda name: f"firelite/{identity}/{name}"


def number_of(text: str) -> int:
    """A positive number for a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


class Publisher:
    """Publishes one table of one store."""

    def __init__(self, table: Table, snapshot: Store, store: StorePlan, source: Source, since_last: bool, run: Run) -> None:
        self.table = table
        table.has_committed = False
        self.state: State = table.state
        self.snapshot = snapshot
        self.source = source
        self.since_last = since_last
        self.run = run
        self.name = store.name if store.name is not None else snapshot.identity
        self.mark = marks_of(snapshot.identity)
        self.schema, self.is_new_schema = self._merged_schema()
        #: The sums over the resources and the position of the log after which it lists the changed ones, if that was found out.
        self.sums: Sums | None = None
        self.position: int | None = None

    # What there is to do

    def publish(self) -> Published:
        """Raises Conflict if another publisher of the store was first; LakeError."""
        known = self.state.marks
        self._check_name()
        signature = number_of(f"{_FORM} {self.source.definition}")
        files = self.state.files_of(self.name)
        if known.get(self.mark("view")) != signature:
            if self.mark("view") in known:
                self.run.note(f"the definition of '{self.source.name}' is another one than in the lake: all of its rows of {self.name} are written again")
            return self._publish_all(files, signature)
        if self.since_last:
            found = self._logged()
            if not isinstance(found, str):
                return self._publish_changes(files, found, "changes", signature)
            self.run.note(f"{self.name}: {found}: versions were compared")
        return self._publish_comparison(files, signature)

    def _check_name(self) -> None:
        """A name is one store's, and a store has one name: else rows would be there twice, or be taken for those of another."""
        owner = self.state.marks.get(f"firelite-name/{self.name}")
        if owner is not None and owner != number_of(self.snapshot.identity):
            raise LakeError(f"{self.table.folder} has another store '{self.name}': rename the file, or give --by-identity", USAGE)
        name = self.state.marks.get(self.mark("name"))
        if name is not None and name != number_of(self.name):
            raise LakeError(f"{self.snapshot.path} is in {self.table.folder} under another name: use that name again", USAGE)

    def _logged(self) -> Numbers | str:
        """The resources that the change log lists since the last publication; or why it cannot be relied on."""
        known = self.state.marks
        position = known.get(self.mark("position"), 0)
        if position > self.snapshot.position:
            return "the file is older than the lake"
        log = self.snapshot.log(position, self.source.resource)
        if isinstance(log, str):
            return log
        if known.get(self.mark("entry")) != self.snapshot.entry(position):
            return "the change log no longer has the entry of the last publication"
        before = Sums(*(known.get(self.mark(name), 0) for name in ("count", "roots", "revisions")))
        now = before - log.before + log.now
        of_all = Sums(*(known.get(self.mark(f"all-{name}"), -1) for name in ("count", "roots", "revisions")))
        # If the log explains the sums over all resources, those of a type need not be counted.
        if of_all - log.before_of_all + log.now_of_all != self.snapshot.sums_of_all and now != self._counted():
            return f"the change log does not list all changes of {self.source.resource}, such as those of a server"
        self.sums = now
        self.position = position
        return log.roots

    def _counted(self) -> Sums:
        return self.snapshot.sums.get(self.source.resource, Sums())

    # Doing it

    def _publish_all(self, files: list[Action], signature: int) -> Published:
        states = self.snapshot.states(self.source.resource)
        writer = Writer(self.table, self.name, self.schema)
        try:
            for batch in self.source.batches(self.snapshot, states, None):
                writer.write(batch)
            writer.close()
            actions = [removed(file) for file in files] + writer.actions
            version = self._commit(actions, signature, "WRITE", writer)
        except BaseException:
            self._abandon(writer)
            raise
        gone = sum(count(file) for file in files)
        return Published(self.name, self.source.name, "all", writer.rows, gone, writer.rows, version)

    def _publish_comparison(self, files: list[Action], signature: int) -> Published:
        """Finds the resources whose version in the lake is not the store's."""
        states = self.snapshot.states(self.source.resource)
        rows = [read_rows(self.table, file, self.source.version) for file in files]
        parts = [(one.roots[one.is_live], one.versions[one.is_live], one.updated[one.is_live]) for one in rows]
        roots, versions, updated = (
            np.concatenate([part[index] for part in parts]) if parts else np.zeros(0, np.int64) for index in range(3)
        )
        places = np.minimum(np.searchsorted(states.roots, roots), max(len(states.roots) - 1, 0))
        if len(states.roots):
            is_same = (states.roots[places] == roots) & (states.versions[places] == versions) & (states.updated[places] == updated)
        else:
            is_same = np.zeros(len(roots), bool)
        new = np.setdiff1d(states.roots, roots)
        return self._publish_changes(files, np.union1d(new, roots[~is_same]), "comparison", signature, rows)

    def _publish_changes(
        self, files: list[Action], roots: Numbers, mode: str, signature: int, rows: list[Rows] | None = None
    ) -> Published:
        """Replaces the rows of some resources."""
        total = sum(count(file) for file in files)
        writer = Writer(self.table, self.name, self.schema)
        try:
            actions, gone = self._replacing(files, roots, rows, writer)
            kept = writer.rows
            if len(roots):
                states = self.snapshot.states(self.source.resource, roots, self.position)
                for batch in self.source.batches(self.snapshot, states, roots):
                    writer.write(batch)
            writer.close()
            fresh = writer.rows - kept
            if not actions and not writer.actions:
                return self._publish_marks(total, signature)
            version = self._commit(actions + writer.actions, signature, "MERGE", writer)
        except BaseException:
            self._abandon(writer)
            raise
        return Published(self.name, self.source.name, mode, fresh, gone, total - gone + fresh, version)

    def _replacing(
        self, files: list[Action], roots: Numbers, rows: list[Rows] | None, writer: Writer
    ) -> tuple[list[Action], int]:
        """The actions that delete the rows of some resources, and how many those are. Rows of files that are rewritten go to the writer."""
        actions: list[Action] = []
        gone = 0
        known = {id(one.file): one for one in rows or []}
        merges = len(files) > _MOST_FILES
        for file in files:
            is_small = merges and count(file) < 1 << 16
            if not is_small and not (len(roots) and may_have(file, roots)):
                continue
            found = known.get(id(file)) or read_rows(self.table, file, None)
            live = found.is_live
            hits = live & found.is_of(roots)
            deleted = int(hits.sum())
            if deleted == 0 and not is_small:
                continue
            gone += deleted
            live &= ~hits
            actions.append(removed(file))
            if is_small or live.sum() < (1 - _MOST_DELETED) * len(live):
                kept = read(self.table, file).filter(pa.array(live))
                for batch in kept.to_batches():
                    writer.write(batch)
            else:
                actions.append(with_vector(file, vectors.encoded(np.flatnonzero(~live))))
        return actions, gone

    def _publish_marks(self, total: int, signature: int) -> Published:
        """Notes that the rows are up to date, if the log has not said so yet."""
        version = self.state.version
        if any(self.state.marks.get(name) != number for name, number in self._marks(signature).items()):
            version = self._commit([], signature, "WRITE")
        return Published(self.name, self.source.name, "unchanged", 0, 0, total, version)

    # Parts

    def _abandon(self, writer: Writer) -> None:
        """Removes the files of a publication that failed, unless its commit names them."""
        if not self.table.has_committed:
            writer.abandon()

    def _marks(self, signature: int) -> dict[str, int]:
        position = self.snapshot.position
        sums = self.sums if self.sums is not None else self._counted()
        of_all = self.snapshot.sums_of_all
        return {
            f"firelite-name/{self.name}": number_of(self.snapshot.identity),
            self.mark("name"): number_of(self.name),
            self.mark("view"): signature,
            self.mark("position"): position,
            self.mark("entry"): self.snapshot.entry(position),
            self.mark("count"): sums.count,
            self.mark("roots"): sums.roots,
            self.mark("revisions"): sums.revisions,
            self.mark("all-count"): of_all.count,
            self.mark("all-roots"): of_all.roots,
            self.mark("all-revisions"): of_all.revisions,
        }

    def _commit(self, actions: list[Action], signature: int, operation: str, writer: Writer | None = None) -> int:
        marks = self._marks(signature)
        # A number that grows with each publication: two of the same store cannot both be the next.
        marks[self.mark("run")] = self.state.marks.get(self.mark("run"), 0) + 1
        schema = self.schema if writer is None else writer.schema
        is_new = self.is_new_schema or schema != self.schema
        return self.table.commit(actions, self.name, marks, schema if is_new else None, operation)

    def _merged_schema(self) -> tuple[pa.Schema, bool]:
        text = None if self.state.metadata is None else self.state.metadata["schemaString"]
        try:
            return merged_schema(self.source.schema(), text)
        except LakeError as error:
            raise LakeError(f"{self.table.folder}: {error.message}", error.status) from None
