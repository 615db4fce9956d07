"""``drill seats``: far more people pay for an open class than it has places, or far too few.

In a crowd everybody holds a place for a while and pays when it is over. Once the notifications come
in any order to processes that are killed at random, and once many processes settle all of it at the
same time. Then a class misses its minimum while the provider is down. Whoever is not in gets their
money back, once.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial

from django.db import Error
from requests import RequestException

from accounts.models import User
from bookings.domain.sales.buying import hold_place
from bookings.domain.sales.open_classes import OpenClassDraft, publish_open_class
from bookings.domain.sales.settling import settle
from bookings.models import ClassStatus, OpenClass, Purchase, PurchaseState, Role, UserActivity
from bookings.notices import delivery
from bookings.payments.gateway import PaymentError
from bookings.work.sweeps import sweep
from tests.drills.evidence import Promises, look_outside, read_rows
from tests.drills.points import DOMAIN, GATEWAY, NOTICES, Point, die_after, die_before
from tests.drills.processes import Say, ServiceProcess, require, serve
from tests.drills.referee import judge
from tests.drills.report import Result
from tests.drills.scene import Scene, lift_limits
from tests.drills.world import SQLITE, Size, World
from tests.standins import Fault

PLACES, PEOPLE, FEW = 6, 200, 60
PRICE = 800_000
# Longer than a place is held, and than every lease.
HOLD_MINUTES = 16
PAUSES_IN_MINUTES = (2, 6, 30, 60, 60, 60)
PROCESSES, SQLITE_PROCESSES = 8, 4
# Notices for each process that is killed: few of them at first, while there are places.
FIRST_BATCH, BATCH = 2, 16
OUTAGE_MINUTES, STEP_MINUTES = 60, 6
TRIES = 20

BUYING = f"{DOMAIN}.sales.buying"


def _point(name: str, path: str, *, after: bool = False) -> Point:
    return Point(name, "", partial(die_after if after else die_before, path))


POINTS = (
    _point("place taken, purchase not paid", f"{BUYING}.take_place", after=True),
    _point("place given, not committed", f"{BUYING}.give_place", after=True),
    _point("notice stored, not answered", "bookings.api.webhooks.accept_notification", after=True),
    _point("recorded, nothing done yet", f"{DOMAIN}.sales.settling.carry_out"),
    _point("place lost, refund not requested", f"{BUYING}.end_purchase"),
    _point("refund not sent", f"{GATEWAY}.refund"),
    _point("refund sent, answer not stored", f"{GATEWAY}.refund", after=True),
    _point("committed, mail not begun", f"{NOTICES}.due.deliver_mails_soon"),
    _point("class called off, places not", f"{DOMAIN}.classes.cancelling.end_purchase"),
    _point("place ended, not committed", f"{DOMAIN}.classes.cancelling.end_purchase", after=True),
)


def drill(world: World, size: Size) -> Result:
    """Have ``size.people`` pay, at most PEOPLE, and FEW of them for too large a class."""
    result = Result("seats", world.engine)
    people = min(size.people, PEOPLE)
    # The same for each run.
    chance = random.Random(2026)
    _run_crowd(world, people, chance, result, is_parallel=False)
    _run_crowd(world, people, chance, result, is_parallel=True)
    _miss_minimum(world, min(people, FEW), chance, result)
    return result


def _run_crowd(
    world: World,
    people: int,
    chance: random.Random,
    result: Result,
    is_parallel: bool,
) -> None:
    scene = Scene(world)
    guests = [scene.sign_up(f"guest{number}").user for number in range(people)]
    _publish(scene, PLACES, minimum=1)
    preferences = _hold_in_turns(scene, guests)
    chance.shuffle(preferences)
    for preference_id in preferences:
        world.mercadopago.pay(preference_id)
    if is_parallel:
        kills = 0
        if errors := _settle_at_once(scene, preferences, chance):
            result.broken.append(f"all at once: {len(errors)} errors, such as {errors[0]}")
    else:
        kills = _deliver_and_kill(scene, chance)
    _recover(scene)
    name = "all at once" if is_parallel else "killed at random"
    _judge(scene, name, people, min(PLACES, people), kills, result)


def _miss_minimum(world: World, people: int, chance: random.Random, result: Result) -> None:
    """Let a deadline pass with too few people, while Mercado Pago is down for an hour."""
    scene = Scene(world)
    guests = [scene.sign_up(f"guest{number}").user for number in range(people)]
    open_class = _publish(scene, people + 1, minimum=people + 1)
    preferences = _hold_in_turns(scene, guests, at_once=people)
    for preference_id in preferences:
        world.mercadopago.pay(preference_id)
    _settle_at_once(scene, preferences, chance)
    scene.travel_to(open_class.decides_at - timedelta(minutes=1))
    world.mercadopago.break_down(Fault.status(500), Fault.status(503), Fault.reset())
    kills = 0
    for number in range(OUTAGE_MINUTES // STEP_MINUTES):
        scene.pass_time(minutes=STEP_MINUTES)
        point = POINTS[-(number % 5) - 1]
        kills += scene.run(_sweep, _leave_mails, point.arm).was_killed
        scene.run(_sweep)
    world.mercadopago.heal()
    _recover(scene)
    if not OpenClass.objects.filter(virtual_class__status=ClassStatus.CANCELLED).exists():
        result.broken.append("the class below its minimum was not called off")
    _judge(scene, "below the minimum", people, 0, kills, result)


def _publish(scene: Scene, places: int, *, minimum: int) -> OpenClass:
    def publish(say: Say) -> None:
        start = scene.now.replace(microsecond=0) + timedelta(days=14)
        draft = OpenClassDraft(
            title="Conversación B1",
            start=start,
            minutes=60,
            places=places,
            minimum=minimum,
            place_price=PRICE,
            decides_at=start - timedelta(days=1),
        )
        publish_open_class(draft=draft, by=scene.teacher)

    require(scene.run(publish))
    return OpenClass.objects.get()


def _hold_in_turns(scene: Scene, guests: Sequence[User], at_once: int = PLACES) -> list[str]:
    """Let everybody hold a place, in turns of ``at_once``; return their preferences."""
    open_class = OpenClass.objects.get()

    def hold(turn: Sequence[User], say: Say) -> None:
        for guest in turn:
            place = hold_place(user=guest, open_class_id=open_class.pk)
            say(place.payment.preference_id or "")

    preferences = []
    for first in range(0, len(guests), at_once):
        turn = guests[first : first + at_once]
        preferences += require(scene.run(partial(hold, turn), lift_limits))
        scene.pass_time(minutes=HOLD_MINUTES)
    return preferences


def _deliver_and_kill(scene: Scene, chance: random.Random) -> int:
    """Deliver the notices in any order, to processes that die; return how many died."""
    mercadopago = scene.world.mercadopago
    positions = list(range(len(mercadopago.notifications())))
    chance.shuffle(positions)
    kills = 0
    for number, batch in enumerate(_cut(positions)):
        point = POINTS[number] if number < len(POINTS) else chance.choice(POINTS)
        web = ServiceProcess(
            serve(scene.world.listener), _leave_mails, point.arm, ahead=scene.ahead
        )
        with suppress(RequestException):
            for position in batch:
                if mercadopago.deliver([position]) == [None]:
                    break
        kills += web.stop().was_killed
        point = chance.choice(POINTS)
        kills += scene.run(_sweep, _leave_mails, point.arm).was_killed
        scene.pass_time(minutes=2)
    return kills


def _cut(positions: list[int]) -> Iterator[list[int]]:
    few, rest = positions[: FIRST_BATCH * len(POINTS)], positions[FIRST_BATCH * len(POINTS) :]
    yield from (few[one : one + FIRST_BATCH] for one in range(0, len(few), FIRST_BATCH))
    yield from (rest[one : one + BATCH] for one in range(0, len(rest), BATCH))


def _settle_at_once(scene: Scene, preferences: list[str], chance: random.Random) -> list[str]:
    """Settle every payment twice, in processes that run at the same time; return the database's
    errors.
    """
    count = SQLITE_PROCESSES if scene.world.engine == SQLITE else PROCESSES
    every = [*preferences, *preferences]
    chance.shuffle(every)

    def work(share: list[str], say: Say) -> None:
        for preference_id in share:
            try:
                settle(preference_id)
            except Error as error:
                # On a busy machine others may keep the class for longer than a lock is awaited.
                if "lock timeout" not in str(error):
                    say(str(error))
            except PaymentError:  # a busy stand-in; the sweep settles it
                continue

    processes = [
        ServiceProcess(partial(work, every[number::count]), _leave_mails, ahead=scene.ahead)
        for number in range(count)
    ]
    return [error for process in processes for error in require(process.wait())]


def _recover(scene: Scene) -> None:
    """Deliver what nobody took, and let time pass."""
    web = scene.start_web()
    scene.world.mercadopago.deliver()
    web.stop()
    for minutes in PAUSES_IN_MINUTES:
        scene.pass_time(minutes=minutes)
        for _ in range(TRIES):
            done = scene.sweep()
            if not any(done.get(one) for one in ("send_due_refunds", "process_notifications")):
                break


def _sweep(say: Say) -> None:
    sweep()


def _leave_mails() -> None:
    """Leave the mails to a sweep."""
    vars(delivery.job)["call"] = lambda: None


def _judge(scene: Scene, name: str, people: int, places: int, kills: int, result: Result) -> None:
    charges = scene.world.mercadopago.payments()
    back = Counter(
        sum(one["status"] == "approved" for one in charge["refunds"]) for charge in charges
    )
    whole = sum(
        charge["transaction_amount_refunded"] == charge["transaction_amount"] for charge in charges
    )
    taken = set(
        Purchase.objects.places().filter(state=PurchaseState.PAID).values_list("person", flat=True)
    )
    guests = UserActivity.objects.filter(
        rol=Role.PARTICIPANT, virtual_class__status=ClassStatus.SCHEDULED
    )
    inside = list(guests.values_list("user", flat=True))
    outside = look_outside(scene.world.google, scene.world.mercadopago, scene.world.mails)
    violations = judge(read_rows(), outside, Promises(), now=scene.now)
    figures = {
        "paid": len(charges),
        "places": places,
        "in": len(inside),
        "refunded once": back[1],
        "refunded twice": sum(number for times, number in back.items() if times > 1),
        "not refunded": back[0],
        "kills": kills,
        "referee": len(violations),
    }
    result.rows[name] = figures
    if sorted(map(str, inside)) != sorted(map(str, taken)) or len(inside) != places:
        result.broken.append(f"{name}: {len(inside)} in, {len(taken)} paid places, not {places}")
    if back != +Counter({1: people - places, 0: places}) or whole != people - places:
        result.broken.append(f"{name}: refunds {dict(back)}, {whole} of them whole")
    result.add_violations(name, violations)
