"""``drill foreign``: classes are paid with preferences that another system made.

Four ways in which no notification leads to the class: it came before the booking, the provider does
not know its own order at first, and none comes for a payment made at once or hours later. Time is
moved, not waited for.
"""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from bookings.domain.money.prices import find_price
from bookings.models import ClassStatus, ClassType, VirtualClass
from tests.booking import book_class
from tests.drills.evidence import Promises, look_outside, read_rows
from tests.drills.processes import Say, require
from tests.drills.protections import Twin, follow_no_booking, search_nothing
from tests.drills.referee import judge
from tests.drills.report import Result, Row
from tests.drills.scene import HOUR, Scene
from tests.drills.size import Size
from tests.drills.world import World
from tests.standins import Fault

# A worker sweeps once a minute; by then every class is in the calendar.
MINUTES = 2
# By then a booking is checked by itself less than once in half an hour.
LATE = 3 * HOUR
TWINS = (
    Twin("following every booking", follow_no_booking),
    Twin("searching for what changed", search_nothing),
)


def drill(world: World, size: Size, twin: Twin | None = None) -> Result:
    """Have a tenth of ``size.classes`` paid in each way, and count them two minutes after that."""
    result = Result("foreign", world.engine, twin=twin.name if twin else "")
    prepare = (twin.leave_out,) if twin else ()
    scene = Scene(world)
    number = max(size.classes // 10, 2)
    ways = {
        "notice before the booking": _notice_first,
        "order unknown at first": _order_unknown,
        "no notice": _no_notice,  # the last one: the others have the notices delivered
    }
    preferences: dict[str, list[str]] = {}
    for position, (name, pay) in enumerate(ways.items()):
        booker = _Booker(scene, scene.sign_up(f"student{position}").user, position, prepare)
        preferences[name] = [scene.world.mercadopago.add_preference()["id"] for _ in range(number)]
        pay(booker, preferences[name])
    late = _Booker(scene, scene.sign_up("late").user, len(ways), prepare)
    unpaid = preferences["paid hours later"] = [
        scene.world.mercadopago.add_preference()["id"] for _ in range(number)
    ]
    late.book(unpaid)
    _pass_minutes(scene, prepare)
    scene.pass_time(seconds=LATE.total_seconds())
    scene.sweep(*prepare)
    late.pay(unpaid)
    _pass_minutes(scene, prepare)
    _judge(scene, preferences, result)
    return result


def _pass_minutes(scene: Scene, prepare: tuple[Callable[[], None], ...]) -> None:
    for _ in range(MINUTES):
        scene.pass_time(minutes=1)
        scene.sweep(*prepare)


class _Booker:
    """A student whose client brings preferences of its own."""

    def __init__(
        self, scene: Scene, user: User, position: int, prepare: tuple[Callable[[], None], ...]
    ) -> None:
        self.scene, self.prepare = scene, prepare
        self._user, self._position = user, position
        self._price = find_price(class_type=ClassType.INDIVIDUAL, minutes=60, students=1)

    def book(self, preferences: list[str]) -> None:
        """Book an hour with each preference, one after the other in time."""
        first = timezone.now().replace(minute=0, second=0, microsecond=0)
        first += timedelta(days=4 * (self._position + 1))

        def book_all(say: Say) -> None:
            for number, preference_id in enumerate(preferences):
                start = first + number * HOUR
                book_class(
                    user=self._user,
                    start=start,
                    end=start + HOUR,
                    is_group_class=False,
                    students_count=1,
                    price=self._price,
                    preference_id=preference_id,
                )

        require(self.scene.run(book_all, *self.prepare))

    def pay(self, preferences: list[str]) -> None:
        """Pay each preference at the provider."""
        for preference_id in preferences:
            self.scene.world.mercadopago.pay(preference_id, amount=self._price / 100)

    def deliver(self) -> None:
        """Have a web process take the notifications of it."""
        web = self.scene.start_web(*self.prepare)
        self.scene.world.mercadopago.deliver()
        web.stop()


def _notice_first(booker: _Booker, preferences: list[str]) -> None:
    booker.pay(preferences)
    booker.deliver()
    booker.book(preferences)


def _order_unknown(booker: _Booker, preferences: list[str]) -> None:
    booker.book(preferences)
    booker.pay(preferences)
    faults = [Fault.status(404), Fault.empty()] * len(preferences)
    booker.scene.world.mercadopago.fault("merchant_orders.get", *faults)
    booker.deliver()
    booker.scene.world.mercadopago.heal()


def _no_notice(booker: _Booker, preferences: list[str]) -> None:
    booker.book(preferences)
    booker.pay(preferences)


def _judge(scene: Scene, preferences: dict[str, list[str]], result: Result) -> None:
    world = scene.world
    for way, of_way in preferences.items():
        classes = VirtualClass.objects.filter(preference_id__in=of_way)
        scheduled = classes.filter(status=ClassStatus.SCHEDULED).count()
        result.rows.append(Row(way, {"paid": len(of_way), "scheduled": scheduled}))
        if scheduled != len(of_way):
            result.broken.append(f"{way}: {len(of_way) - scheduled} paid classes wait")
    promises = Promises({one for of_way in preferences.values() for one in of_way})
    outside = look_outside(world.google, world.mercadopago, world.mails)
    violations = judge(read_rows(), outside, promises, now=scene.now)
    result.broken += [
        f"{one.invariant} {one.kind} {one.subject} ({one.about})" for one in violations
    ]
