"""How much a drill does."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of everything."""

    MEANINGS: ClassVar[dict[str, str]] = {
        "rounds": "how many processes are killed at each point",
        "people": "how many want a place at once",
        "guesses": "how many wrong codes are tried",
        "classes": "how many classes are paid while the providers fail",
        "restarts": "how often the database is restarted",
    }

    rounds: int
    people: int
    guesses: int
    classes: int
    restarts: int

    def changed(self, **numbers: int | None) -> Self:
        """Change those that are given."""
        return replace(self, **{name: one for name, one in numbers.items() if one is not None})

    def small(self) -> Self:
        """What is enough for a twin to fail."""
        return self.changed(
            rounds=min(self.rounds, 3),
            people=min(self.people, 100),
            guesses=min(self.guesses, 200),
            classes=min(self.classes, 20),
            restarts=1,
        )


FULL = Size(rounds=20, people=300, guesses=10_000, classes=200, restarts=10)
QUICK = Size(rounds=1, people=40, guesses=100, classes=10, restarts=2)
