"""Columns of numbers as NumPy's arrays, without copies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .errors import LakeError

Numbers = npt.NDArray[np.int64]


def numbers(column: pa.Array | pa.ChunkedArray) -> Numbers:
    """The numbers of a column of 64-bit integers. Arrow's own `to_numpy` imports pandas wherever it is installed.

    Raises LakeError if one is missing.
    """
    if column.null_count:
        raise LakeError("a number is missing in a row that needs one: run `firelite check` for each store")
    column = column.cast(pa.int64())
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [np.frombuffer(chunk.buffers()[1], np.int64, len(chunk), 8 * chunk.offset) for chunk in chunks if len(chunk)]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
