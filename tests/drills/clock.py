"""``drill clock``: all clocks are a day ahead while people book and pay, and then right again.

The worker is the real one, with its plan. Later moments are reached by moving its
clock, as everywhere.
"""

import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.models import User
from bookings.domain.checkout.settling import confirm_payment
from bookings.domain.money.prices import find_price
from bookings.models import ClassStatus, ClassType, Heartbeat, Notice, NoticeKind, VirtualClass
from bookings.work import worker
from bookings.work.health import check_work
from bookings.work.sweeps import SWEEPS
from bookings.work.worker import Worker
from tests.booking import book_class
from tests.drills.processes import Say, ServiceProcess, require
from tests.drills.protections import Twin, leave_plan_ahead, leave_waits_ahead
from tests.drills.report import Result
from tests.drills.scene import HOUR, Scene
from tests.drills.size import Size
from tests.drills.world import World
from tests.standins import Fault

AHEAD = timedelta(days=1)
# Each is a round of the worker. What waits a minute, or for a calendar that was down, is done then.
ROUNDS_MINUTES = (0, 2, 7, 12)
# Real time in which a worker takes every turn, on a busy machine too.
ROUND_SECONDS = 40.0
POLL = timedelta(milliseconds=50)
TWINS = (
    Twin("the plan's way back", leave_plan_ahead),
    Twin("the waits' way back", leave_waits_ahead),
)


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Let the clock be wrong, set it right, and look for what does not go on."""
    result = Result("clock", world.engine, twin=twin.name if twin else "")
    prepare = (_hurry, *((twin.leave_out,) if twin else ()))
    scene = Scene(world)
    people = [scene.sign_up(f"student{number}").user for number in range(size.classes)]
    soon = _schedule_soon(scene, people[0])
    _work(scene, *prepare)
    session = _live_ahead(scene, people, *prepare)
    if check_work().is_alive:
        result.broken.append("heartbeats from the future count as good")
    began = time.monotonic()
    stood_still = _work(scene, *prepare)
    seconds = time.monotonic() - began
    for minutes in () if stood_still else ROUNDS_MINUTES[1:]:
        scene.ahead = timedelta(minutes=minutes)
        _work(scene, *prepare)
    [is_healthy] = require(scene.run(lambda say: say(check_work().is_alive)))
    result.figures = {
        "clocks ahead by": str(AHEAD),
        "sweeps that ran once it was right": f"{len(SWEEPS) - len(stood_still)} of {len(SWEEPS)}",
        "in seconds": round(seconds),
        "paid meanwhile": len(people),
        "scheduled afterwards": _count_scheduled(people),
        "told afterwards": _count_told(people),
    }
    if not is_healthy:
        result.broken.append("/healthz stays red")
    _judge(result, people, soon, stood_still, session)
    return result


def _hurry() -> None:
    worker.POLL = POLL


def _schedule_soon(scene: Scene, host: User) -> VirtualClass:
    """Schedule a class that begins within the hours by which the clock is going to be ahead."""

    def schedule(say: Say) -> None:
        virtual_class = _book(host, scene.now + AHEAD / 2)
        confirm_payment(class_id=virtual_class.pk, actor=scene.teacher)

    require(scene.run(schedule))
    return VirtualClass.objects.get(booked_by=host)


def _book(host: User, start: datetime) -> VirtualClass:
    return book_class(
        user=host,
        start=start,
        end=start + HOUR,
        is_group_class=False,
        students_count=1,
        price=find_price(class_type=ClassType.INDIVIDUAL, minutes=60, students=1),
        preference_id=f"drill-{host.pk}-{start:%Y%m%d%H%M}",
    )


def _live_ahead(scene: Scene, people: list[User], *prepare: Any) -> str:
    """Have people sign in, book and pay while clocks are ahead and the calendar fails."""
    scene.ahead = AHEAD
    scene.world.google.break_down(Fault.status(500))

    def live(say: Say) -> None:
        client = Client()
        client.force_login(people[0])
        say(client.cookies[settings.SESSION_COOKIE_NAME].value)
        first = scene.now.replace(minute=0, second=0, microsecond=0) + timedelta(days=4)
        for number, person in enumerate(people):
            virtual_class = _book(person, first + number * HOUR)
            now = timezone.now()
            paid = VirtualClass.objects.filter(pk=virtual_class.pk)
            paid.update(paid_at=now, scheduling_requested_at=now)

    [session] = require(scene.run(live, *prepare))
    _work(scene, *prepare)
    scene.world.google.heal()
    scene.ahead = timedelta()
    return str(session)


def _work(scene: Scene, *prepare: Any) -> set[str]:
    """Run a worker until each sweep had its turn; return those that did not, in ROUND_SECONDS."""
    began = scene.now
    process = ServiceProcess(lambda say: Worker().run(), *prepare, ahead=scene.ahead)
    end = time.monotonic() + ROUND_SECONDS
    waiting = _waiting_since(began, scene)
    while waiting and time.monotonic() < end:
        time.sleep(POLL.total_seconds())
        waiting = _waiting_since(began, scene)
    require(process.stop())
    return waiting


def _waiting_since(began: datetime, scene: Scene) -> set[str]:
    """Name the sweeps that are due by their interval, and did not end well since."""
    beats = dict(Heartbeat.objects.values_list("name", "beat_at"))
    return {
        run.__name__
        for run, every in SWEEPS.items()
        if not _is_fresh(beats.get(run.__name__), began - every, scene.now)
    }


def _is_fresh(beat_at: datetime | None, since: datetime, until: datetime) -> bool:
    return beat_at is not None and since <= beat_at <= until


def _judge(
    result: Result, people: list[User], soon: VirtualClass, stood_still: set[str], session: str
) -> None:
    if stood_still:
        result.broken.append(f"{len(stood_still)} sweeps stood still: {sorted(stood_still)[:3]}")
    if missing := len(people) - _count_scheduled(people):
        result.broken.append(f"{missing} classes that were paid meanwhile are not scheduled")
    if missing := len(people) - _count_told(people):
        result.broken.append(f"{missing} people were not told that their class is confirmed")
    soon.refresh_from_db()
    if soon.status != ClassStatus.SCHEDULED:
        result.broken.append(f"a class of tomorrow counts as {soon.status}")
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    if not client.get("/api/auth/session").json():
        result.broken.append("who signed in meanwhile is signed out")


def _count_scheduled(people: list[User]) -> int:
    ahead = VirtualClass.objects.filter(start_time__gt=timezone.now() + 2 * AHEAD)
    return ahead.filter(status=ClassStatus.SCHEDULED, booked_by__in=people).count()


def _count_told(people: list[User]) -> int:
    sent = Notice.objects.filter(
        kind=NoticeKind.CONFIRMATION, sent_at__lte=timezone.now() + AHEAD / 2
    )
    ahead = sent.filter(virtual_class__start_time__gt=timezone.now() + 2 * AHEAD)
    return ahead.filter(user__in=people).values("user").distinct().count()
