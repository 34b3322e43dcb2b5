"""The errors of this package."""

from __future__ import annotations

#: Exit statuses, as the tool `firelite` has them.
INCOMPLETE = 1
USAGE = 2
FAILED = 3
#: The plan is older than the tables of a store: the tool makes another one.
STALE = 75


class LakeError(Exception):
    """Why something was not published: one line that says what, where and what to do. It never has a value of a record."""

    def __init__(self, message: str, status: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class Conflict(Exception):
    """Another publisher has committed what this one was about to change."""
