"""``python -m tests.money_states``: write docs/money-states.md from the code."""

import os
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "money-states.md"
HEAD = """# The states of money

How the money of a purchase, a class or a place, stands. `describe_money` (`bookings/money_state/`)
returns the first state of this table that fits; pages, mails, panel, API and files take their
words from it. A student may pay only in the states marked so.

`python -m tests.money_states` writes this page from the code.

| State | Badge | On the page | Before cancelling | On her sheet | In lists and files | May pay |
|---|---|---|---|---|---|---|
"""


def render() -> str:
    """Return the page, in Spanish as people read it."""
    from bookings.money_state import MoneyState

    rows = []
    for state in MoneyState:
        cells = state.badge, state.line, state.cancelling, state.hers, state.report
        pays = "yes" if state.may_pay else ""
        rows.append(" | ".join([f"`{state.value}`", *map(str, cells), pays]))
    return HEAD + "".join(f"| {row} |\n" for row in rows)


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DEBUG", "true")
    django.setup()
    PAGE.write_text(render())
