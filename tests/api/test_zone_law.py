"""POST /api/booking under a law that skips an hour and repeats another."""

import pytest

from bookings.models import VirtualClass
from tests.api.bodies import booking_body, post
from tests.zones import new_law

pytestmark = pytest.mark.django_db

# On 2026-12-06 the clocks go from 00:00 to 01:00; on 2027-03-07 from 00:00 to 23:00 the day before.
UNCLEAR = {
    "skipped": ("2026-12-06T00:00:00", "2026-12-06T01:00:00"),
    "end skipped": ("2026-12-05T23:00:00", "2026-12-06T00:30:00"),
    "repeated": ("2027-03-06T23:00:00", "2027-03-06T23:30:00"),
}


@pytest.fixture(autouse=True)
def _law(tmp_path):
    with new_law(tmp_path):
        yield


@pytest.mark.parametrize(("start", "end"), UNCLEAR.values(), ids=UNCLEAR)
def test_hour_that_names_no_instant_is_refused(client, host, start, end):
    client.force_login(host)

    response = post(client, "/api/booking", booking_body(start=start, end=end))

    assert response.status_code == 400
    assert response.json()["success"] is False
    assert "los relojes cambian" in response.json()["error"]
    assert not VirtualClass.objects.exists()


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2027-03-06T23:00:00-02:00", "2027-03-06T23:30:00-02:00"),
        ("2027-03-06T23:00:00-03:00", "2027-03-06T23:30:00-03:00"),
        ("2026-12-06T00:00:00-03:00", "2026-12-06T01:00:00-03:00"),
    ],
    ids=["first", "second", "skipped"],
)
def test_an_offset_makes_every_hour_clear(client, host, start, end):
    client.force_login(host)

    response = post(client, "/api/booking", booking_body(start=start, end=end))

    assert response.status_code == 200
    assert VirtualClass.objects.get().start_time.isoformat()


def test_clear_hour_without_an_offset_is_the_teacher_s(client, host):
    client.force_login(host)
    body = booking_body(start="2026-12-07T16:00:00", end="2026-12-07T17:00:00")

    assert post(client, "/api/booking", body).status_code == 200

    stored = VirtualClass.objects.get()
    assert (f"{stored.start_time:%H:%M}", stored.utc_offset) == ("18:00", -120)
