"""How much a drill does."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of everything."""

    MEANINGS: ClassVar[dict[str, str]] = {
        "points": "at how many points processes are killed, of all there are",
        "rounds": "how many are killed at each",
        "people": "how many want a place at once",
        "races": "how often they do",
        "guesses": "how many wrong codes are tried",
        "classes": "how many classes are paid while the providers fail",
        "steps": "in how many steps the clock goes through each kind of failure",
        "restarts": "how often the database is restarted",
    }

    points: int
    rounds: int
    people: int
    races: int
    guesses: int
    classes: int
    steps: int
    restarts: int

    def changed(self, **numbers: int | None) -> Self:
        """Change those that are given."""
        return replace(self, **{name: one for name, one in numbers.items() if one is not None})

    def small(self) -> Self:
        """What is enough for a twin to fail."""
        return self.changed(
            rounds=min(self.rounds, 3),
            people=min(self.people, 60),
            races=1,
            guesses=min(self.guesses, 100),
            classes=min(self.classes, 10),
            steps=2,
            restarts=1,
        )


FULL = Size(
    points=100,
    rounds=20,
    people=300,
    races=3,
    guesses=10_000,
    classes=200,
    steps=3,
    restarts=10,
)
QUICK = Size(points=2, rounds=1, people=12, races=1, guesses=40, classes=10, steps=1, restarts=1)
