"""A Delta table of a lake: its state by the log, and commits.

`deltalake` writes checkpoints, and the text of schemas; it cannot yet write deletion vectors, so commits are written here. A commit is a file of
actions, which is written whole under another name, and then linked to the name of its version. A link fails if another publisher was first.
"""

from __future__ import annotations

import json
import os
import time
import urllib.parse
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .columns import STORE
from .errors import Conflict, LakeError
from .schemas import schema_text

Action = dict[str, Any]

#: JSON as the log has it. `json.dumps` makes an encoder for each call.
_encoded = json.JSONEncoder(separators=(",", ":")).encode

#: After so many commits the state is written as one file, with which readers begin.
CHECKPOINT_INTERVAL = 20

#: A deletion vector is a feature of tables that readers must know.
_PROTOCOL = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": ["deletionVectors"],
    "writerFeatures": ["deletionVectors"],
}

_ENGINE = "firelite-lake"


@dataclass
class State:
    """A table in one version; -1 if there is none yet."""

    version: int = -1
    metadata: Action | None = None
    protocol: Action | None = None
    #: The files, by path and deletion vector.
    files: dict[str, Action] = field(default_factory=dict)
    #: The numbers that publishers have left in their commits.
    marks: dict[str, int] = field(default_factory=dict)

    def files_of(self, store: str) -> list[Action]:
        """The files with rows of a store."""
        return [file for file in self.files.values() if file["partitionValues"].get(STORE) == store]

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The columns, as the log has them."""
        if self.metadata is None:
            return []
        return list(json.loads(self.metadata["schemaString"])["fields"])


class Table:
    """A Delta table in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.log = os.path.join(folder, "_delta_log")
        self.state = State()
        #: Whether the last commit is in the log, also if an error came after it: its files must stay.
        self.has_committed = False

    # Reading

    def load(self) -> State:
        """Reads the newest state, from the one that was read before.

        Raises LakeError if the table has features that this version does not know.
        """
        old = self.state
        state = self._checkpoint() if old.version < 0 else replace(old, files=dict(old.files), marks=dict(old.marks))
        while True:
            try:
                with open(self._commit_path(state.version + 1), encoding="utf-8") as file:
                    lines = file.read().splitlines()
            except FileNotFoundError:
                break
            for line in lines:
                if line:
                    _apply(state, json.loads(line), self.folder)
            state.version += 1
        if state.version == old.version >= 0:
            return old
        if state.version < 0 and os.path.isdir(self.log) and any(name.endswith(".json") for name in os.listdir(self.log)):
            raise LakeError(f"{self.folder} has a log without a beginning or a checkpoint: publish into a new folder")
        self._check(state)
        self.state = state
        return state

    def _checkpoint(self) -> State:
        state = State()
        try:
            with open(os.path.join(self.log, "_last_checkpoint"), encoding="utf-8") as file:
                version = json.load(file)["version"]
            table = pq.read_table(os.path.join(self.log, f"{version:020}.checkpoint.parquet"))
        except FileNotFoundError:
            return state
        except (OSError, ValueError, KeyError, pa.ArrowException):
            raise LakeError(f"{self.folder} has a checkpoint that cannot be read: publish into a new folder") from None
        for row in table.to_pylist(maps_as_pydicts="strict"):
            for name, content in row.items():
                if content is not None:
                    _apply(state, {name: content}, self.folder)
        state.version = version
        return state

    def _check(self, state: State) -> None:
        if state.version < 0:
            return
        protocol = state.protocol or {}
        unknown = set(protocol.get("writerFeatures") or []) - {"deletionVectors"}
        columns = (state.metadata or {}).get("partitionColumns")
        if unknown or "deletionVectors" not in (protocol.get("writerFeatures") or []) or columns != [STORE]:
            raise LakeError(f"{self.folder} is a table of another program: publish into a new folder")

    # Writing

    def commit(self, actions: list[Action], store: str, marks: dict[str, int], schema: pa.Schema | None, operation: str) -> int:
        """Commits actions on one store's files, with numbers for its next publication.

        `schema` is what the table's columns become, if they change. Commits of other stores' publishers that came in between are no obstacle.

        Raises Conflict if this store's files or the columns have changed since the state was loaded.
        """
        self.has_committed = False
        base = self.state
        now = int(time.time() * 1000)
        head: list[Action] = [
            {"commitInfo": {"timestamp": now, "operation": operation, "operationParameters": {"store": store}, "engineInfo": _ENGINE}}
        ]
        if base.version < 0:
            head.append({"protocol": _PROTOCOL})
        if schema is not None:
            head.append({"metaData": self._metadata(schema, now)})
        transactions = [{"txn": {"appId": name, "version": number, "lastUpdated": now}} for name, number in marks.items()]
        text = "".join(_encoded(action) + "\n" for action in head + actions + transactions)
        version = base.version + 1
        os.makedirs(self.log, exist_ok=True)
        temporary = os.path.join(self.log, f".{uuid.uuid4()}.tmp")
        try:
            with open(temporary, "x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            while True:
                try:
                    os.link(temporary, self._commit_path(version))
                    self.has_committed = True
                    break
                except FileExistsError:
                    version = self._rebased(base, store, set(marks)) + 1
        finally:
            try:
                os.unlink(temporary)
            except FileNotFoundError:
                pass
        _synchronize(self.log)
        if version == base.version + 1:
            state = replace(base, version=version, files=dict(base.files), marks=dict(base.marks))
            for action in head + actions + transactions:
                _apply(state, action, self.folder)
            self.state = state
        else:
            self.load()
        if version // CHECKPOINT_INTERVAL > base.version // CHECKPOINT_INTERVAL and version > 0:
            self._write_checkpoint()
        return version

    def _rebased(self, base: State, store: str, marks: set[str]) -> int:
        """The newest version, if what was committed since the state was loaded leaves this commit as it is."""
        newest = self.load()
        same_files = {file["path"]: file for file in newest.files_of(store)} == {file["path"]: file for file in base.files_of(store)}
        same_marks = all(newest.marks.get(name) == base.marks.get(name) for name in marks)
        if not same_files or not same_marks or newest.fields != base.fields or base.version < 0:
            raise Conflict
        return newest.version

    def _metadata(self, schema: pa.Schema, now: int) -> Action:
        known = self.state.metadata or {}
        return {
            "id": known.get("id") or str(uuid.uuid4()),
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema_text(schema),
            "partitionColumns": [STORE],
            "configuration": {"delta.enableDeletionVectors": "true"},
            "createdTime": known.get("createdTime") or now,
        }

    def _write_checkpoint(self) -> None:
        """Writes a checkpoint, which is only of use: without it, the log is read from the one before."""
        try:
            # Few publications need it, and importing it takes a while.
            from deltalake import DeltaTable

            DeltaTable(self.folder).create_checkpoint()
        except Exception:  # noqa: BLE001  Whatever fails in another library here changes nothing that was published.
            pass

    def _commit_path(self, version: int) -> str:
        return os.path.join(self.log, f"{version:020}.json")

    # Files

    def new_path(self, store: str) -> str:
        """The path of a new file, relative to the folder."""
        return f"{STORE}={urllib.parse.quote(store, safe='')}/part-{uuid.uuid4()}.parquet"

    def absolute(self, path: str) -> str:
        return os.path.join(self.folder, path)

    def file(self, action: Action) -> str:
        """The path of a file of the log, where paths are URIs."""
        return self.absolute(urllib.parse.unquote(action["path"]))


def added(path: str, store: str, size: int, stats: dict[str, Any]) -> Action:
    """The action that adds a file."""
    return {
        "add": {
            "path": urllib.parse.quote(path, safe="/=-._~"),
            "partitionValues": {STORE: store},
            "size": size,
            "modificationTime": int(time.time() * 1000),
            "dataChange": True,
            "stats": _encoded(stats),
        }
    }


def removed(file: Action) -> Action:
    """The action that removes a file, as it is in a state."""
    action = {
        "path": file["path"],
        "deletionTimestamp": int(time.time() * 1000),
        "dataChange": True,
        "extendedFileMetadata": True,
        "partitionValues": file["partitionValues"],
        "size": file["size"],
    }
    if file.get("deletionVector"):
        action["deletionVector"] = file["deletionVector"]
    return {"remove": action}


def with_vector(file: Action, vector: dict[str, Any]) -> Action:
    """The action that adds a file again, with a deletion vector."""
    stats = json.loads(file["stats"]) if file.get("stats") else {}
    stats["tightBounds"] = False
    names = ("path", "partitionValues", "size", "modificationTime")
    return {
        "add": {name: file[name] for name in names}
        | {"dataChange": True, "stats": _encoded(stats), "deletionVector": vector}
    }


def _apply(state: State, action: Action, folder: str) -> None:
    """Brings a state up to date with an action of the log."""
    for name, content in action.items():
        if name == "add":
            file = {key: value for key, value in content.items() if value is not None}
            if vector := file.get("deletionVector"):
                file["deletionVector"] = {key: value for key, value in vector.items() if value is not None}
            state.files[_key(file)] = file
        elif name == "remove":
            state.files.pop(_key(content), None)
        elif name == "metaData":
            state.metadata = content
        elif name == "protocol":
            state.protocol = content
            if content["minReaderVersion"] > 3 or content["minWriterVersion"] > 7:
                raise LakeError(f"{folder} is a table of another program: publish into a new folder")
        elif name == "txn":
            state.marks[content["appId"]] = content["version"]


def _key(file: Action) -> str:
    vector = file.get("deletionVector")
    return str(file["path"]) + ("\0" + vector["pathOrInlineDv"] if vector else "")


def _synchronize(folder: str) -> None:
    """Makes new names in a folder survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
