"""What others notice while callers of ``POST /api/calendar`` wait for the calendar.

``python -m tests.bench.stuck``: the shipped gunicorn on PostgreSQL; a calendar that takes 300 ms
for an event, or hangs; sixteen callers, and more than there are threads; with the limit of
CALENDAR_WRITERS and without it. The listing works all the time. Ends with 1 when, with the limit
and a calendar that hangs, the p99 of a read is over three times its own just before.
"""

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import django

from tests.bench.clients import Request, fetch
from tests.bench.databases import migrated
from tests.bench.service import gunicorn
from tests.drills.report import percentile
from tests.drills.standins import Remote, Standins
from tests.standins import Fault

TEACHER = "teacher@example.com"
CLASSES = 4_000
LIMIT = 3.0
# A read every so many seconds, and so many of them; as many may wait at once.
INTERVAL, COUNT = 0.05, 200
READS_AT_ONCE = 100
HOST = {"Host": "127.0.0.1"}
READS = ("/api/auth/session", "/api/calendar")
HANGS = 20.0  # seconds; a call ends after four, an operation after eight
# How many ask at once, and how long each event takes.
SCENES = ((16, 0.3), (16, HANGS), (40, HANGS))
UNLIMITED = "from config.settings import *\nCALENDAR_WRITERS = 1_000\n"


def main() -> int:
    """Measure, print a table, judge."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(
        "limit  callers  event  read                   p50      p99  at rest     callers' answers"
    )
    worst = 0.0
    with (
        tempfile.TemporaryDirectory() as folder,
        migrated("postgresql", Path(folder)) as copies,
        copies.copy() as database,
        Standins() as standins,
    ):
        variables = environment(database, standins.google, Path(folder))
        os.environ.update(variables)
        preferences = fill(standins.google)
        for settings in ("config.settings", "unlimited"):
            variables["DJANGO_SETTINGS_MODULE"] = settings
            with gunicorn("config.wsgi", variables) as service:
                ratio = measure(service.url, settings, standins.google, preferences)
            worst = ratio if settings == "config.settings" else worst
    print(f"with the limit: {worst:.1f} times the p99 at rest, {LIMIT:.0f} allowed")
    return worst > LIMIT


def environment(database: str, google: Remote, folder: Path) -> dict[str, str]:
    """Give the demo's environment, whose provider may be on plain http."""
    (folder / "unlimited.py").write_text(UNLIMITED)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(folder),
        "ENV_FILE": "",
        "DEMO": "true",
        "BASE_URL": "http://127.0.0.1",
        "DATABASE_URL": database,
        "ADMIN_EMAIL": TEACHER,
        "EMAIL_URL": "dummymail://",
        "AUTH_PROVIDER_ID": "bench-google",
        "AUTH_PROVIDER_SECRET": "bench-google-secret",
        "GOOGLE_URL": google.url(),
        "CALENDAR_API_URL": f"{google.url()}/calendar/v3",
        "CALENDAR_TRIGGER_POLICY": "open",
        "PREVENT_OVERLAPS": "false",
    }


def fill(google: Remote) -> Iterator[str]:
    """Store the teacher and classes that wait for their event; give their preferences."""
    django.setup()
    # They stand on the models, which exist from here on.
    from tests.factories import UserFactory, VirtualClassFactory

    google.add_person(email=TEACHER, name="Paula Profe")
    UserFactory(email=TEACHER, is_staff=True, provider_refresh_token=google.grant(TEACHER))
    host = UserFactory()
    made = VirtualClassFactory.build_batch(CLASSES, booked_by=host)
    type(made[0]).objects.bulk_create(made)
    return iter([one.preference_id for one in made])


def measure(url: str, settings: str, google: Remote, preferences: Iterator[str]) -> float:
    """Read at rest and beside callers; print, and give the worst ratio of p99 where it hangs."""
    limit = "on" if settings == "config.settings" else "off"
    fetch(url, schedule(next(preferences)))  # not counted: it loads things
    worst = 0.0
    for count, seconds in SCENES:
        google.heal()
        rest = [read(url, path) for path in READS]
        google.fault("events.insert", *[Fault.delay(seconds)] * 10_000)
        with callers(count, url, preferences) as answers:
            loads = [read(url, path) for path in READS]
        for path, load, quiet in zip(READS, loads, rest, strict=True):
            p50, p99, at_rest = (
                percentile(load, 0.5),
                percentile(load, 0.99),
                percentile(quiet, 0.99),
            )
            print(
                f"{limit:<6} {count:>7} {seconds:>4.1f} s  {path:<18} {p50:7.1f} {p99:8.1f} "
                f"{at_rest:8.1f} ms  {dict(answers)}"
            )
            worst = max(worst, p99 / at_rest) if seconds == HANGS else worst
    return worst


def read(url: str, path: str) -> list[float]:
    """Ask for a path at a steady rate, whatever comes back; sorted milliseconds of the answers.

    Counted from when each was due. Whoever asks again only when answered does not ask while nobody
    is answered, and sees the good moments only.
    """
    began = time.monotonic()

    def ask(number: int) -> float:
        due = began + number * INTERVAL
        time.sleep(max(due - time.monotonic(), 0))
        fetch(url, Request("GET", path, headers=HOST))
        return (time.monotonic() - due) * 1000

    with ThreadPoolExecutor(READS_AT_ONCE) as pool:
        return sorted(pool.map(ask, range(COUNT)))


def schedule(preference: str) -> Request:
    """Ask to have a class scheduled."""
    return Request("POST", "/api/calendar", f'{{"preferenceId": "{preference}"}}', HOST)


@contextmanager
def callers(count: int, url: str, preferences: Iterator[str]) -> Iterator[Counter[int]]:
    """Have some ask for one class after the other while the block runs; give their answers."""
    answers: Counter[int] = Counter()
    lock, done = threading.Lock(), threading.Event()

    def call() -> None:
        while not done.is_set():
            with lock:
                preference = next(preferences)
            status, _ = fetch(url, schedule(preference))
            with lock:
                answers[status] += 1
            # As fast as they are refused they would be a load of their own.
            done.wait(0.25)

    threads = [threading.Thread(target=call) for _ in range(count)]
    for thread in threads:
        thread.start()
    done.wait(2)  # until they are stuck
    try:
        yield answers
    finally:
        done.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    sys.exit(main())
