"""The second bookkeeper: keeps books of what happened at the provider, in cash and by transfer.

It never reads the service's ledger. ``compare`` does, at the end, and names what differs.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db.models import Sum
from django.test import Client
from django.utils import timezone

from bookings.domain.money.takings import find_balance
from bookings.models import Entry
from tests.drills.evidence import read_rows
from tests.drills.ledger import judge_purchases

PAYMENT, REFUND, CHARGEBACK = "payment", "refund", "chargeback"
ONLINE, TRANSFER, CASH = "online", "transfer", "cash"


@dataclass(eq=False)
class Sale:
    """What one person buys.

    key: of the class, or of the place. price: centavos. is_foreign: another system made the
    preference, which the service knows once it is booked.
    """

    person: Any
    kind: str
    price: int
    preference: str = ""
    class_id: str = ""
    key: str = ""
    start: datetime | None = None
    link: str = ""
    written_down: Any = None
    is_foreign: bool = False
    charges: list[int] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """amount: centavos, above zero if the teacher got them."""

    sale: Sale
    month: date
    way: str
    kind: str
    amount: int


class Books:
    def __init__(self) -> None:
        self.lines: list[Line] = []

    def write(self, sale: Sale, way: str, kind: str, amount: int) -> None:
        month = timezone.localdate().replace(day=1)
        self.lines.append(Line(sale, month, way, kind, amount))

    def sum_of(self, sale: Sale, way: str) -> int:
        return sum(one.amount for one in self.lines if one.sale is sale and one.way == way)

    def read_statement(self, provider: Any, sales: list[Sale]) -> None:
        """Write what moved at the provider since the last look."""
        owners = {charge: sale for sale in sales for charge in sale.charges}
        for charge in provider.payments:
            sale = owners[charge["id"]]
            known = Counter[str]()
            for one in self.lines:
                if one.way == f"{ONLINE} {charge['id']}":
                    known[one.kind] += one.amount
            for kind, amount in _list_moved(charge):
                if amount != known[kind]:
                    self.write(sale, f"{ONLINE} {charge['id']}", kind, amount - known[kind])


def _list_moved(charge: dict[str, Any]) -> Iterator[tuple[str, int]]:
    if charge["date_approved"] is None or charge["currency_id"] != "ARS":
        return
    came = round(charge["transaction_amount"] * 100)
    back = round(charge["transaction_amount_refunded"] * 100)
    yield PAYMENT, came
    yield REFUND, -back
    yield CHARGEBACK, back - came if charge["status"] == "charged_back" else 0


# --- What the service says ------------------------------------------------------------------------


def compare(books: Books, people: list[Any], panel: Client) -> list[str]:
    """Name every sum in which books, ledger, months and balances differ, and every purchase that
    does not fit its entries.
    """
    written = _sum_books(books)
    faults = [f"{one.kind} {one.subject}: {one.about}" for one in judge_purchases(read_rows())]
    faults += _tell(written, _sum_entries(), "ledger")
    months = {month for _, month, _, _ in written}
    by_month = {month: _sum_month(written, month) for month in months}
    faults += _tell(by_month, {month: _read_month(panel, month) for month in months}, "month's CSV")
    faults += _tell(by_month, _read_months(panel), "list of months")
    for person in people:
        sums = [it for key, it in written.items() if key[0] == person.pk]
        came = sum(it for key, it in written.items() if key[0] == person.pk and key[3] == PAYMENT)
        balance = find_balance(person)
        shown = balance.paid, balance.paid - balance.returned - balance.charged_back
        faults += _tell({str(person): (came, sum(sums))}, {str(person): shown}, "balance")
    return faults


def _tell(ours: dict[Any, Any], theirs: dict[Any, Any], name: str) -> list[str]:
    return [
        f"{name}: {key}: {theirs.get(key)}, in the books {ours.get(key)}"
        for key in sorted({*ours, *theirs}, key=str)
        if ours.get(key) != theirs.get(key)
    ]


def _sum_books(books: Books) -> dict[tuple[Any, date, str, str], int]:
    sums = Counter[tuple[Any, date, str, str]]()
    for one in books.lines:
        if one.sale.is_foreign and not one.sale.key:
            continue
        sums[one.sale.person.pk, one.month, one.way.split()[0], one.kind] += one.amount
    return {key: amount for key, amount in sums.items() if amount}


def _sum_entries() -> dict[tuple[Any, date, str, str], int]:
    sums = Counter[tuple[Any, date, str, str]]()
    lines = Entry.objects.order_by().values_list("purchase__person", "at", "way", "kind")
    for person, at, way, kind, amount in lines.annotate(Sum("amount")):
        sums[person, timezone.localdate(at).replace(day=1), way, kind] += amount
    return {key: amount for key, amount in sums.items() if amount}


def _sum_month(sums: dict[tuple[Any, date, str, str], int], month: date) -> tuple[int, int]:
    """Return what came and what stayed."""
    of_month = [(kind, amount) for (_, at, _, kind), amount in sums.items() if at == month]
    came = sum(amount for kind, amount in of_month if kind == PAYMENT)
    return came, sum(amount for _, amount in of_month)


def _read_month(panel: Client, month: date) -> tuple[int, int]:
    page = panel.get(f"/admin/bookings/payment/meses/{month:%Y-%m}/exportar/".replace("-0", "-"))
    rows = list(csv.DictReader(page.content.decode("utf-8-sig").splitlines(), delimiter=";"))
    came, back = (sum(map(read_pesos, (row[name] for row in rows))) for name in COLUMNS)
    return came, came - back


COLUMNS = "Recibido", "Devuelto"


def _read_months(panel: Client) -> dict[date, tuple[int, int]]:
    """Read the page with all months."""
    page, sums = panel.get("/admin/bookings/payment/meses/").content.decode(), {}
    for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)[1:]:
        net, online, by_hand, *_ = re.findall(r"\$[\d.,\s]+|-\$[\d.,\s]+", row)
        year, month = map(int, re.findall(r"/meses/(\d+)-(\d+)/", row)[0])
        both = read_pesos(online) + read_pesos(by_hand), read_pesos(net)
        sums[date(year, month, 1)] = both
    return {month: both for month, both in sums.items() if any(both)}


def read_pesos(text: str) -> int:
    """Read ``$ 1.500,50``, ``-1500,50`` or ``15000``."""
    sign = -1 if "-" in text else 1
    pesos, _, centavos = re.sub(r"[^\d,]", "", text).partition(",")
    return sign * (int(pesos) * 100 + int((centavos or "0").ljust(2, "0")))
