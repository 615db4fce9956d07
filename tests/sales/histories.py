"""Random histories of one teacher and a student or two, and what they pay each other.

Everybody acts through pages, the panel, the API, the provider's own checkout and panel, and time;
``tests/sales/books.py`` keeps the books. Processes are killed on the way, and answers get lost.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from bookings.work.sweeps import SWEEPS
from tests.factories import UserFactory
from tests.payments import posting
from tests.sales.addresses import find_returns
from tests.sales.books import CASH, TRANSFER, Books, Sale
from tests.sales.student_acts import ProviderActs, StudentActs
from tests.sales.teacher_acts import Step, TeacherActs
from tests.standins import Fault
from tests.standins.direct import CalmCalendar

# Sweeps of calendar, mails and webhooks move no money.
IDLE = re.compile(
    "calendar|channel|notices|webhooks|events|reminders|grant|times|plans|warn|forget"
)
DUE = [run for run in SWEEPS if not IDLE.search(run.__name__)]
ROUTES = [
    *("preferences.create", "payments.get", "payments.search", "merchant_orders.search"),
    *("refunds.create", "refunds.create", "refunds.get", "payments.update"),
]
FAULTS = [Fault.lost, Fault.drop, Fault.half, Fault.garbage, lambda: Fault.status(503)]
QUIET = [timedelta(minutes=20), timedelta(hours=9), timedelta(hours=80)]


class Killed(BaseException):
    """The process ended here."""


@contextmanager
def killing(statement: int) -> Iterator[None]:
    """End the process before a statement to the database; from then on it writes nothing."""
    count = 0

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal count
        count += 1
        # What Django itself does as a whole, without a savepoint, is not cut in two.
        is_whole = None in connection.savepoint_ids
        if count >= statement and not is_whole and not sql.startswith(("ROLLBACK", "RELEASE")):
            raise Killed
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield


class History(StudentActs, ProviderActs, TeacherActs):
    """One history. ``acts``: what was done, to tell it when something is wrong."""

    def __init__(
        self, seed: int, *, provider: Any, teacher: User, clock: Any, students: int = 0
    ) -> None:
        self.dice = random.Random(seed)
        self.provider, self.teacher, self.clock = provider, teacher, clock
        self.books, self.sales, self.acts = Books(), list[Sale](), list[str]()
        self.students = [UserFactory() for _ in range(students or self.dice.choice([1, 1, 2]))]
        self.people = list(self.students)
        self.open_classes: list[tuple[str, datetime]] = []
        self.step: Step | None = None
        self.booking: tuple[Sale, datetime, bool] | None = None

    def play(self, acts: int) -> None:
        for _ in range(acts):
            self.do(*self.choose())
        self.come_to_rest()

    def choose(self) -> tuple[Callable[[Sale], None], Sale]:
        if not self.sales or self.dice.random() < 0.12:
            return self.dice.choice(self.beginnings), Sale(self.dice.choice(self.students), "", 0)
        sale = self.dice.choice(self.sales[-2:] if self.dice.random() < 0.7 else self.sales)
        acts = self.weigh(sale)
        [act] = self.dice.choices(list(acts), list(acts.values()))
        return act, sale

    def weigh(self, sale: Sale) -> dict[Callable[[Sale], None], float]:
        """Give what may be done about a sale, the likelier the heavier."""
        charges = {one["status"] for one in self.charges_of(sale)}
        came = bool(charges & {"approved", "in_mediation", "charged_back"})
        is_by_hand = any(self.books.sum_of(sale, way) for way in (CASH, TRANSFER))
        is_claimable = bool(sale.link) and sale.person == sale.written_down
        return {
            self.pay: (2 if charges else 6) if sale.preference else 0,
            self.announce: (0.7 if sale.numbers else 3) if sale.key else 0,
            self.take_step: 3 + 5 * bool(sale.numbers or charges) + 9 * len(find_returns(sale)),
            self.tell: 5 if any(one.is_pending for one in self.provider.notifications) else 0,
            self.wait: 4,
            self.give_up: 2 + 2 * is_by_hand if sale.key else 0,
            self.claim: 4 if is_claimable else 0,
            self.book: 4 if sale.preference and not sale.key else 0,
            self.dispute: 2.5 if came else 0,
            self.refund_at_provider: 1.5 if came else 0,
            self.finish_voucher: 5 if "pending" in charges else 0,
            self.refuse_refunds: 0.7,
            self.look_at_pages: 0.7 if sale.preference else 0,
            self.move: 0.5 if sale.key else 0,
        }

    def do(self, act: Callable[[Sale], None], sale: Sale) -> None:
        """Act, perhaps with lost answers, or cut by the end of the process, and then look again."""
        self.pass_by(timedelta(minutes=self.dice.choice([0, 1, 4])), is_swept=False)
        self.acts.append(f"{timezone.localtime():%d/%m %H:%M} {act.__name__}")
        if self.dice.random() < 0.1:
            route, fault = self.dice.choice(ROUTES), self.dice.choice(FAULTS)
            self.provider.fault(route, fault())
            self.note(f"{fault.__name__} {route}")
        CalmCalendar.is_down = self.dice.random() < 0.03
        if self.dice.random() < 0.12:
            statement = self.dice.choice([*range(1, 30), *range(30, 150, 5)])
            try:
                with killing(statement):
                    act(sale)
            except Killed:
                self.note(f"killed before statement {statement}")
        else:
            act(sale)
        CalmCalendar.is_down = False
        self.read_statement()
        self.make_sure()
        self.adopt(sale)

    def note(self, more: str) -> None:
        self.acts[-1] += f", {more}"

    def read_statement(self) -> None:
        self.books.read_statement(self.provider, self.sales)

    def sweep(self) -> int:
        done = sum(run() for run in DUE)
        self.read_statement()
        return done

    def come_to_rest(self) -> None:
        """Let everything be delivered and done."""
        self.acts.append("to rest")
        self.provider.heal()
        self.deliver()
        for pause in QUIET:
            self.pass_by(pause)
        while self.sweep():
            self.pass_by(timedelta(minutes=5))

    def pass_by(self, pause: timedelta, *, is_swept: bool = True) -> None:
        """Let time pass; nobody knows before a month's end what moved in it, but by then."""
        month = timezone.localdate().month
        if timezone.localdate(timezone.now() + pause).month != month:
            self.provider.heal()
            self.deliver()
            self.sweep()
        self.clock.shift(pause)
        if is_swept:
            self.sweep()

    def deliver(self) -> None:
        self.provider.deliver(post=posting(Client()))
        self.read_statement()

    @staticmethod
    def sign_in(person: User) -> Client:
        client = Client()
        client.force_login(person)
        return client

    @property
    def beginnings(self) -> list[Callable[[Sale], None]]:
        return [self.buy_class, self.buy_class, self.buy_place, self.buy_by_api, self.book_for]
