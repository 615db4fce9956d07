"""Entries of a timeline."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """kind: for its colour."""

    at: datetime
    kind: str
    text: str
    details: str = ""
