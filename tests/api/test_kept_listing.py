"""GET /api/calendar is written once for everybody, and never sent when it is out of date."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache

from bookings.api import kept_listing
from calendar_sync import forget_upcoming_events

PATH = "/api/calendar"


@pytest.fixture
def clock(teacher, time_machine):
    """Noon on the first of March 2027, in Buenos Aires; it stands still."""
    moment = datetime(2027, 3, 1, 15, tzinfo=UTC)
    time_machine.move_to(moment, tick=False)
    return moment


@pytest.fixture
def written(monkeypatch):
    """Count the lists that are written."""
    lists, keep = [], kept_listing.keep

    def count(listing, route):
        lists.append(listing)
        return keep(listing, route)

    monkeypatch.setattr(kept_listing, "keep", count)
    return lists


def test_list_is_written_once_for_everybody(anybody, clock, google, written):
    google.add_event(start=clock + timedelta(days=1))

    answers = [anybody.get(PATH) for _ in range(3)]

    assert len({answer.content for answer in answers}) == 1
    assert [len(answer.json()) for answer in answers] == [1, 1, 1]
    assert len(written) == 1


def test_kept_list_has_the_headers_of_any_other(anybody, clock):
    first, second = (anybody.get(PATH) for _ in range(2))

    kept = dict(second.headers.items())
    assert kept.pop("X-Request-ID") != first["X-Request-ID"]
    assert kept.items() <= first.headers.items()
    assert first["Cache-Control"] == "private, no-cache"
    assert first["Content-Security-Policy"].startswith("default-src 'none'")
    # What only the view's framework adds.
    assert set(first.headers) - set(kept) <= {"Allow", "Vary", "X-Request-ID"}


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_somebody_who_has_the_list_gets_304(anybody, clock, form):
    tag = anybody.get(PATH)["ETag"]

    answer = anybody.get(PATH, headers={"If-None-Match": form.format(tag)})

    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize("known", ["", '"other"', "rubbish", 'W/"'])
def test_somebody_who_has_another_list_gets_this_one(anybody, clock, known):
    for _ in range(2):
        answer = anybody.get(PATH, headers={"If-None-Match": known})
        assert (answer.status_code, answer.json()) == (200, [])


def test_tag_changes_with_the_list(anybody, clock, google, time_machine):
    before = anybody.get(PATH)["ETag"]
    google.add_event(start=clock + timedelta(days=1))
    time_machine.shift(16)

    answer = anybody.get(PATH, headers={"If-None-Match": before})

    assert (answer.status_code, len(answer.json())) == (200, 1)


def test_kept_list_goes_with_a_write_of_another_process(anybody, clock, google):
    anybody.get(PATH)
    google.add_event(start=clock + timedelta(days=1))

    forget_upcoming_events()  # it changes the shared cache and nothing here

    assert len(anybody.get(PATH).json()) == 1


def test_kept_list_goes_with_the_cache(anybody, clock, google):
    anybody.get(PATH)
    google.add_event(start=clock + timedelta(days=1))

    cache.clear()

    assert len(anybody.get(PATH).json()) == 1


def test_kept_list_drops_an_event_that_has_ended(anybody, clock, google, time_machine):
    google.add_event(start=clock - timedelta(hours=1), end=clock + timedelta(seconds=5))
    assert len(anybody.get(PATH).json()) == 1

    time_machine.shift(5)

    assert anybody.get(PATH).json() == []


def test_kept_list_is_for_known_hosts(anybody, clock):
    anybody.get(PATH)

    assert anybody.get(PATH, headers={"host": "evil.example"}).status_code == 400


def test_kept_list_costs_one_query_and_does_not_ask_the_provider(
    anybody, clock, google, django_assert_num_queries
):
    anybody.get(PATH)
    asked = len(google.requests)

    with django_assert_num_queries(1):
        anybody.get(PATH)

    assert len(google.requests) == asked


def test_kept_list_has_a_name_for_the_log(anybody, clock):
    first, second = (anybody.get(PATH) for _ in range(2))

    assert first.wsgi_request.resolver_match.route == "api/calendar"
    assert second.wsgi_request.resolver_match.route == "api/calendar"
