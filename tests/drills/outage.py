"""``drill outage``: both providers fail for an hour while people pay, and then come back.

Time is moved, not waited for: every few minutes of it a web process takes the notices of what was
paid, and a worker's process sweeps. Time-outs are real but shortened.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from accounts.services import remember_refresh_token
from bookings.domain.sales.checkout import request_preference
from bookings.models import (
    ClassStatus,
    Notice,
    NoticeKind,
    Purchase,
    Refund,
    UserActivity,
    VirtualClass,
)
from tests.booking import book_class
from tests.drills.evidence import Promises, count_mails, look_outside, read_rows
from tests.drills.processes import Prepare, Say, require
from tests.drills.referee import judge
from tests.drills.report import Result
from tests.drills.scene import HOUR, Scene, lift_limits
from tests.drills.world import TEACHER_EMAIL, Size, World
from tests.standins import Fault

PHASE_MINUTES = 12
# What is not there by then has been forgotten. Waits between two tries are bounded by an hour.
RECOVERY_MINUTES = (5, 10, 15, 30, 60, 60)
# Fewer than a worker makes, but one takes a bounded number of classes only.
SWEEPS_A_PAUSE = 3
# Classes that were scheduled before: nothing may happen to them.
EARLIER = 10
SHORT, BUDGET = timedelta(seconds=0.1), timedelta(seconds=0.2)

FAILURES = {
    "500": [Fault.status(500), Fault.status(503)],
    "429": [Fault.status(429, "rateLimitExceeded")],
    "time-out": [Fault.delay(0.4)],
    "reset": [Fault.reset(), Fault.drop()],
}
REVOKED = "revoked"


def drill(world: World, size: Size) -> Result:
    """Have ``size.classes`` classes paid within an hour in which nothing works."""
    result = Result("outage", world.engine)
    prepare = (_hurry,)
    scene = Scene(world)
    people = [scene.sign_up(f"student{number}").user for number in range(10)]
    preferences = _book(scene, people, EARLIER + size.classes)
    earlier, later = preferences[:EARLIER], preferences[EARLIER:]
    _pay(scene, earlier)
    before = _snapshot(earlier)
    _fail(scene, later, size.steps, result, *prepare)
    result.broken += _changes(before, _snapshot(earlier))
    result.broken += _harm_done(later)
    _come_back(scene, later, result, *prepare)
    _judge(scene, later, result)
    return result


def _hurry() -> None:
    """Shorten time-outs and waits: what they are for stays."""
    from calendar_sync.google import events  # needs the settings

    settings.CALENDAR_TIMEOUT, settings.CALENDAR_BUDGET = SHORT, BUDGET
    settings.MERCADOPAGO_TIMEOUT = SHORT
    events.RETRY_WAITS = (0.01, 0.02)


def _book(scene: Scene, people: list[Any], number: int) -> list[str]:
    """Book so many classes, one after the other in time; give their preferences."""
    first = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=4)

    def book(say: Say) -> None:
        for position in range(number):
            user, start = people[position % len(people)], first + position * HOUR
            wish = {"start": start, "end": start + HOUR, "is_group_class": False}
            payment = request_preference(user=user, **wish, students_count=1)
            preference_id = payment.preference_id or ""
            book_class(
                user=user,
                **wish,
                students_count=1,
                price=payment.amount,
                preference_id=preference_id,
            )
            say(preference_id)

    return require(scene.run(book, lift_limits))


def _pay(scene: Scene, preferences: list[str], *prepare: Prepare) -> None:
    """Have people pay, and a web process take the notices of it."""
    for preference_id in preferences:
        scene.world.mercadopago.pay(preference_id)
    web = scene.start_web(*prepare)
    scene.world.mercadopago.deliver()
    web.stop()


def _fail(
    scene: Scene, preferences: list[str], steps: int, result: Result, *prepare: Prepare
) -> None:
    """Let an hour go by in which the providers fail, each twelve minutes in another way."""
    google, mercadopago = scene.world.google, scene.world.mercadopago
    phases = [*FAILURES, REVOKED]
    parts = len(phases) * steps
    for position, phase in enumerate(phases):
        calls = len(google.requests())
        _begin(scene, phase)
        for step in range(steps):
            _pay(scene, preferences[position * steps + step :: parts], *prepare)
            scene.pass_time(minutes=PHASE_MINUTES / steps)
            # Mercado Pago fails in every other step, or nobody would ever count as having paid.
            mercadopago.heal()
            scene.sweep(*prepare)
            if phase in FAILURES and step % 2 == 0:
                mercadopago.break_down(*FAILURES[phase])
        result.rows[phase] = _count(len(google.requests()) - calls)


def _begin(scene: Scene, phase: str) -> None:
    """Let Google fail from now on in this way."""
    google = scene.world.google
    google.heal()
    if phase == REVOKED:
        google.revoke(scene.teacher.provider_refresh_token)
    else:
        google.break_down(*FAILURES[phase])


def _count(calls: int) -> dict[str, int]:
    classes = VirtualClass.objects.all()
    return {
        "calls to Google": calls,
        "paid by then": Purchase.objects.filter(paid_at__isnull=False).count(),
        "scheduled": classes.filter(status=ClassStatus.SCHEDULED).count(),
        "alerts": _alerts().count(),
    }


def _come_back(scene: Scene, preferences: list[str], result: Result, *prepare: Prepare) -> None:
    """Let the providers work again, the teacher reconnect, and time pass until all is done."""
    world = scene.world
    world.google.heal()
    world.mercadopago.heal()
    token = world.google.grant(TEACHER_EMAIL)

    def reconnect(say: Say) -> None:
        remember_refresh_token(user=scene.teacher, refresh_token=token)

    require(scene.run(reconnect, *prepare))
    calls = len(world.google.requests())
    for pause in RECOVERY_MINUTES:
        if _count_scheduled(preferences) == len(preferences):
            break
        for _ in range(SWEEPS_A_PAUSE):
            scene.pass_time(minutes=pause / SWEEPS_A_PAUSE)
            scene.sweep(*prepare)
    result.rows["afterwards"] = _count(len(world.google.requests()) - calls)
    scene.pass_time(minutes=10)
    scene.sweep(*prepare)


def _judge(scene: Scene, preferences: list[str], result: Result) -> None:
    world = scene.world
    scheduled = _count_scheduled(preferences)
    outside = look_outside(world.google, world.mercadopago, world.mails)
    alerts = _alerts().values_list("pk", flat=True)
    told = len(alerts), count_mails(outside.mails, alerts)
    if scheduled != len(preferences):
        result.broken.append(f"{len(preferences) - scheduled} paid classes were never scheduled")
    if told != (1, 1):
        result.broken.append(f"{told} alerts about the grant and their mails, instead of one")
    violations = judge(read_rows(), outside, Promises(set(preferences)), now=scene.now)
    result.add_violations("outage", violations)


def _snapshot(preferences: list[str]) -> list[dict[str, Any]]:
    """Give everything stored about classes and who is in them."""
    classes = VirtualClass.objects.filter(preference_id__in=preferences).order_by("pk")
    parts = UserActivity.objects.filter(virtual_class__in=classes).order_by("pk")
    return [*classes.values(), *parts.values()]


def _changes(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    """Name what the outage did to classes that had nothing to do with it."""
    if len(before) != len(after) or not before:
        return [f"{len(before)} rows of earlier classes became {len(after)}"]
    return [
        f"{name} of an earlier class became {new[name]!r}"
        for old, new in zip(before, after, strict=True)
        for name in old
        if old[name] != new[name]
    ]


def _harm_done(preferences: list[str]) -> list[str]:
    """Name what an error was taken for a reason to do, while it lasted."""
    classes = VirtualClass.objects.filter(preference_id__in=preferences)
    harm: dict[str, Callable[[], int]] = {
        "classes were given up": classes.exclude(
            status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED]
        ).count,
        "classes count as refused": classes.exclude(scheduling_refusal="").count,
        "refunds were promised": Refund.objects.count,
    }
    return [f"{number} {what} in the outage" for what, look in harm.items() if (number := look())]


def _count_scheduled(preferences: list[str]) -> int:
    classes = VirtualClass.objects.filter(preference_id__in=preferences)
    return classes.filter(status=ClassStatus.SCHEDULED).count()


def _alerts() -> QuerySet[Notice]:
    return Notice.objects.filter(kind=NoticeKind.GRANT_REVOKED)
