"""A shared cache that refuses, or accepts and says nothing: only limits and speed go with it."""

import socket
from datetime import timedelta

import pytest
from django.core.cache import cache, caches
from django.urls import reverse

from bookings.domain.classes.scheduling import schedule_class
from bookings.models import VirtualClass
from config.lib import redis_cache
from config.lib.redis_cache import Outage
from config.lib.throttling import count_one, give_back, is_too_often
from tests.factories import VirtualClassFactory
from tests.pages.moments import tuesday
from tests.payments import make_payment

pytestmark = pytest.mark.usefixtures("agenda", "dead_cache")


both_kinds = pytest.mark.parametrize("server", ["refused", "silent"], indirect=True)


@pytest.fixture
def server(request):
    """A Redis that takes connections and never says a word, or one that is not there."""
    kind = getattr(request, "param", "silent")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.setblocking(False)
        if kind == "silent":
            listening.listen(64)
        yield listening


@pytest.fixture
def dead_cache(server, settings, monkeypatch):
    """The service with that Redis as its cache, which it has not asked yet."""
    monkeypatch.setattr(redis_cache, "outage", Outage(pause=timedelta(minutes=1)))
    settings.CACHES = {
        "default": {
            "BACKEND": "config.lib.redis_cache.ForgivingRedisCache",
            "LOCATION": f"redis://:s3cret@127.0.0.1:{server.getsockname()[1]}/0",
        }
    }
    yield
    caches.close_all()


@pytest.fixture
def waits(server):
    """Count how often a new outage is waited for while something is done."""

    def count(act) -> tuple[int, object]:
        _connections(server)
        redis_cache.outage.end()
        answer = act()
        return _connections(server), answer

    return count


def _connections(server) -> int:
    """Take those that came in since the last time; who does not listen has none."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return count
        count += 1


@pytest.fixture
def scheduled(host):
    """Ana's class for three, in eight days at ten, in the calendar."""
    pending = VirtualClassFactory(
        booked_by=host, start_time=tuesday("10:00", weeks=1), max_participants=3
    )
    return schedule_class(preference_id=pending.preference_id)


@both_kinds
def test_pages_and_the_listing_open(client, host, teacher, scheduled, sign_in, waits):
    ana = sign_in(host)
    for visitor, path in [
        (client, "/api/calendar"),
        (client, reverse("bookings:book")),
        (ana, reverse("bookings:reschedule", args=[scheduled.pk])),
        (sign_in(teacher), reverse("admin:week")),
    ]:
        count, page = waits(lambda visitor=visitor, path=path: visitor.get(path))

        assert (path, page.status_code) == (path, 200)
        assert count <= 1, path


def test_the_listing_shows_own_writes_at_once(client, scheduled, host, sign_in):
    assert len(client.get("/api/calendar").json()) == 1

    sign_in(host).post(reverse("bookings:cancel", args=[scheduled.pk]))

    assert client.get("/api/calendar").json() == []


def test_a_paid_class_is_scheduled_once(client, host, google, mercadopago, waits):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    body = {"preferenceId": payment.preference_id}

    count, answer = waits(lambda: client.post("/api/calendar", body, "application/json"))

    assert (answer.status_code, count <= 1) == (200, True)
    assert VirtualClass.objects.get().is_scheduled
    assert len(google.events()) == 1


@both_kinds
def test_readyz_serves_and_says_so(client, waits):
    count, answer = waits(lambda: client.get("/readyz"))

    body = answer.json()
    assert (answer.status_code, body["status"], body["cache"]) == (200, "degraded", "down")
    assert count <= 1


@both_kinds
def test_limits_let_everybody_through_with_one_wait_and_one_line(waits, caplog):
    def act_often():
        for _ in range(20):
            give_back(count_one("things", "ana"))
            assert not is_too_often("things", "ana", limit=0)

    assert waits(act_often)[0] <= 1
    assert caplog.text.count("The cache does not answer") == 1
    assert "s3cret" not in caplog.text


@both_kinds
def test_every_question_is_answered_as_by_an_empty_cache():
    assert (cache.get("a"), cache.get("a", 7), cache.get_many(["a"])) == (None, 7, {})
    assert (cache.has_key("a"), cache.touch("a"), cache.delete("a")) == (False, False, False)
    assert (cache.add("a", 1), cache.incr("a"), cache.decr("a")) == (True, 0, 0)
    assert (cache.set_many({"a": 1}), cache.get_or_set("a", 1)) == (["a"], 1)
    cache.set("a", 1)
    cache.delete_many(["a"])
    cache.clear()
