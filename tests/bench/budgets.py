"""The goals, read from ``budgets.toml``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("budgets.toml")


def goal_of(table: str, operation: str, engine: str) -> float | None:
    """Give an operation's goal; None where there is none."""
    goal = read_budgets()[table].get(operation)
    return goal.get(engine) if isinstance(goal, dict) else goal


@cache
def read_budgets() -> dict[str, dict[str, Any]]:
    """Read the file, once."""
    return tomllib.loads(FILE.read_text())
