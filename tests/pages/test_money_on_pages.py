"""What home, classes and places say while money is awaited, and to a person who bought a place."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.sales.buying import pay_place_by_hand
from bookings.models import (
    BookingRules,
    ClassStatus,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from tests.factories import (
    BankTransferFactory,
    HoldFactory,
    OpenClassFactory,
    PaymentFactory,
    PlaceFactory,
    VirtualClassFactory,
)
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import plain_text_of, text_of

pytestmark = pytest.mark.usefixtures("agenda")

LATER = NOW + timedelta(hours=1)
LISTS = ["/inicio", "/inicio/clases"]


@pytest.fixture(autouse=True)
def _account(agenda):
    account = {"transfer_alias": "clases.con.paula"}
    BookingRules.objects.update_or_create(pk=BookingRules.SINGLETON, defaults=account)


@pytest.fixture
def ana(host, sign_in):
    return sign_in(host)


@pytest.fixture
def unpaid(host) -> Purchase:
    """Ana's class, kept for an hour."""
    booked = VirtualClassFactory(
        booked_by=host, start_time=tuesday("10:00"), has_preference=False, kept_until=LATER
    )
    HoldFactory(purchase=booked.purchase)
    return booked.purchase


@pytest.fixture
def place(host, teacher) -> Purchase:
    """Ana's place in the teacher's group, kept for an hour."""
    group = VirtualClassFactory(
        is_sold=False,
        scheduled=True,
        booked_by=teacher,
        start_time=tuesday("10:00", weeks=1),
        max_participants=7,
        class_price=0,
    )
    open_class = OpenClassFactory(virtual_class=group)
    return PlaceFactory(open_class=open_class, person=host, kept_until=LATER)


def let_announce(purchase: Purchase) -> None:
    BankTransferFactory(purchase=purchase, operation_number="12345678")


def let_choose_cash(purchase: Purchase) -> None:
    """Let the buyer get a coupon from the provider, and leave it unpaid."""
    payment = PaymentFactory(
        purchase=purchase,
        preference_id="1",
        checkout_url="https://pay.example/1",
        status=PaymentStatus.PENDING,
        expires_at=LATER,
    )
    PaymentCharge.objects.create(
        provider="mercadopago",
        payment=payment,
        charge_id="1",
        status="pending",
        amount=purchase.price,
        currency="ARS",
        account_id="1",
        provider_updated_at=timezone.now(),
    )


AWAITED = [(let_announce, "Transferencia avisada"), (let_choose_cash, "Pago pendiente")]
awaited = pytest.mark.parametrize(("let_pay", "badge"), AWAITED, ids=["announced", "coupon"])


def page_of(client, purchase: Purchase) -> str:
    if purchase.is_place:
        return plain_text_of(client.get(reverse("bookings:place", args=[purchase.pk])))
    return plain_text_of(client.get(reverse("bookings:class", args=[purchase.virtual_class_id])))


# --- A place that is not taken yet ----------------------------------------------------------------


def test_the_page_where_a_place_is_paid_says_what_comes_back(ana, place):
    page = plain_text_of(ana.get(reverse("bookings:place", args=[place.pk])))

    assert "Si dejás tu lugar hasta el" in page
    assert "Si tu profe cancela la clase, te devolvemos todo." in page


@pytest.mark.parametrize("address", LISTS)
def test_a_kept_place_is_listed_like_a_class(ana, place, address):
    page = ana.get(address)

    assert "Conversación B1" in plain_text_of(page)
    assert "Por pagar" in plain_text_of(page)
    assert f'href="{reverse("bookings:place", args=[place.pk])}"' in page.text
    assert "Todavía no tenés clases por delante" not in plain_text_of(page)


@awaited
@pytest.mark.parametrize("address", LISTS)
def test_a_place_stays_listed_while_its_money_is_awaited(ana, place, address, let_pay, badge):
    let_pay(place)
    Purchase.objects.update(kept_until=NOW)

    page = ana.get(address)

    assert badge in plain_text_of(page)
    assert f'href="{reverse("bookings:place", args=[place.pk])}"' in page.text


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize("state", ["lapsed", "ended", "cancelled", "foreign"])
def test_a_place_that_nobody_keeps_is_not_listed(ana, student, place, address, state):
    if state == "lapsed":
        Purchase.objects.update(kept_until=NOW)
    elif state == "ended":
        Purchase.objects.update(state=PurchaseState.ENDED)
    elif state == "cancelled":
        VirtualClass.objects.update(status=ClassStatus.CANCELLED)
    else:
        Purchase.objects.update(person=student)

    assert reverse("bookings:place", args=[place.pk]) not in ana.get(address).text


def test_lists_cost_the_same_for_many_places(ana, host, place, django_assert_max_num_queries):
    for _ in range(5):
        let_announce(PlaceFactory(person=host, kept_until=LATER))

    with django_assert_max_num_queries(12):
        ana.get("/inicio/clases")


# --- Nobody is asked to pay twice -----------------------------------------------------------------


@awaited
@pytest.mark.parametrize("bought", ["unpaid", "place"])
def test_what_is_awaited_asks_for_no_payment(ana, request, bought, let_pay, badge):
    purchase = request.getfixturevalue(bought)
    let_pay(purchase)

    pages = [plain_text_of(ana.get(address)) for address in LISTS]
    page = page_of(ana, purchase)

    assert [badge in one for one in pages] == [True, True]
    asking = "Pagar antes de|Por pagar|Ya transferí|Pagar con Mercado Pago|Alias o CBU"
    assert [re.findall(asking, one) for one in [*pages, page]] == [[], [], []]


@awaited
def test_the_open_class_leads_to_the_place_instead_of_the_checkout(ana, place, let_pay, badge):
    let_pay(place)
    address = reverse("bookings:open_class", args=[place.virtual_class_id])

    page = plain_text_of(ana.get(address))
    answer = ana.post(f"{address}/reservar", {"seen": place.price})

    assert (badge in page, "Falta pagar" in page) == (True, False)
    assert answer["Location"] == reverse("bookings:place", args=[place.pk])


# --- Cancelling -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", ["asked", "cancelled"])
def test_cancelling_names_the_announced_transfer(ana, unpaid, shown):
    let_announce(unpaid)
    address = reverse("bookings:cancel", args=[unpaid.virtual_class_id])

    if shown == "asked":
        page = text_of(ana.get(address))
    else:
        page = text_of(ana.post(address, follow=True))

    assert "Avisaste $ 15.000, operación 12345678: si llegó, tu profe te lo devuelve." in page
    assert "No pagaste nada" not in page


def test_cancelling_says_what_becomes_of_a_coupon(ana, unpaid):
    let_choose_cash(unpaid)

    page = plain_text_of(ana.get(reverse("bookings:cancel", args=[unpaid.virtual_class_id])))

    assert "Si ya lo pagaste, te devolvemos $ 15.000." in page
    assert "No pagaste nada" not in page


# --- The buyer of a place -------------------------------------------------------------------------


@pytest.fixture
def taken(place, teacher) -> Purchase:
    return pay_place_by_hand(purchase_id=place.pk, actor=teacher)


def test_the_buyer_of_a_place_was_not_invited_and_reads_who_is_missing(ana, taken):
    pages = [page_of_class(ana, taken), plain_text_of(ana.get("/inicio"))]

    for page in pages:
        assert "te invitó" not in page
        assert "Tu lugar está pago" in page
        assert "Se da con 3 personas. Faltan 2. Se decide el" in page
    assert "Confirmada" not in pages[0]


@pytest.mark.parametrize("price", [800_000, 0], ids=["paid", "free"])
def test_enough_people_are_no_confirmation_before_the_decision(ana, taken, price):
    Purchase.objects.update(price=price)
    VirtualClass.objects.update(current_participants=4)
    addresses = ["/inicio", reverse("bookings:place", args=[taken.pk])]
    pages = [page_of_class(ana, taken), *(plain_text_of(ana.get(one)) for one in addresses)]
    taken.virtual_class.open_class.decision = "goes_on"
    taken.virtual_class.open_class.save()

    decided = page_of_class(ana, taken)

    for page in pages:
        assert "Por ahora hay suficientes. Se decide el" in page
        assert "Confirmada" not in page
    assert "Se decide el" not in decided
    assert "Confirmada" in decided


def page_of_class(client, purchase: Purchase) -> str:
    return plain_text_of(client.get(reverse("bookings:class", args=[purchase.virtual_class_id])))
