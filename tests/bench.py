"""How long people wait, against the goals of docs/performance.md: ``make bench``.

One web process among a thousand classes gets twenty requests a second, whether earlier ones were
answered or not, as people send them. What else the machine does counts: run it alone.
"""

import http.client
import json
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from datetime import time as clock
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from bookings.models import Price, WeeklyHours
from tests.factories import UserFactory
from tests.performance.crowd import add_scheduled_classes
from tests.processes import database_url, web_server

RATE, SECONDS = 20, 30
PEOPLE, CLASSES = 20, 1_000
MOST_MS = 100  # for 99 of 100 answers
MOST_MIB = 200  # of the web server; worker and PostgreSQL take the rest of 256
PATIENCE_SECONDS = 20
LOOKS = (
    "/",
    "/inicio",
    "/inicio/reservar",
    "/inicio/clases",
    "/inicio/perfil",
    "/api/slots?type=individual&minutes=60",
    "/api/auth/session",
    "/api/calendar",
)


class Request(NamedTuple):
    path: str
    cookie: str
    body: dict[str, Any] | None = None


@pytest.fixture
def people(transactional_db, teacher):
    """Twenty people with a thousand classes, and a teacher with hours and a price."""
    WeeklyHours.objects.bulk_create(
        WeeklyHours(weekday=weekday, start=clock(9), end=clock(21)) for weekday in range(7)
    )
    Price.objects.create(
        class_type="individual",
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from=date(2026, 1, 1),
    )
    people = UserFactory.create_batch(PEOPLE)
    add_scheduled_classes(people, CLASSES)
    return people


def list_requests(person):
    """List what a person asks for: eight looks and a booking."""
    browser = Client()
    browser.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    cookie = f"{name}={browser.cookies[name].value}"
    start = timezone.localtime().replace(microsecond=0) + timedelta(days=2)
    wish = {
        "start": start.isoformat(),
        "end": (start + timedelta(hours=1)).isoformat(),
        "isGroupClass": False,
        "studentsCount": 1,
        "price": 1_500_000,
    }
    return [*(Request(path, cookie) for path in LOOKS), Request("/api/booking", cookie, wish)]


def test_nobody_waits_longer_than_the_goals(people, tmp_path, settings):
    environment = {
        "DEBUG": "false",
        "DEMO": "true",  # as in production, but for https
        "SECRET_KEY": settings.SECRET_KEY,
        "FIELD_KEYS": settings.FIELD_KEYS[0],
        "DATABASE_URL": database_url(),
    }

    with web_server(tmp_path, threads=16, **environment) as server:
        settings.BASE_URL = server.url  # whose sessions they are
        requests = [request for person in people for request in list_requests(person)]
        send(server.url, requests[: len(LOOKS) + 1])  # loads what first requests load
        took, statuses = send(server.url, islice(cycle(requests), RATE * SECONDS))
        mib = memory_of(server.pid)

    p50, p99 = (took[int(len(took) * share)] * 1000 for share in (0.5, 0.99))
    print(f"\n{RATE}/s for {SECONDS} s: p50 {p50:.0f} ms, p99 {p99:.0f} ms, {mib:.0f} MiB")
    assert set(statuses) == {200}, statuses
    assert p99 <= MOST_MS
    assert mib <= MOST_MIB


def send(url: str, requests: Iterable[Request]) -> tuple[list[float], Counter[int]]:
    """Send each at its time; return the sorted seconds from then on, and the statuses."""
    began = time.monotonic() + 0.1

    def send_one(numbered: tuple[int, Request]) -> tuple[float, int]:
        number, request = numbered
        due = began + number / RATE
        time.sleep(max(due - time.monotonic(), 0))
        status = ask(url, request, number)
        return time.monotonic() - due, status

    with ThreadPoolExecutor(RATE) as pool:
        answers = list(pool.map(send_one, enumerate(requests)))
    return sorted(seconds for seconds, _ in answers), Counter(status for _, status in answers)


def ask(url: str, request: Request, number: int) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_SECONDS)
    headers, body = {"Cookie": request.cookie}, None
    if request.body:
        body = json.dumps({**request.body, "preferenceId": f"bench-{url}-{number}-{time.time()}"})
        headers["Content-Type"] = "application/json"
    connection.request("POST" if body else "GET", request.path, body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def memory_of(pid: int) -> float:
    """Return the MiB of a process and its children; shared memory counts once (PSS)."""
    pids = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    lines = [Path(f"/proc/{one}/smaps_rollup").read_text().splitlines() for one in pids]
    kilobytes = [int(line.split()[1]) for of_one in lines for line in of_one if line[:4] == "Pss:"]
    return sum(kilobytes) / 1024
