"""The migrations to purchases keep what earlier releases had stored of each sale."""

import uuid
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from bookings.models import BankTransfer, Entry, Hold, Payment, Purchase, Refund
from tests.emptying import APPEND_ONLY, unguarded

pytestmark = pytest.mark.django_db
# The tables of 0.1.0, and those with the first ledger.
BEFORE = ["0004_daily_mail_of_bookings", "0006_fill_the_ledger"]
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
SOON, LATER, LONG_AGO = (NOW + timedelta(hours=hours) for hours in (1, 24, -72))
PRICE, KEPT = 1_500_000, 500_000
KEPT_BY_MIGRATE = {"django_migrations", "django_content_type", "auth_permission"}


class Shop:
    """Stores sales as an earlier release did, under the test's names for them."""

    def __init__(self, apps):
        self.apps, self.keys, self.numbers = apps, {}, count(1)
        self.has_ledger = "entry" in apps.all_models["bookings"]

    def store(self, model, **fields):
        app = "accounts" if model == "User" else "bookings"
        return self.apps.get_model(app, model).objects.create(**fields)

    def person(self):
        return self.store("User", email=f"person{next(self.numbers)}@example.com")

    def book(self, name, *, purchase=uuid.uuid4, **fields):
        number = next(self.numbers)
        booked = self.store(
            "VirtualClass",
            booked_by=self.person(),
            preference_id=f"preference-{number}",
            start_time=NOW + timedelta(days=number),
            end_time=NOW + timedelta(days=number, hours=1),
            utc_offset=-180,
            class_type="individual",
            class_price=PRICE,
            max_participants=1,
            **{"has_preference": False, "created_at": LONG_AGO, **fields},
        )
        self.keys[name] = booked.pk
        if purchase and self.has_ledger:
            whose = {"person": booked.booked_by, "virtual_class": booked}
            self.store("Purchase", pk=purchase(), kind="class", **whose)
        return booked

    def publish(self):
        published = self.book("published", purchase=None, status="completed", paid_at=NOW)
        terms = {"places": 9, "place_price": PRICE, "decides_at": SOON}
        return self.store("OpenClass", virtual_class=published, title="B1", **terms)

    def sit(self, name, open_class, **fields):
        fields = {"expires_at": SOON, "price": PRICE, **fields}
        seat = self.store("Seat", open_class=open_class, user=self.person(), **fields)
        self.keys[name] = seat.pk
        return seat

    def hold(self, booked, **fields):
        times = {"start_time": booked.start_time, "end_time": booked.end_time}
        return self.store(
            "Hold",
            user=booked.booked_by,
            virtual_class=booked,
            utc_offset=-180,
            class_type="individual",
            **{"expires_at": SOON, **times, **fields},
        )

    def ask(self, booked=None, *, user=None, **fields):
        whose = {"user": user or (booked.booked_by if booked else self.person())}
        return self.store("Payment", virtual_class=booked, amount=PRICE, **whose, **fields)

    def charge(self, payment, **fields):
        number = str(next(self.numbers))
        status = {"status": "approved", "provider_updated_at": NOW, "counts": True, **fields}
        return self.store(
            "PaymentCharge", payment=payment, charge_id=number, amount=PRICE, **status
        )

    def send(self, state, booked=None, seat=None, decided_at=None):
        return self.store(
            "BankTransfer",
            user=seat.user if seat else booked.booked_by,
            virtual_class=booked,
            seat=seat,
            amount=PRICE,
            operation_number=f"{next(self.numbers):06d}",
            state=state,
            decided_at=decided_at,
        )

    def write(self, booked, kind, way, amount, source, **fields):
        if self.has_ledger:
            whose = {"purchase": booked.purchases.get(), "at": NOW}
            line = {"kind": kind, "way": way, "amount": amount, "source": source}
            self.store("Entry", **whose, **line, **fields)


def sell(shop):
    """Store a sale of each kind."""
    sell_classes(shop)
    end_classes(shop)
    sell_places(shop)
    sell_unbooked(shop)


def sell_classes(shop):
    online = shop.book("online", has_preference=True)
    shop.hold(online)
    shop.ask(online, status="pending", expires_at=SOON)
    by_transfer = shop.book("by transfer")
    shop.hold(by_transfer, for_transfer=True, expires_at=LATER)
    shop.send("announced", by_transfer)
    shop.book("without a hold", purchase=None)
    shop.book("of a program", has_preference=True)
    shop.ask(shop.book("elsewhere", has_preference=True), made_elsewhere=True, status="pending")
    shop.ask(shop.book("expired", has_preference=True), expires_at=LONG_AGO)
    shop.book("out of time", scheduling_refusal="slot_taken")
    shop.hold(shop.book("booked by her"), made_by_teacher=True, expires_at=LATER)
    link = {"virtual_class": shop.book("claimed"), "made_for": shop.person(), "key": "k"}
    shop.store("ClassLink", **link)
    shop.book("owed", status="completed")
    code = shop.store("DiscountCode", code="TEN", percent=10)
    shop.book("in cash", status="completed", paid_at=NOW, discount=100, discount_code=code)


def end_classes(shop):
    shop.book("cancelled", status="cancelled")
    decided = {"status": "cancelled", "paid_at": NOW, "refund_reason": "cancelled"}
    came = {"decided_at": NOW}
    shop.send("to_return", shop.book("to return", amount_kept=KEPT, **decided), **came)
    returned = shop.book("returned", amount_kept=KEPT, **decided)
    transfer = shop.send("returned", returned, **came)
    line = ("refund", "transfer", KEPT - PRICE, f"transfer:{transfer.pk.hex}:refund")
    shop.write(returned, *line, transfer=transfer)
    twice = shop.book("twice", status="completed", paid_at=NOW)
    second = shop.send("to_return", twice, decided_at=LATER)
    line = ("payment", "transfer", PRICE, f"transfer:{second.pk.hex}:payment")
    shop.write(twice, *line, transfer=second, is_second=True)
    in_cash = shop.book("cash back", amount_kept=KEPT, **decided)
    shop.write(in_cash, "payment", "cash", PRICE, "cash:1:payment")
    replaced = shop.book("cash replaced", status="completed", paid_at=NOW)
    shop.charge(shop.ask(replaced, approved_at=LATER, status="approved"))
    shop.write(replaced, "payment", "cash", PRICE, "cash:2:payment")
    shop.write(replaced, "refund", "cash", -PRICE, "cash:2:refund")
    lost = {"status": "cancelled", "paid_at": NOW, "refund_reason": "slot_lost", "amount_kept": 0}
    paid = shop.ask(shop.book("slot lost", **lost), approved_at=NOW, status="approved")
    shop.store("Refund", charge=shop.charge(paid), amount=PRICE, key="1", reason="slot_lost")


def sell_places(shop):
    open_class = shop.publish()
    shop.hold(open_class.virtual_class, made_by_teacher=True)
    shop.send("announced", seat=shop.sit("held", open_class, for_transfer=True))
    half = shop.ask(approved_at=NOW, status="approved")
    shop.sit("held and paid", open_class, paid_at=NOW, payment=half)
    shop.sit("released", open_class, state="released")
    shop.sit("taken", open_class, state="taken", paid_at=NOW)
    shop.sit("left", open_class, state="left")
    decided = {"paid_at": NOW, "refund_reason": "seat_lost", "amount_kept": 0}
    shop.sit("lost", open_class, state="lost", **decided)
    called_off = {"paid_at": NOW, "refund_reason": "below_minimum", "amount_kept": 0}
    shop.sit("called off", open_class, state="cancelled", **called_off)


def sell_unbooked(shop):
    asked = shop.ask(status="pending", expires_at=SOON)
    shop.keys["asked"] = asked.pk
    shop.store(
        "Hold",
        user=asked.user,
        payment=asked,
        start_time=NOW,
        end_time=SOON,
        utc_offset=-180,
        class_type="individual",
        expires_at=SOON,
    )
    unbooked = shop.ask(status="approved", approved_at=NOW)
    shop.keys["unbooked"] = unbooked.pk
    if shop.has_ledger:
        shop.store("Purchase", pk=unbooked.pk, kind="class", person=unbooked.user)
    given_back = shop.ask(status="refunded", approved_at=NOW)
    shop.keys["given back"] = given_back.pk
    charge = shop.charge(given_back, status="refunded", refunded_amount=PRICE)
    done = {"status": "done", "done_at": LATER}
    shop.store("Refund", charge=charge, amount=PRICE, key="1", reason="never_booked", **done)
    chosen = {"start_time": SOON, "end_time": LATER, "utc_offset": -180, "class_type": "grupal"}
    shop.store("Hold", user=shop.person(), expires_at=LATER, **chosen)


@pytest.fixture(scope="module", params=BEFORE)
def upgraded(request, django_db_setup, django_db_blocker):
    """What the tables hold after the migrations, by the names of the sales."""
    before = ("bookings", request.param)
    with django_db_blocker.unblock():
        migrate(before)
        try:
            executor = MigrationExecutor(connection)
            nodes = [before, *executor.loader.graph.leaf_nodes("accounts")]
            shop = Shop(executor.loader.project_state(nodes).apps)
            with transaction.atomic():
                sell(shop)
            migrate(*executor.loader.graph.leaf_nodes("bookings"))
            return {"had_ledger": shop.has_ledger, **read(shop.keys)}
        finally:
            empty()
            migrate(*MigrationExecutor(connection).loader.graph.leaf_nodes("bookings"))


def migrate(*targets):
    MigrationExecutor(connection).migrate(list(targets))


def empty():
    # Also the tables of the release before, which no model names.
    tables = set(connection.introspection.table_names()) - KEPT_BY_MIGRATE
    with transaction.atomic(), unguarded(APPEND_ONLY), connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 # our own


def read(keys):
    names = {key: name for name, key in keys.items()}

    def name(purchase):
        of_class = purchase.virtual_class_id if purchase.kind == "class" else None
        return names.get(purchase.pk) or names[of_class]

    purchases = list(Purchase.objects.all())
    found = {"purchases": {name(one): one for one in purchases}, "refunds": set()}
    found["sold"], found["named"] = sorted(map(name, purchases)), sorted(keys)
    for one in Refund.objects.select_related("purchase"):
        kind = (one.way, one.amount, one.status, one.reason, one.done_at)
        found["refunds"].add((name(one.purchase), *kind))
    lines = Entry.objects.select_related("purchase")
    found["entries"] = {
        (name(one.purchase), one.kind, one.way, one.amount, one.is_second) for one in lines
    }
    payments = Payment.objects.select_related("purchase")
    transfers = BankTransfer.objects.select_related("purchase")
    found["payments"] = {name(one.purchase) for one in payments}
    found["transfers"] = {(name(one.purchase), one.state) for one in transfers}
    holds = Hold.objects.select_related("purchase")
    found["holds"] = {(one.purchase and name(one.purchase), one.expires_at) for one in holds}
    return found


@pytest.mark.parametrize(
    ("name", "state", "kept_until", "kept_for"),
    [
        ("online", "kept", SOON, "online"),
        ("by transfer", "kept", LATER, "transfer"),
        ("without a hold", "kept", LONG_AGO, ""),
        ("of a program", "kept", None, ""),
        ("elsewhere", "kept", None, ""),
        ("expired", "kept", LONG_AGO, "online"),
        ("out of time", "lapsed", LONG_AGO, ""),
        ("booked by her", "kept", LATER, ""),
        ("owed", "kept", LONG_AGO, ""),
        ("in cash", "paid", LONG_AGO, ""),
        ("cancelled", "ended", LONG_AGO, ""),
        ("to return", "ended", LONG_AGO, ""),
        ("slot lost", "lost", None, "online"),
        ("held", "kept", SOON, "transfer"),
        ("held and paid", "kept", SOON, "online"),
        ("released", "lapsed", SOON, ""),
        ("taken", "paid", SOON, ""),
        ("left", "ended", SOON, ""),
        ("lost", "lost", SOON, ""),
        ("called off", "ended", SOON, ""),
        ("asked", "kept", SOON, "online"),
        ("unbooked", "paid", None, "online"),
        ("given back", "ended", None, "online"),
    ],
)
def test_state_of_a_sale_is_what_its_class_or_seat_was(upgraded, name, state, kept_until, kept_for):
    purchase = upgraded["purchases"][name]

    assert (purchase.state, purchase.kept_until, purchase.kept_for) == (state, kept_until, kept_for)


def test_each_sale_has_one_purchase_and_a_published_class_has_none(upgraded):
    assert upgraded["sold"] == [name for name in upgraded["named"] if name != "published"]


def test_teacher_s_own_bookings_stay_hers(upgraded):
    hers = {name for name, one in upgraded["purchases"].items() if one.by_teacher}

    assert hers == {"booked by her", "claimed"}


def test_price_discount_and_decision_move_along(upgraded):
    paid, ended = upgraded["purchases"]["in cash"], upgraded["purchases"]["to return"]

    assert (paid.price, paid.discount, paid.paid_at) == (PRICE, 100, NOW)
    assert paid.discount_name == "TEN"
    assert (ended.refund_reason, ended.amount_kept) == ("cancelled", KEPT)


def test_what_goes_back_is_a_refund(upgraded):
    rest = PRICE - KEPT
    if upgraded["had_ledger"]:
        cash = {("cash replaced", "cash", PRICE, "done", "paid_twice", NOW)}
    else:  # 0.1.0 forgot that cash; that of the places got its entries by migration 0006
        cash = {
            ("lost", "cash", PRICE, "requested", "seat_lost", None),
            ("called off", "cash", PRICE, "requested", "below_minimum", None),
        }
    assert upgraded["refunds"] == cash | {
        ("to return", "transfer", rest, "requested", "cancelled", None),
        ("returned", "transfer", rest, "done", "cancelled", NOW),
        ("twice", "transfer", PRICE, "requested", "paid_twice", None),
        ("cash back", "cash", rest, "requested", "cancelled", None),
        ("slot lost", "online", PRICE, "requested", "slot_lost", None),
        ("given back", "online", PRICE, "done", "never_booked", LATER),
    }


def test_payments_transfers_and_holds_name_their_purchase(upgraded):
    assert upgraded["payments"] == {
        "online",
        "elsewhere",
        "expired",
        "cash replaced",
        "slot lost",
        "held and paid",
        "asked",
        "unbooked",
        "given back",
    }
    assert upgraded["transfers"] == {
        ("by transfer", "announced"),
        ("to return", "confirmed"),
        ("returned", "confirmed"),
        ("twice", "confirmed"),
        ("held", "announced"),
    }
    assert upgraded["holds"] == {
        ("online", None),
        ("by transfer", None),
        ("booked by her", None),
        ("asked", None),
        (None, LATER),
    }


def test_sales_of_the_first_release_get_their_entries(upgraded):
    if upgraded["had_ledger"]:
        pytest.skip("It had them.")

    assert upgraded["entries"] == {
        ("in cash", "payment", "cash", PRICE, False),
        ("to return", "payment", "transfer", PRICE, False),
        ("returned", "payment", "transfer", PRICE, False),
        ("returned", "refund", "transfer", KEPT - PRICE, False),
        ("twice", "payment", "cash", PRICE, False),
        ("twice", "payment", "transfer", PRICE, True),
        ("cash back", "payment", "cash", PRICE, False),
        ("cash replaced", "payment", "online", PRICE, True),
        ("slot lost", "payment", "online", PRICE, False),
        ("taken", "payment", "cash", PRICE, False),
        ("lost", "payment", "cash", PRICE, False),
        ("called off", "payment", "cash", PRICE, False),
        ("given back", "payment", "online", PRICE, False),
        ("given back", "refund", "online", -PRICE, False),
    }
