"""config/lib/wall_time.py: the next time that the teacher's clock shows an hour."""

from datetime import UTC, datetime, time

import pytest

from config.lib.wall_time import find_next


@pytest.mark.parametrize(
    ("now", "clock", "following"),
    [
        (datetime(2026, 7, 1, 12, tzinfo=UTC), time(20), datetime(2026, 7, 2, 0, tzinfo=UTC)),
        (datetime(2026, 7, 2, 0, tzinfo=UTC), time(20), datetime(2026, 7, 3, 0, tzinfo=UTC)),
        (datetime(2026, 4, 4, 23, tzinfo=UTC), time(20), datetime(2026, 4, 6, 0, tzinfo=UTC)),
        (datetime(2026, 9, 6, 0, tzinfo=UTC), time(20), datetime(2026, 9, 6, 23, tzinfo=UTC)),
        (datetime(2026, 9, 6, 3, tzinfo=UTC), time(0, 30), datetime(2026, 9, 6, 4, 30, tzinfo=UTC)),
    ],
    ids=["today", "tomorrow", "clocks go back", "clocks go forward", "hour that is skipped"],
)
def test_the_next_hour_is_that_of_the_clock(settings, now, clock, following):
    settings.TIME_ZONE = "America/Santiago"

    assert find_next(clock, now) == following
