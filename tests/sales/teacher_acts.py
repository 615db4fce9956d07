"""What the teacher does in random histories: whatever her panel offers, and what it means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from typing import Any

from django.contrib.messages import ERROR, get_messages
from django.test import Client

from tests.sales.addresses import (
    HOUR_PRICE,
    RETURNS,
    find_class,
    find_kind,
    find_link,
    find_new_class,
    find_payment,
    find_returns,
    find_rows,
)
from tests.sales.books import CASH, PAYMENT, REFUND, TRANSFER, Sale, read_pesos

# What the teacher's page says that she got or gave, and what that is to the books.
SENTENCES = {
    r"cobraste (\S+) a mano": (CASH, PAYMENT, 1),
    r"te pagó (\S+) por fuera": (CASH, PAYMENT, 1),
    r"te llegaron (\S+)\.": (TRANSFER, PAYMENT, 1),
    r"le devolviste (\S+) por transferencia": (TRANSFER, REFUND, -1),
    r"le devolviste (\S+) en efectivo": (CASH, REFUND, -1),
}
KEEPS_ONLINE = "deja de contar lo que cobraste a mano"
# What the teacher does more often than other things that the panel offers.
LIKELY = {
    "llego": 8,
    "no-llego": 1,
    "devuelta": 8,
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


class TeacherActs:
    """Acts in the panel."""

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
        given |= {"kind": find_kind(), "text": ""}
        given |= {"is_paid": "on" if is_paid else ""}
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
        pages += pages[:1] + find_returns(sale)
        if not pages:
            return
        page = self.dice.choice(pages)
        steps = STEP.findall(panel.get(page).content.decode())
        if sale.kind == "place" or page == RETURNS:  # other sales are on the page too
            steps = [one for one in steps if find_rows(sale) & set(one.split("/"))]
        if steps:
            weights = [LIKELY.get(one.split("/")[-2], 0.4) for one in steps]
            self.carry_out(panel, *self.dice.choices(steps, weights), sale)

    def carry_out(self, panel: Client, address: str, sale: Sale) -> None:
        """Look at what a step would do, confirm it, and write down what that means."""
        name = address.split("/")[-2]
        page = read(panel.get(address))
        given = self.fill_in(name, page)
        if given:
            page = read(panel.post(address, {"seen": "", **given}))
        seen = re.search(r'name="seen"\s+value="(\w+)"', page)
        if not seen:
            return
        self.note(name)
        self.step = Step(sale, address, given, page)
        if self.confirm(panel, self.step, seen[1]):
            self.step = None
            self.write_down(sale, name, page)

    @staticmethod
    def confirm(panel: Client, step: Step, seen: str) -> bool:
        """Return False if the panel does not say that it is done."""
        answer = panel.post(step.address, {**step.given, "seen": seen})
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
        panel, step, self.step = self.sign_in(self.teacher), self.step, None
        for _ in range(3):  # a refusal may have written something
            self.clock.shift(timedelta(seconds=2))
            page = read(panel.post(step.address, {"seen": "", **step.given}))
            seen = re.search(r'name="seen"\s+value="(\w+)"', page)
            is_offered = seen and self.means_something(step.name, page)
            self.note(f"{step.name} {'is offered' if is_offered else 'was done'}")
            if not is_offered or self.confirm(panel, step, seen[1]):
                self.write_down(step.sale, step.name, step.page)
                return

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
            self.books.write(sale, way, kind, sign * amount)
        if name == "deshacer" and sale.written_down:
            sale.person = sale.written_down
            sale.link = find_link(sale)
        if name == "misma-persona":
            account = sale.person
            for one in self.sales:
                if one.person == sale.written_down:
                    one.person = account


def read(answer: Any) -> str:
    return unescape(answer.content.decode()).replace("$\xa0", "")


def find_sentences(page: str) -> Iterator[tuple[str, str, int, int]]:
    """Find what the page says that the teacher got or gives back: way, kind, sign, centavos."""
    for pattern, meaning in SENTENCES.items():
        if found := re.search(pattern, page):
            yield *meaning, read_pesos(found[1])
