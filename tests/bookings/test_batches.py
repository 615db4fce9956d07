"""domain/batches.py: a slow provider does not hold up the other sweeps."""

from bookings.domain import batches


def test_a_batch_gives_way_once_its_time_is_over(monkeypatch):
    monkeypatch.setattr(batches, "SECONDS_IN_A_ROW", 0)

    done = batches.work_through(range(9), lambda row: True, outage=OSError, name="Row")

    assert done == 1
