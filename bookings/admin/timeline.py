"""A story in the panel: what happened to something, in order."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened. kind: for its colour; details: what else is known."""

    at: datetime
    kind: str
    text: str
    details: str = ""
