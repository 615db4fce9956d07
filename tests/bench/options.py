"""How large a run is."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """What a section is told. directory: for its files, gone after the run."""

    engine: str
    database: str
    directory: Path
    is_quick: bool = False

    @property
    def rounds(self) -> int:
        """How often everything is measured."""
        return 3 if self.is_quick else 7
