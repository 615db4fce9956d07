"""``drill zone``: the law of the zone changes after classes were booked, and the service restarts.

The law is a compiled zone in which clocks go ahead an hour, six days from now.
"""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from bookings.domain.classes.times import find_shifts
from bookings.domain.places.joining import join_class
from bookings.domain.sales.her_bookings import confirm_payment
from bookings.models import Notice, NoticeKind, VirtualClass
from tests.booking import book_class
from tests.drills.evidence import Promises, count_mails, look_outside, read_rows
from tests.drills.processes import Say, require
from tests.drills.referee import judge
from tests.drills.report import Result
from tests.drills.scene import HOUR, Scene
from tests.drills.world import Size, World
from tests.zones import compile_zone, renew_law

# Classes from this hour on, back to back: each has to make room for the next.
FIRST_HOUR, CLASSES = time(12), 6
UNTIL_CHANGE, UNTIL_CLASSES = timedelta(days=6), timedelta(days=8)


def drill(world: World, size: Size) -> Result:
    """Schedule classes, change the law, restart, and read every clock."""
    result = Result("zone", world.engine)
    scene = Scene(world)
    _schedule(scene)
    scene.sweep()
    agreed = _read_hours()
    midnight = datetime.combine(
        timezone.localdate() + UNTIL_CHANGE, time(0), tzinfo=ZoneInfo(settings.TIME_ZONE)
    )
    folder = compile_zone(world.directory / "zones", change=midnight)
    # A restart: each process from now on has the new law.
    prepare = (lambda: renew_law(folder),)
    [moved] = _ask(scene, lambda: len(find_shifts()), *prepare)
    for _ in range(3):  # the events are moved a minute after the classes
        scene.pass_time(minutes=6)
        scene.sweep(*prepare)
    [left] = _ask(scene, lambda: len(find_shifts()), *prepare)
    [hours] = _ask(scene, _read_hours, *prepare)
    _judge(scene, result, agreed, hours)
    result.rows["classes"] = {"agreed on": len(agreed), "moved by the law": moved, "left": left}
    return result


def _schedule(scene: Scene) -> None:
    """Schedule classes with a host and a guest each."""
    people = [scene.sign_up(f"host{number}").user for number in range(CLASSES)]
    guest = scene.sign_up("guest").user
    scene.list_free_group(2)
    day = timezone.localdate() + UNTIL_CLASSES
    first = datetime.combine(day, FIRST_HOUR, tzinfo=ZoneInfo(settings.TIME_ZONE))

    def schedule(say: Say) -> None:
        for number, host in enumerate(people):
            start = first + number * HOUR
            virtual_class = book_class(
                user=host,
                start=start,
                end=start + HOUR,
                is_group_class=True,
                students_count=2,
                price=0,
                preference_id=f"drill-{number}",
            )
            confirm_payment(class_id=virtual_class.pk, actor=scene.teacher)
            virtual_class.refresh_from_db()
            join_class(user=guest, access_code=virtual_class.access_code or "")

    require(scene.run(schedule))


def _ask(scene: Scene, question: Any, *prepare: Any) -> list[Any]:
    """Have a process of the service answer, under the law that it has."""
    return require(scene.run(lambda say: say(question()), *prepare))


def _read_hours() -> dict[str, str]:
    """Return the hour of each class as pages and mails write it, by preference."""
    rows = VirtualClass.objects.values_list("preference_id", "start_time")
    return {name: f"{timezone.localtime(start):%Y-%m-%d %H:%M}" for name, start in rows}


def _judge(scene: Scene, result: Result, agreed: dict[str, str], hours: dict[str, str]) -> None:
    world = scene.world
    for name, hour in agreed.items():
        if hours[name] != hour:
            result.broken.append(f"{name} was agreed on for {hour}, and is at {hours[name]}")
    outside = look_outside(world.google, world.mercadopago, world.mails)
    notices = Notice.objects.filter(kind=NoticeKind.ZONE_CHANGED).values_list("pk", flat=True)
    told = count_mails(outside.mails, notices)
    if told != 2 * len(agreed):
        result.broken.append(f"{told} mails left instead of {2 * len(agreed)}")
    violations = judge(read_rows(), outside, Promises(set(agreed)), now=scene.now)
    result.add_violations("zone", violations)
