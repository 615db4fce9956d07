"""Random histories of one teacher and a student or two, and what they pay each other.

Everybody acts through pages, the panel, the API, the provider's own checkout and panel, and time;
``tests/sales/books.py`` keeps the books. Processes are killed on the way, and answers get lost.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from email.message import Message
from html import unescape
from types import SimpleNamespace
from typing import Any

from django.contrib.messages import ERROR, get_messages
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.utils import timezone

from accounts.models import User
from bookings.models import (
    BankTransfer,
    BookingRules,
    ClassLink,
    DiscountCode,
    Payment,
    Price,
    Purchase,
    RefundReason,
    VirtualClass,
    WeeklyHours,
    change_terms,
)
from bookings.work.sweeps import SWEEPS
from tests.factories import UserFactory
from tests.payments import posting
from tests.sales.books import CASH, PAYMENT, REFUND, TRANSFER, Books, Sale, read_pesos
from tests.standins import Fault
from tests.standins.direct import CalmCalendar

HOUR_PRICE, PLACE_PRICE = 1_250_050, 800_000
# The page of a step names what the teacher got; until then it names the whole price, and the ledger
# writes it where a transfer was announced besides.
PAGE_NAMES_THE_REST = False
# What the teacher's page says that she got or gave, and what that is to the books.
SENTENCES = {
    r"cobraste (\S+) a mano": (CASH, PAYMENT, 1),
    r"te pagó (\S+) por fuera": (CASH, PAYMENT, 1),
    r"te llegaron (\S+)\.": (TRANSFER, PAYMENT, 1),
    r"le devolviste (\S+) a": (TRANSFER, REFUND, -1),
}
KEEPS_ONLINE = "deja de contar lo que cobraste a mano"
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
PAUSES = [
    *(timedelta(minutes=2), timedelta(minutes=20), timedelta(hours=1), timedelta(hours=5)),
    *(timedelta(hours=13), timedelta(days=1), timedelta(days=2), timedelta(days=6)),
]
QUIET = [timedelta(minutes=20), timedelta(hours=9), timedelta(hours=80)]
# What the teacher does more often than other things that the panel offers.
LIKELY = {
    "llego": 5,
    "no-llego": 1,
    "devuelta": 4,
    "pagada": 2,
    "pagado": 3,
    "quedarmelo": 8,
    "devolver": 2,
    "devolver-todo": 2,
    "cancelar": 1,
    "deshacer": 4,
    "misma-persona": 4,
}
STEP = re.compile(r'href="(/admin/[^"]*/paso/[\w-]+/)[^"]*"')


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


# --- The only reads of models: addresses ----------------------------------------------------------


def find_class(person: User, start: datetime) -> str:
    """Return the id of the class that a person booked."""
    booked = VirtualClass.objects.filter(booked_by=person, start_time=start)
    return str(booked.order_by("created_at").values_list("pk", flat=True).last() or "")


def find_new_class(start: datetime, known: set[str]) -> tuple[str, User | None]:
    """Return the id and the person of a class that begins then and is not known."""
    classes = VirtualClass.objects.filter(start_time=start, open_class=None)
    for one in classes.exclude(pk__in=known - {""}).select_related("booked_by"):
        return str(one.pk), one.booked_by
    return "", None


def find_place(person: User, class_id: str) -> str:
    """Return the id of the latest place of a person in an open class."""
    places = Purchase.objects.filter(person=person, kind="place", virtual_class=class_id)
    return str(places.order_by("created_at").values_list("pk", flat=True).last() or "")


def find_payment(sale: Sale) -> str:
    payments = Payment.objects.filter(preference_id=sale.preference)
    return str(payments.values_list("pk", flat=True).first() or "")


def find_preference(sale: Sale) -> str:
    payments = Payment.objects.filter(~Q(preference_id=None))
    key = "virtual_class" if sale.kind == "class" else "seat"
    found = payments.filter(**{key: sale.key}) if sale.key else payments.none()
    return found.values_list("preference_id", flat=True).last() or ""


def find_transfers(sale: Sale) -> list[str]:
    found = BankTransfer.objects.filter(operation_number__in=sale.numbers)
    return list(map(str, found.values_list("pk", flat=True)))


def has_transfer(sale: Sale) -> bool:
    found = BankTransfer.objects.filter(operation_number__in=sale.numbers)
    return found.exclude(state="refused").exists()


def find_link(sale: Sale) -> str:
    links = ClassLink.objects.filter(pk=sale.class_id or None)
    return next((link.token for link in links), "")


# --- The world ------------------------------------------------------------------------------------


def prepare(dice: random.Random) -> None:
    """Store hours, prices, codes and rules."""
    for day in range(7):
        WeeklyHours.objects.create(weekday=day, start=time(8), end=time(22))
    since = date(2026, 1, 1)
    Price.objects.create(class_type="individual", minutes=60, amount=HOUR_PRICE, valid_from=since)
    DiscountCode.objects.create(code="MENOS10", percent=10, once_per_person=False)
    DiscountCode.objects.create(code="UNAVEZ", amount=123_456, max_uses=1)
    DiscountCode.objects.create(code="GRATIS", percent=100, max_uses=1)
    BookingRules.objects.update_or_create(
        pk=BookingRules.SINGLETON,
        defaults={
            "transfer_alias": "clases.con.paula",
            "transfer_holder": "Paula Ferreyra",
            "minimum_notice_minutes": 60,
            "transfer_hours": dice.choice([2, 24, 72]),
        },
    )


def price_with(code: str, price: int) -> int:
    off = {"MENOS10": price // 10, "UNAVEZ": 123_456, "GRATIS": price}.get(code, 0)
    return price - off


@dataclass
class Step:
    """A step of the panel that is being taken. page: what the panel said of it."""

    sale: Sale
    address: str
    given: dict[str, str]
    page: str

    @property
    def name(self) -> str:
        return self.address.split("/")[-2]


class History:
    """One history. ``acts``: what was done, to tell it when something is wrong."""

    def __init__(self, seed: int, *, provider: Any, teacher: User, clock: Any) -> None:
        self.dice = random.Random(seed)
        self.provider, self.teacher, self.clock = provider, teacher, clock
        self.books, self.sales, self.acts = Books(), list[Sale](), list[str]()
        self.people = [UserFactory() for _ in range(self.dice.choice([1, 1, 2]))]
        self.students = list(self.people)
        self.open_classes: list[tuple[str, datetime]] = []
        self.step: Step | None = None
        self.booking: tuple[Sale, datetime, bool] | None = None
        half = SimpleNamespace(reason=RefundReason.CANCELLED, percent=50)
        later = [change_terms.RefundStep(timedelta(hours=2), half)] if seed % 2 else []
        change_terms.LATER_STEPS[:] = later

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
        is_claimable = bool(sale.link) and sale.person == sale.written_down
        return {
            self.pay: (2 if charges else 6) if sale.preference else 0,
            self.announce: (0.7 if sale.numbers else 3) if sale.key else 0,
            self.take_step: 3 + 5 * bool(sale.numbers or charges),
            self.tell: 5 if any(one.is_pending for one in self.provider.notifications) else 0,
            self.wait: 4,
            self.give_up: 2 if sale.key else 0,
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
        """Act, perhaps with lost answers or a process that is killed, and do it again then."""
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

    def pick_start(self) -> datetime:
        day = timezone.localdate() + timedelta(days=self.dice.choice([1, 1, 2, 2, 3, 5]))
        hour = self.dice.choice([9, 9, 10, 15, 20])
        return datetime.combine(day, time(hour), tzinfo=timezone.get_current_timezone())

    def pick_code(self) -> str:
        return self.dice.choice(["", "", "", "MENOS10", "UNAVEZ", "GRATIS"])

    # --- Students ---------------------------------------------------------------------------------

    def buy_class(self, sale: Sale) -> None:
        start, code = self.pick_start(), self.pick_code()
        client, local = self.sign_in(sale.person), timezone.localtime(start)
        when = {"dia": f"{local:%Y-%m-%d}", "hora": f"{local:%H:%M}"}
        held = client.post("/inicio/reservar", {"tipo": "individual", "min": "60", **when})
        if not held.headers.get("Location", "").startswith("/inicio/reservar/"):
            return
        price = price_with(code, HOUR_PRICE)
        way = self.dice.choice(["mercadopago", "mercadopago", "transferencia"])
        details = {"students_count": "1", "code": code, "seen": f"1:{price}", "way": way}
        sale.kind, sale.price, sale.start = "class", price, start
        client.post(held["Location"], details)

    def buy_by_api(self, sale: Sale) -> None:
        """Ask for a preference, and book it now, later or never."""
        start = self.pick_start()
        end = start + timedelta(hours=1)
        wish = {"start": start.isoformat(), "end": end.isoformat()}
        wish |= {"isGroupClass": False, "studentsCount": 1}
        client = self.sign_in(sale.person)
        if self.dice.random() < 0.3:
            amount = self.dice.choice([HOUR_PRICE, HOUR_PRICE, HOUR_PRICE + 50_000])
            item = {"title": "Clase", "quantity": 1, "unit_price": amount / 100}
            made = self.provider.add_preference(items=[item])
            sale.preference, sale.price, sale.is_foreign = made["id"], amount, True
        else:
            answer = client.post("/api/payments/preference", wish, "application/json")
            if answer.status_code != 200:
                return
            sale.preference, sale.price = answer.json()["preferenceId"], answer.json()["price"]
        sale.kind, sale.start = "class", start
        if self.dice.random() < 0.8:
            self.book(sale)

    def book(self, sale: Sale) -> None:
        """Book a preference that the API gave."""
        if not sale.preference or sale.class_id or sale.start is None:
            return
        end = sale.start + timedelta(hours=1)
        wish = {"start": sale.start.isoformat(), "end": end.isoformat(), "isGroupClass": False}
        wish |= {"studentsCount": 1, "price": sale.price, "preferenceId": sale.preference}
        self.sign_in(sale.person).post("/api/booking", wish, "application/json")

    def buy_place(self, sale: Sale) -> None:
        if not self.open_classes:
            self.publish()
            return
        class_id, sale.start = self.dice.choice(self.open_classes)
        code = self.pick_code()
        price = price_with(code, PLACE_PRICE)
        sale.kind, sale.price, sale.class_id = "place", price, class_id
        address = f"/clases-abiertas/{class_id}/reservar"
        self.sign_in(sale.person).post(address, {"code": code, "seen": f"{price}"})

    def adopt(self, sale: Sale) -> None:
        """Remember a sale once there is one."""
        if sale.kind == "class" and not sale.key:
            key = find_class(sale.person, sale.start)
            sale.class_id = sale.key = "" if key in self.keys else key
        elif sale.kind == "place" and not sale.key:
            key = find_place(sale.person, sale.class_id)
            sale.key = "" if key in self.keys else key
        sale.preference = sale.preference or find_preference(sale)
        if sale not in self.sales and (sale.key or sale.preference):
            self.sales.append(sale)

    @property
    def keys(self) -> set[str]:
        return {one.key for one in self.sales}

    def pay(self, sale: Sale) -> None:
        """Pay at the provider's checkout, however late: all, too little, too much, in dollars."""
        price = sale.price / 100
        how: dict[str, Any] = self.dice.choice(
            [
                *[{}] * 8,
                *[{"amount": round(price / 2, 2)}] * 2,
                {"amount": price + 500},
                {"status": "rejected"},
                {"status": "pending", "method": "ticket"},
                {"currency": "USD"},
            ]
        )
        charge = self.provider.pay(sale.preference, **how)
        sale.charges.append(charge["id"])
        self.note(f"{how}")

    def finish_voucher(self, sale: Sale) -> None:
        for charge in self.charges_of(sale):
            if charge["status"] == "pending":
                self.provider.settle(charge["id"], self.dice.choice(["approved", "cancelled"]))

    def look_at_pages(self, sale: Sale) -> None:
        """Open the page of the payment, which asks the provider."""
        if payment := find_payment(sale):
            self.sign_in(sale.person).get(f"/inicio/pagos/{payment}", follow=True)

    def announce(self, sale: Sale) -> None:
        number = f"{self.dice.randrange(10**8, 10**9)}"
        if not sale.key:
            return
        sale.numbers.append(number)
        given = {"operation_number": number} if self.dice.random() < 0.8 else {"esperar": "1"}
        if sale.link and sale.person == sale.written_down:
            Client().post(f"/clase/{sale.link}/transferencia", given)
        else:
            room = "clases" if sale.kind == "class" else "lugares"
            address = f"/inicio/{room}/{sale.key}/transferencia"
            self.sign_in(sale.person).post(address, given)

    def give_up(self, sale: Sale) -> None:
        """Cancel the class, or leave the place, at what the page says."""
        client = self.sign_in(sale.person)
        if sale.kind == "place":
            client.post(f"/inicio/lugares/{sale.key}/soltar")
        room = "cancelar" if sale.kind == "class" else "dejar"
        if sale.class_id:
            address = f"/inicio/clases/{sale.class_id}/{room}"
            kept = re.search(r'name="kept" value="(\d+)"', client.get(address).content.decode())
            client.post(address, {"kept": kept[1] if kept else ""})

    def move(self, sale: Sale) -> None:
        if sale.class_id:
            body = {"start": self.pick_start().isoformat()}
            address = f"/api/classes/{sale.class_id}/move"
            self.sign_in(sale.person).post(address, body, "application/json")

    def claim(self, sale: Sale) -> None:
        if sale.link and sale.person == sale.written_down:
            claimer = self.dice.choice(self.students)
            self.sign_in(claimer).post(f"/clase/{sale.link}/tomar")
            if find_class(claimer, sale.start) == sale.class_id:
                sale.person = claimer

    # --- The provider -----------------------------------------------------------------------------

    def charges_of(self, sale: Sale) -> list[Any]:
        return [one for one in self.provider.payments if one["id"] in sale.charges]

    def refund_at_provider(self, sale: Sale) -> None:
        """Give money back in the provider's own panel."""
        for charge in self.charges_of(sale):
            if charge["status"] == "approved":
                left = charge["transaction_amount"] - charge["transaction_amount_refunded"]
                pesos = self.dice.choice([left, round(left / 3, 2)])
                headers = Message()
                headers["Authorization"] = f"Bearer {self.provider.access_token}"
                headers["X-Idempotency-Key"] = f"panel-{self.dice.random()}"
                target = f"/v1/payments/{charge['id']}/refunds"
                self.provider.answer("POST", target, headers, b'{"amount": %.2f}' % pesos)

    def dispute(self, sale: Sale) -> None:
        """Take the next step of a chargeback: opened, lost at once or later, won at last."""
        next_ones = {
            "approved": ["in_mediation", "charged_back"],
            "in_mediation": ["approved", "charged_back"],
            "charged_back": ["approved"],
        }
        for charge in self.charges_of(sale):
            if charge["status"] in next_ones:
                status = self.dice.choice(next_ones[charge["status"]])
                self.provider.settle(charge["id"], status)
                self.note(status)

    def refuse_refunds(self, sale: Sale) -> None:
        ways = ["approved", "approved", "rejected", "in_process"]
        self.provider.refund_status = self.dice.choice(ways)
        for refund in self.provider.refunds:
            if refund["status"] == "in_process":
                status = self.dice.choice(["approved", "rejected"])
                self.provider.settle_refund(refund["id"], status)

    def tell(self, sale: Sale) -> None:
        """Deliver notices: in disorder, some twice, some later."""
        notices = self.provider.notifications
        order = [at for at, one in enumerate(notices) if one.is_pending or self.dice.random() < 0.1]
        self.dice.shuffle(order)
        count = self.dice.choice([len(order), len(order), 1])
        self.provider.deliver(order[:count], post=posting(Client()))
        self.sweep()

    def wait(self, sale: Sale) -> None:
        self.pass_by(self.dice.choice(PAUSES))

    # --- The teacher ------------------------------------------------------------------------------

    def publish(self) -> None:
        """Publish an open class; its minimum is reached or not."""
        start = self.pick_start() + timedelta(days=3)
        given = {"title": "Conversación", "day": f"{start:%Y-%m-%d}", "clock": f"{start:%H:%M}"}
        given |= {"places": "2", "place_price": "8000", "minimum": self.dice.choice("12")}
        given |= {"hours_before": "24", "minutes": "60", "is_listed": "on"}
        answer = self.sign_in(self.teacher).post("/admin/abiertas/nueva/", given)
        if answer.status_code == 302:
            self.open_classes.append((find_class(self.teacher, start), start))

    def book_for(self, sale: Sale) -> None:
        """Book a class for somebody with or without an account."""
        start, is_paid = self.pick_start(), self.dice.random() < 0.3
        given = {"day": f"{start:%Y-%m-%d}", "clock": f"{start:%H:%M}"}
        given |= {"kind": f"{Price.objects.get().pk}", "text": ""}
        given |= {"payment": "pagada" if is_paid else "despues"}
        address = "/admin/reservar/"
        if self.dice.random() < 0.5:
            address += f"?estudiante={sale.person.pk}"
        else:
            phone = f"+54 9 341 555-{self.dice.randrange(1000, 9999)}"
            given |= {"who": "Lucía Lagos", "phone": phone, "email": "", "is_another": "1"}
        self.booking = sale, start, is_paid
        self.sign_in(self.teacher).post(address, given)

    def look_at_booking(self, sale: Sale, start: datetime, *, is_paid: bool) -> None:
        """Find what the teacher booked, with the cash that she noted."""
        key, person = find_new_class(start, self.keys)
        if person is None:
            return
        sale.person, sale.start, sale.price, sale.kind = person, start, HOUR_PRICE, "class"
        sale.class_id = sale.key = key
        sale.written_down, sale.link = person, find_link(sale)
        self.sales.append(sale)
        if person not in self.people:
            self.people.append(person)
        if is_paid:
            self.books.write(sale, CASH, PAYMENT, HOUR_PRICE)

    def take_step(self, sale: Sale) -> None:
        """Take any step that the panel offers about a sale."""
        panel = self.sign_in(self.teacher)
        payment = find_payment(sale)
        pages = [f"/admin/clase/{sale.class_id}/"] if sale.class_id else []
        pages += [f"/admin/bookings/payment/{payment}/change/"] if payment else []
        pages += pages[:1]
        if not pages:
            return
        steps = STEP.findall(panel.get(self.dice.choice(pages)).content.decode())
        own = {sale.class_id, sale.key, payment, *find_transfers(sale)}
        steps = [one for one in steps if own & set(one.split("/"))]
        if steps:
            weights = [LIKELY.get(one.split("/")[-2], 0.4) for one in steps]
            self.carry_out(panel, *self.dice.choices(steps, weights), sale)

    def carry_out(self, panel: Client, address: str, sale: Sale) -> None:
        """Look at what a step would do, confirm it, and write down what that means."""
        name = address.split("/")[-2]
        if name in {"pagada", "pagado"} and not PAGE_NAMES_THE_REST:
            self.provider.heal()
            self.deliver()
            self.sweep()
        page = read(panel.get(address))
        given = self.fill_in(name, page)
        if given:
            page = read(panel.post(address, {"seen": "", **given}))
        seen = re.search(r'name="seen"\s+value="(\w+)"', page)
        if not seen:
            return
        self.note(name)
        self.step = Step(sale, address, given, page)
        if self.confirm(panel, seen[1]):
            self.step = None
            self.write_down(sale, name, page)

    def confirm(self, panel: Client, seen: str) -> bool:
        """Return False if the panel does not say that it is done."""
        answer = panel.post(self.step.address, {**self.step.given, "seen": seen})
        levels = {one.level for one in get_messages(answer.wsgi_request)}
        return answer.status_code == 302 and ERROR not in levels

    def make_sure(self) -> None:
        """Look again at what was interrupted, and finish it."""
        if self.booking:
            sale, start, is_paid = self.booking
            self.booking = None
            self.look_at_booking(sale, start, is_paid=is_paid)
        if not self.step or not self.means_something(self.step.name, self.step.page):
            self.step = None
            return
        self.clock.shift(timedelta(seconds=2))
        panel, step = self.sign_in(self.teacher), self.step
        page = read(panel.post(step.address, {"seen": "", **step.given}))
        seen = re.search(r'name="seen"\s+value="(\w+)"', page)
        is_offered = seen and self.means_something(step.name, page)
        self.note(f"{step.name} {'is offered' if is_offered else 'was done'}")
        if not is_offered or self.confirm(panel, seen[1]):
            self.write_down(step.sale, step.name, step.page)
        self.step = None

    @staticmethod
    def means_something(name: str, page: str) -> bool:
        moves = KEEPS_ONLINE in page or any(find_sentences(page))
        return moves or name in {"deshacer", "misma-persona"}

    def fill_in(self, name: str, page: str) -> dict[str, str]:
        if name == "devolver":
            charges = re.findall(r'name="charge" value="(\d+)"', page)
            pesos = self.dice.choice(["1", "2000,50", "6250,25", "12500,50", "4000"])
            return {"charge": self.dice.choice(charges), "amount": pesos} if charges else {}
        if name == "mover":
            start = self.pick_start()
            return {"day": f"{start:%Y-%m-%d}", "clock": f"{start:%H:%M}"}
        if name == "lugares":
            return {"places": "3"}
        return {}

    def write_down(self, sale: Sale, name: str, page: str) -> None:
        for way, kind, sign, amount in find_sentences(page):
            if way == CASH and not PAGE_NAMES_THE_REST and not has_transfer(sale):
                amount = max(sale.price - self.kept_online(sale), 0)
            self.books.write(sale, way, kind, sign * amount)
        if KEEPS_ONLINE in page and (cash := self.books.sum_of(sale, CASH)):
            self.books.write(sale, CASH, REFUND, -cash)
        if name == "deshacer" and sale.written_down:
            sale.person = sale.written_down
            sale.link = find_link(sale)
        if name == "misma-persona":
            account = sale.person
            for one in self.sales:
                if one.person == sale.written_down:
                    one.person = account

    def kept_online(self, sale: Sale) -> int:
        approved = {one["id"] for one in self.charges_of(sale) if one["status"] == "approved"}
        return sum(
            line.amount
            for line in self.books.lines
            if line.sale is sale and line.way.startswith("online")
            if int(line.way.split()[1]) in approved
        )

    @property
    def beginnings(self) -> list[Callable[[Sale], None]]:
        return [self.buy_class, self.buy_class, self.buy_place, self.buy_by_api, self.book_for]


def read(answer: Any) -> str:
    return unescape(answer.content.decode()).replace("$\xa0", "")


def find_sentences(page: str) -> Iterator[tuple[str, str, int, int]]:
    """Find what the page says that the teacher got or gives back: way, kind, sign, centavos."""
    for pattern, meaning in SENTENCES.items():
        if found := re.search(pattern, page):
            yield *meaning, read_pesos(found[1])
