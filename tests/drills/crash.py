"""``drill crash``: processes are killed with signal 9 at every point of a class's way.

Many students book, pay, invite a guest; some get money back, some are cancelled. In one step of
each the process that answers is killed. A new one starts, people and provider try again what got
no answer, the sweeps run while time passes, and the referee counts.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from requests import RequestException

from bookings.domain.cancelling import cancel_class
from bookings.domain.refunding import request_partial_refund, send_due_refunds
from bookings.models import ClassStatus, PaymentCharge, Refund, VirtualClass
from tests.drills.points import (
    BOOK,
    CANCEL,
    CRASH_TWINS,
    JOIN,
    PAY,
    POINTS,
    REFUND,
    STEPS,
    Point,
    Twin,
)
from tests.drills.processes import Prepare, Say
from tests.drills.referee import Promises, Violation, count, judge, look_outside, read_rows
from tests.drills.report import Result, Row
from tests.drills.scene import Person, Scene
from tests.drills.size import Size
from tests.drills.world import World

# A refund of so many centavos; a whole one could not be made twice by any mistake.
PART = 100_000
# Longer than every lease, so that what a dead process held is free again.
PAUSES_IN_MINUTES = (2, 6, 15, 60)
HOUR = timedelta(hours=1)


@dataclass(slots=True)
class Story:
    """One class on its way, and what its people know of it."""

    number: int
    host: Person
    guest: Person
    preference_id: str = ""
    price: int = 0
    is_booked: bool = False

    def find(self) -> VirtualClass:
        return VirtualClass.objects.get(preference_id=self.preference_id)


@dataclass(frozen=True, slots=True)
class Battle:
    """What became of the rounds at one point."""

    kills: int
    violations: list[Violation]
    repeated_mails: int
    recovery: float


TWINS = CRASH_TWINS


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Kill processes at every point; with a twin, at those where its protection matters."""
    result = Result("crash", world.engine, twin=twin.name if twin else "")
    left_out = (twin.leave_out,) if twin else ()
    for point in POINTS:
        if twin is None or point.name in twin.points:
            battle = fight(world, point, size.rounds, *left_out)
            _note(result, point.name, battle, size.rounds, twin)
    result.figures = _sum_up(result.rows)
    return result


def _note(result: Result, name: str, battle: Battle, rounds: int, twin: Twin | None) -> None:
    found = count(battle.violations)
    result.rows.append(
        Row(
            name,
            {
                "kills": battle.kills,
                "lost": found["lost"],
                "doubled": found["doubled"],
                "wrong": found["wrong"],
                "repeated mails": battle.repeated_mails,
                "recovery": f"{battle.recovery:.2f} s",
            },
        )
    )
    if twin is None:
        if battle.kills < rounds:
            result.broken.append(f"{name}: {battle.kills} of {rounds} processes met the point")
        result.broken += [_spell(name, one) for one in battle.violations]
    elif battle.kills == rounds:
        # Only what the protection is there for counts: anything else would be an accident.
        result.broken += [
            _spell(name, one) for one in battle.violations if (one.kind, one.subject) == twin.breaks
        ]


def fight(world: World, point: Point, rounds: int, *left_out: Prepare) -> Battle:
    """Kill a process at the point, so many times; recover; let the referee look."""
    scene, promises = Scene(world), Promises()
    stories = _begin_stories(scene, rounds)
    before = STEPS[: STEPS.index(point.step)]
    _take_steps(scene, stories, before, promises, *left_out)
    kills = sum(_crash(scene, story, point, promises, *left_out) for story in stories)
    started = time.monotonic()
    _take_steps(scene, stories, (point.step,), promises, *left_out)
    for minutes in PAUSES_IN_MINUTES:
        scene.pass_time(minutes=minutes)
        scene.sweep(*left_out)
    recovery = time.monotonic() - started
    _take_steps(scene, stories, _steps_after(point.step), promises, *left_out)
    scene.pass_time(minutes=10)
    scene.sweep(*left_out)
    outside = look_outside(world.google, world.mercadopago, world.mails)
    ids = [mail.message_id for mail in outside.mails]
    violations = judge(read_rows(), outside, promises) + _unfinished(stories, point.step)
    return Battle(kills, violations, len(ids) - len(set(ids)), recovery)


def _steps_after(step: str) -> tuple[str, ...]:
    """Nobody cancels what another point is about: it ends as a scheduled class with a guest."""
    later = STEPS[STEPS.index(step) + 1 :]
    return tuple(one for one in later if one not in {REFUND, CANCEL})


def _begin_stories(scene: Scene, rounds: int) -> list[Story]:
    people = [
        (scene.sign_up(f"host{number}"), scene.sign_up(f"guest{number}"))
        for number in range(rounds)
    ]
    return [Story(number, host, guest) for number, (host, guest) in enumerate(people)]


def _crash(
    scene: Scene, story: Story, point: Point, promises: Promises, *left_out: Prepare
) -> bool:
    """Take one step with a process that dies at the point; whether it did."""
    if point.step in {REFUND, CANCEL}:
        return scene.run(_worker_step(scene, story, point.step), *left_out, point.arm).was_killed
    web = scene.start_web(*left_out, point.arm)
    _try_step(scene, story, point.step, promises)
    return web.await_death()


def _take_steps(
    scene: Scene,
    stories: list[Story],
    steps: tuple[str, ...],
    promises: Promises,
    *left_out: Prepare,
) -> None:
    """Take steps with processes that live; what was done already is not done again."""
    for step in steps:
        if step in {REFUND, CANCEL}:
            for story in stories:
                scene.run(_worker_step(scene, story, step), *left_out)
            continue
        web = scene.start_web(*left_out)
        for story in stories:
            _try_step(scene, story, step, promises)
        web.stop()


def _try_step(scene: Scene, story: Story, step: str, promises: Promises) -> None:
    """Do what a person or the provider does in a step. Without an answer nothing is known."""
    with suppress(RequestException):
        if step == BOOK:
            _book(story, promises)
        elif step == PAY:
            _pay(scene, story)
        elif step == JOIN:
            _join(story, promises)


def _book(story: Story, promises: Promises) -> None:
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    start = hour + timedelta(days=4) + story.number * HOUR
    wish = {
        "start": start.isoformat(),
        "end": (start + HOUR).isoformat(),
        "isGroupClass": True,
        "studentsCount": 3,
    }
    if not story.preference_id:
        _, preference = story.host.post("/api/payments/preference", wish)
        story.preference_id, story.price = preference["preferenceId"], preference["price"]
    status, _ = story.host.post(
        "/api/booking", {**wish, "price": story.price, "preferenceId": story.preference_id}
    )
    # Asked again because no answer came, 400 says that the booking is there.
    if status in {200, 400}:
        promises.bookings.add(story.preference_id)


def _pay(scene: Scene, story: Story) -> None:
    mercadopago = scene.world.mercadopago
    if not story.is_booked:
        story.is_booked = True
        mercadopago.pay(story.preference_id)
    notices = mercadopago.notifications()
    for position in [number for number, one in enumerate(notices) if one.is_pending]:
        if mercadopago.deliver([position]) == [None]:
            return  # nobody is there to answer the others either


def _join(story: Story, promises: Promises) -> None:
    virtual_class = story.find()
    code = virtual_class.access_code or ""
    promises.codes.setdefault(virtual_class.pk, code)
    status, body = story.guest.post("/api/access-code", code)
    # Asked again because no answer came, this refusal says that the place is theirs.
    if status == 200 or body.get("response", {}).get("code") == "already_joined":
        promises.places.add((virtual_class.pk, story.guest.user.pk))


def _worker_step(scene: Scene, story: Story, step: str) -> Any:
    """Give what the teacher's process does in a step."""
    teacher = scene.teacher

    def refund(say: Say) -> None:
        charge = PaymentCharge.objects.get(payment__preference_id=story.preference_id)
        if not Refund.objects.filter(charge=charge).exists():
            left = charge.amount
            request_partial_refund(charge_id=charge.pk, amount=PART, left=left, by=teacher)
        send_due_refunds()

    def cancel(say: Say) -> None:
        cancel_class(class_id=story.find().pk, actor=teacher, reason="Feriado.")

    return refund if step == REFUND else cancel


def _unfinished(stories: list[Story], step: str) -> list[Violation]:
    """Name the classes that did not end as people wanted them."""
    wanted = ClassStatus.CANCELLED if step == CANCEL else ClassStatus.SCHEDULED
    ended = {one.preference_id: one.status for one in VirtualClass.objects.all()}
    return [
        Violation("I5", "lost", "class", f"{one.preference_id} is {ended.get(one.preference_id)}")
        for one in stories
        if ended.get(one.preference_id) != wanted
    ]


def _spell(name: str, violation: Violation) -> str:
    one = violation
    return f"{name}: {one.invariant} {one.kind} {one.subject} ({one.about})"


def _sum_up(rows: list[Row]) -> dict[str, Any]:
    names = ("kills", "lost", "doubled", "wrong", "repeated mails")
    return {
        "points": len(rows),
        **{name: sum(row.figures[name] for row in rows) for name in names},
    }
