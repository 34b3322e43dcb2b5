"""Deletion vectors: which rows of a file are gone (Delta protocol, *Deletion vectors*). They stand in the log itself, as Base85 text."""

from __future__ import annotations

import base64
import struct
from typing import Any

import numpy as np
import numpy.typing as npt
from pyroaring import BitMap64

from .errors import LakeError

_MAGIC = 1681511377

# Python's alphabet of Base85, and that of ZeroMQ (RFC 32), which Delta uses.
_PYTHON = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_ZEROMQ = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_TO_ZEROMQ = str.maketrans(_PYTHON, _ZEROMQ)
_FROM_ZEROMQ = str.maketrans(_ZEROMQ, _PYTHON)


def encoded(rows: npt.NDArray[np.int64]) -> dict[str, Any]:
    """The descriptor of the positions of deleted rows."""
    data = struct.pack("<i", _MAGIC) + BitMap64(rows.tolist()).serialize()
    padded = data + bytes(-len(data) % 4)
    return {
        "storageType": "i",
        "pathOrInlineDv": base64.b85encode(padded).decode().translate(_TO_ZEROMQ),
        "sizeInBytes": len(data),
        "cardinality": len(rows),
    }


def decoded(descriptor: dict[str, Any] | None, path: str) -> npt.NDArray[np.int64]:
    """The positions of deleted rows.

    Raises LakeError for one that another program wrote into a file.
    """
    if descriptor is None:
        return np.zeros(0, np.int64)
    if descriptor["storageType"] != "i":
        raise LakeError(f"{path} was changed by another program, which keeps deleted rows in files: publish into a new folder")
    data = base64.b85decode(descriptor["pathOrInlineDv"].translate(_FROM_ZEROMQ))[: descriptor["sizeInBytes"]]
    if struct.unpack("<i", data[:4])[0] != _MAGIC:
        raise LakeError(f"{path} has deleted rows in a form that this version does not read: publish into a new folder")
    return np.array(BitMap64.deserialize(data[4:]).to_array(), np.int64)
