"""What students do in random histories, and what they and the provider do at the provider."""

import re
from datetime import datetime, time, timedelta
from email.message import Message
from typing import Any

from django.test import Client
from django.utils import timezone

from tests.payments import posting
from tests.sales.addresses import (
    HOUR_PRICE,
    PLACE_PRICE,
    choose_price,
    find_class,
    find_payment,
    find_place,
    find_preference,
)
from tests.sales.books import Sale

PAUSES = [
    *(timedelta(minutes=2), timedelta(minutes=20), timedelta(hours=1), timedelta(hours=5)),
    *(timedelta(hours=13), timedelta(days=1), timedelta(days=2), timedelta(days=6)),
]


class StudentActs:
    """Acts on the pages and the API, each about a sale; a new one is filled in."""

    def pick_start(self) -> datetime:
        day = timezone.localdate() + timedelta(days=self.dice.choice([1, 1, 2, 2, 3, 5]))
        hour = self.dice.choice([9, 9, 10, 15, 20])
        return datetime.combine(day, time(hour), tzinfo=timezone.get_current_timezone())

    def buy_class(self, sale: Sale) -> None:
        start, (price, typed) = self.pick_start(), choose_price(self.dice, HOUR_PRICE)
        client, local = self.sign_in(sale.person), timezone.localtime(start)
        when = {"dia": f"{local:%Y-%m-%d}", "hora": f"{local:%H:%M}"}
        held = client.post("/inicio/reservar", {"tipo": "individual", "min": "60", **when})
        if not held.headers.get("Location", "").startswith("/inicio/reservar/"):
            return
        way = self.dice.choice(["online", "online", "transferencia"])
        details = {"students_count": "1", "seen": f"1:{price}", "way": way, **typed}
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
        price, typed = choose_price(self.dice, PLACE_PRICE)
        sale.kind, sale.price, sale.class_id = "place", price, class_id
        address = f"/clases-abiertas/{class_id}/reservar"
        self.sign_in(sale.person).post(address, {"seen": f"{price}", **typed})

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


class ProviderActs:
    """Acts at Mercado Pago, and its notices."""

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
        notices = self.provider.notifications
        order = [at for at, one in enumerate(notices) if one.is_pending or self.dice.random() < 0.1]
        self.dice.shuffle(order)
        count = self.dice.choice([len(order), len(order), 1])
        self.provider.deliver(order[:count], post=posting(Client()))
        self.sweep()

    def wait(self, sale: Sale) -> None:
        self.pass_by(self.dice.choice(PAUSES))
