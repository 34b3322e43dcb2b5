"""Publishes FireLite stores as Parquet files with a Delta Lake log."""

from .errors import LakeError
from .plan import Plan
from .publish import Published, publish
from .reading import files, tables

__all__ = ["LakeError", "Plan", "Published", "files", "publish", "tables"]
