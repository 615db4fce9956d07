"""The least the floor ever cost on this machine: who is far from it today is disturbed."""

import json
from pathlib import Path

from tests.processes import ROOT

FILE = ROOT / ".bench" / "floors.json"


def best_floor_of_host(kind: str, seconds: float, file: Path = FILE) -> float:
    """Note what the floor cost in this run, and give the best there ever was before or now."""
    floors: dict[str, float] = json.loads(file.read_text()) if file.is_file() else {}
    floors[kind] = min(seconds, floors.get(kind, seconds))
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(floors, indent=1))
    return floors[kind]
