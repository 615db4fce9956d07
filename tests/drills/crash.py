"""``drill crash``: processes are killed with signal 9 at every point of a class's way.

Students book, pay, invite a guest; their classes are moved, refunded, cancelled, or take place; the
guest leaves, and whoever waited for a place gets it. In
one step of each the process at work is killed. A new one starts, people and provider try again what
got no answer, the sweeps run while time passes, and the referee counts.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone
from requests import RequestException

from bookings.domain.classes.cancelling import cancel_class, leave_class
from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.money.refunds import request_partial_refund, send_due_refunds
from bookings.domain.places.waiting_list import claim_place, wait_for_place
from bookings.models import (
    ClassStatus,
    PaymentCharge,
    Refund,
    VirtualClass,
    WaitingState,
)
from bookings.work.sweeps import sweep
from tests.drills.evidence import Promises, Violation, look_outside, read_rows
from tests.drills.points import (
    BOOK,
    CANCEL,
    CLAIM,
    COMPLETE,
    JOIN,
    LEAVE,
    MOVE,
    PAY,
    POINTS,
    REFUND,
    REMIND,
    WAY,
    Point,
)
from tests.drills.processes import Say
from tests.drills.referee import judge
from tests.drills.report import Result
from tests.drills.scene import HOUR, Person, Scene
from tests.drills.world import Size, World

# A refund of so many centavos; a whole one could not be made twice by any mistake.
PART = 100_000
# Longer than every lease, so that what a dead process held is free again.
PAUSES_IN_MINUTES = (2, 6, 30)
DAY, BREATH = timedelta(days=1), timedelta(minutes=5)
# Nobody has a class at that hour of that day.
MOVED_BY = timedelta(days=10)
COMPLETED = ClassStatus.COMPLETED


@dataclass(slots=True)
class Story:
    """One class on its way, and what its people know of it.

    start: when it was booked for. waiter: who is in line once it is full.
    """

    start: datetime
    host: Person
    guest: Person
    waiter: Person
    preference_id: str = ""
    price: int = 0
    has_paid: bool = False

    def find(self) -> VirtualClass:
        return VirtualClass.objects.get(preference_id=self.preference_id)


def drill(world: World, size: Size) -> Result:
    """Kill ``size.rounds`` processes at each of ``size.points`` points."""
    result = Result("crash", world.engine)
    for point in POINTS[:: -(-len(POINTS) // size.points)]:
        _fight(world, point, size.rounds, result)
    return result


def _fight(world: World, point: Point, rounds: int, result: Result) -> None:
    """Kill a process at the point, so many times; recover; let the referee look."""
    scene, promises = Scene(world), Promises()
    stories = _begin_stories(scene, rounds)
    before, after = _steps_around(point.step)
    for step in before:
        _take_step(scene, stories, step, promises)
    kills = sum(_crash(scene, story, point, promises) for story in stories)
    _take_step(scene, stories, point.step, promises)
    _note_places(stories, point.step, promises)
    _let_time_pass(scene)
    for step in after:
        _take_step(scene, stories, step, promises)
    if after:
        _let_time_pass(scene)
    outside = look_outside(world.google, world.mercadopago, world.mails)
    violations = judge(read_rows(), outside, promises, now=scene.now)
    violations += _unfinished(stories, point.step)
    ids = [mail.message_id for mail in outside.mails]
    found = Counter(one.kind for one in violations)
    result.rows[point.name] = {
        "kills": kills,
        **{kind: found[kind] for kind in ("lost", "doubled", "wrong")},
        "repeated mails": len(ids) - len(set(ids)),
    }
    if kills < rounds:
        result.broken.append(f"{point.name}: {kills} of {rounds} processes met the point")
    result.add_violations(point.name, violations)


def _begin_stories(scene: Scene, rounds: int) -> list[Story]:
    """Think of so many classes, no two at the same time."""
    first = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=4)
    return [
        Story(
            first + number * HOUR,
            scene.sign_up(f"host{number}"),
            scene.sign_up(f"guest{number}"),
            scene.sign_up(f"waiter{number}"),
        )
        for number in range(rounds)
    ]


def _steps_around(step: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give what happens before the step in which processes are killed, and what afterwards."""
    if step in WAY:
        position = WAY.index(step)
        return WAY[:position], WAY[position + 1 :]
    if step == COMPLETE:
        return (*WAY, REMIND), ()
    if step == CLAIM:
        return (*WAY, LEAVE), ()
    return WAY, (COMPLETE,) if step == REMIND else ()


def _let_time_pass(scene: Scene) -> None:
    for minutes in PAUSES_IN_MINUTES:
        scene.pass_time(minutes=minutes)
        scene.sweep()


def _crash(scene: Scene, story: Story, point: Point, promises: Promises) -> bool:
    """Take one step with a process that dies at the point; whether it did."""
    if point.step not in WAY:
        return scene.run(_work(scene, story, point.step), point.arm).was_killed
    web = scene.start_web(point.arm)
    _try_step(scene, story, point.step, promises)
    return web.await_death()


def _take_step(scene: Scene, stories: list[Story], step: str, promises: Promises) -> None:
    """Take a step with a process that lives; what was done already is not done again."""
    if step in WAY:
        web = scene.start_web()
        for story in stories:
            _try_step(scene, story, step, promises)
        web.stop()
        return
    for story in stories:
        scene.run(_work(scene, story, step))


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
    wish = {
        "start": story.start.isoformat(),
        "end": (story.start + HOUR).isoformat(),
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
    if not story.has_paid:
        story.has_paid = True
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


def _note_places(stories: list[Story], step: str, promises: Promises) -> None:
    """Remember who was told that they left, or got the place."""
    if step in {LEAVE, CLAIM}:
        promises.left |= {(one.find().pk, one.guest.user.pk) for one in stories}
    if step == CLAIM:
        promises.places |= {(one.find().pk, one.waiter.user.pk) for one in stories}


def _work(scene: Scene, story: Story, step: str) -> Callable[[Say], None]:
    """Give what a process without a visitor does in a step: the teacher's, or a worker's."""
    virtual_class, teacher = story.find(), scene.teacher
    if step == REMIND:
        scene.travel_to(virtual_class.start_time - DAY + BREATH)
        return _sweep
    if step == COMPLETE:
        scene.travel_to(virtual_class.start_time - BREATH)  # the later reminder, while it is of use
        scene.run(_sweep)
        scene.travel_to(virtual_class.end_time + BREATH)
        return _sweep
    if step == LEAVE:
        scene.run(partial(_fill, story))
        return partial(_leave, story)
    if step == CLAIM:
        return partial(_claim, story)

    def refund(say: Say) -> None:
        charge = PaymentCharge.objects.get(payment__preference_id=story.preference_id)
        if not Refund.objects.filter(charge=charge).exists():
            left = charge.amount
            request_partial_refund(
                charge_id=charge.pk, amount=PART, left=left, by=teacher, fresh_sign_in=True
            )
        send_due_refunds()

    def move(say: Say) -> None:
        start = story.start + MOVED_BY
        if story.find().start_time != start:
            reschedule_class(class_id=virtual_class.pk, actor=teacher, start=start, reason="Viaje.")

    def cancel(say: Say) -> None:
        cancel_class(
            class_id=virtual_class.pk, actor=teacher, reason="Feriado.", fresh_sign_in=True
        )

    return {REFUND: refund, MOVE: move, CANCEL: cancel}[step]


def _sweep(say: Say) -> None:
    sweep()


def _fill(story: Story, say: Say) -> None:
    """Have the class full with its guest, and somebody in line; done already, it does nothing."""
    virtual_class, waiter = story.find(), story.waiter.user
    if not waiter.waiting_list_entries.exists():
        change_capacity(class_id=virtual_class.pk, capacity=virtual_class.current_participants)
        wait_for_place(user=waiter, access_code=virtual_class.access_code or "")


def _leave(story: Story, say: Say) -> None:
    virtual_class, guest = story.find(), story.guest.user
    if virtual_class.activities.filter(user=guest).exists():
        leave_class(class_id=virtual_class.pk, user=guest)


def _claim(story: Story, say: Say) -> None:
    entry = story.waiter.user.waiting_list_entries.get()
    if entry.state == WaitingState.OFFERED:
        claim_place(user=entry.user, entry_id=entry.pk)


def _unfinished(stories: list[Story], step: str) -> list[Violation]:
    """Name the classes that did not end as people wanted them."""
    last = {CANCEL: ClassStatus.CANCELLED, REMIND: COMPLETED, COMPLETE: COMPLETED}
    wanted = last.get(step, ClassStatus.SCHEDULED)
    ended = {one.preference_id: one.status for one in VirtualClass.objects.all()}
    return [
        Violation("I5", "lost", "class", f"{one.preference_id} is {ended.get(one.preference_id)}")
        for one in stories
        if ended.get(one.preference_id) != wanted
    ]
