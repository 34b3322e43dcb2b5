"""What a lake has, for engines that do not read Delta tables themselves."""

from __future__ import annotations

import os
from dataclasses import dataclass

from . import vectors
from .columns import STORE
from .delta import Table
from .errors import USAGE, LakeError
from .numbers import Numbers


@dataclass(frozen=True)
class File:
    """A Parquet file of a table."""

    path: str
    #: The name of its store.
    store: str
    #: The positions of rows that are no longer there, from 0.
    deleted: Numbers


def tables(lake: str) -> list[str]:
    """The names of the tables."""
    return sorted(name for name in os.listdir(lake) if os.path.isdir(os.path.join(lake, name, "_delta_log")))


def files(lake: str, table: str) -> list[File]:
    """The files of a table in its newest version. They stay until the table is vacuumed, whatever is published in the meantime.

    Raises LakeError if there is no such table.
    """
    delta = Table(os.path.join(lake, table))
    state = delta.load()
    if state.version < 0:
        raise LakeError(f"{delta.folder} is no table of a lake", USAGE)
    return [
        File(delta.file(file), file["partitionValues"][STORE], vectors.decoded(file.get("deletionVector"), delta.folder))
        for file in state.files.values()
    ]
