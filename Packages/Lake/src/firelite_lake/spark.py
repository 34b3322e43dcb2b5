"""Reads a lake with Spark where Delta's own classes for it are not installed.

With them, `spark.read.format("delta").load(folder)` does the same. Without them, this gives Spark the files of a table and the rows that are
deleted in them, so its executors read Parquet as ever.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from .columns import STORE
from .delta import Table
from .errors import USAGE, LakeError
from .reading import files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession, lake: str, table: str) -> DataFrame:
    """A table of a lake in its newest version.

    Raises LakeError if there is no such table.
    """
    from pyspark.sql import functions
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    # Spark takes the files' paths as URIs, which are absolute.
    lake = os.path.abspath(lake)
    delta = Table(os.path.join(lake, table))
    state = delta.load()
    if state.metadata is None:
        raise LakeError(f"{delta.folder} is no table of a lake", USAGE)
    whole = StructType.fromJson(json.loads(state.metadata["schemaString"]))
    if not state.files:
        return spark.createDataFrame([], whole)
    found = files(lake, table)
    rows = spark.read.schema(StructType([field for field in whole if field.name != STORE])).parquet(*(f"file://{file.path}" for file in found))
    names = [field.name for field in whole if field.name != STORE]
    rows = rows.select(*names, functions.col("_metadata.file_name").alias("_file"), functions.col("_metadata.row_index").alias("_row"))
    text, number = StringType(), LongType()
    deleted = [(os.path.basename(file.path), row) for file in found for row in file.deleted.tolist()]
    if deleted:
        gone = spark.createDataFrame(deleted, StructType([StructField("_file", text), StructField("_row", number)]))
        rows = rows.join(functions.broadcast(gone), ["_file", "_row"], "left_anti")
    stores = spark.createDataFrame(
        [(os.path.basename(file.path), file.store) for file in found], StructType([StructField("_file", text), StructField(STORE, text)])
    )
    return rows.join(functions.broadcast(stores), "_file").select(*names, STORE)
