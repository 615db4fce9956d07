"""``/clases-abiertas`` and ``/inicio/lugares``: what everybody sees, and what a student does."""

import json
import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.models import (
    Notice,
    NoticeKind,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.notices.rendering import render_mail
from tests.discount_codes import DiscountCodeFactory
from tests.factories import OpenClassFactory, UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.sales.open_classes import (
    PRICE,
    expire,
    hold,
    in_days,
    look,
    pay,
    publish,
    read,
)
from tests.standins import Fault

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_class(mercadopago, teacher):
    """Six places next week at $ 8.000 each; it goes on from three."""
    booked = VirtualClassFactory(
        scheduled=True,
        is_sold=False,
        booked_by=teacher,
        start_time=in_days(7),
        max_participants=7,
        class_price=0,
        has_preference=False,
    )
    return OpenClassFactory(
        virtual_class=booked, place_price=PRICE, text="Charlamos.", level="intermedio"
    )


@pytest.fixture
def ana(sign_in, host):
    return sign_in(host)


def page_of(open_class):
    return reverse("bookings:open_class", args=[open_class.pk])


def reserve(client, open_class, **fields):
    address = reverse("bookings:reserve_place", args=[open_class.pk])
    return client.post(address, {"seen": PRICE, **fields})


def events_of(response):
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', response.text)
    return json.loads(found[1])["@graph"]


# --- For everybody -------------------------------------------------------------------------------


def test_the_list_shows_price_and_places_left(client, open_class):
    hold(open_class)

    page = plain_text_of(client.get("/clases-abiertas"))

    assert "Conversación B1" in page
    assert "$ 8.000 Quedan 5 lugares" in page


def test_an_english_page_has_the_english_title_and_text(client, open_class):
    client.cookies["language"] = "en"
    type(open_class).objects.update(title_en="B1 conversation", text_en="We talk.")

    pages = [client.get("/clases-abiertas"), client.get(page_of(open_class))]

    assert ["B1 conversation" in plain_text_of(page) for page in pages] == [True, True]
    assert ["Conversación" in page.text for page in pages] == [False, False]
    assert [events_of(page)[0]["description"] for page in pages] == ["We talk."] * 2


def test_english_mails_and_the_page_of_the_class_have_the_english_title(
    mercadopago, sign_in, open_class
):
    type(open_class).objects.update(title_en="B1 conversation")
    ana = UserFactory(language="en")
    pay(mercadopago, hold(open_class, ana))
    booked = VirtualClass.objects.get(pk=open_class.pk)
    notice = Notice(user=ana, virtual_class=booked, kind=NoticeKind.JOINED)

    told = [
        render_mail(notice).body,
        plain_text_of(sign_in(ana).get(reverse("bookings:class", args=[open_class.pk]))),
    ]

    assert ["B1 conversation" in text for text in told] == [True, True]
    assert ["Conversación" in text for text in told] == [False, False]


def test_an_english_page_has_the_spanish_title_and_text_where_she_wrote_no_other(
    client, open_class
):
    client.cookies["language"] = "en"

    page = plain_text_of(client.get(page_of(open_class)))

    assert "Conversación B1" in page
    assert "Charlamos." in page


@pytest.mark.parametrize("hidden", ["is_listed", "cancelled", "begun"])
def test_the_list_leaves_out_what_nobody_can_reserve(client, open_class, teacher, hidden):
    if hidden == "is_listed":
        open_class.is_listed = False
        open_class.save()
    elif hidden == "cancelled":
        cancel_class(class_id=open_class.pk, actor=teacher)
    else:
        VirtualClass.objects.update(start_time=timezone.now() - timedelta(minutes=1))

    assert "Por ahora no hay ninguna" in plain_text_of(client.get("/clases-abiertas"))
    assert client.get(page_of(open_class)).status_code == 200


def test_the_list_costs_the_same_for_three_classes(
    host, sign_in, open_class, teacher, django_assert_num_queries
):
    client, address = sign_in(host), "/clases-abiertas"
    client.get(address)
    with django_assert_num_queries(3) as first:
        client.get(address)
    for days in (8, 9):
        publish(teacher, start=timezone.now() + timedelta(days=days))

    with django_assert_num_queries(len(first)):
        client.get(address)


def test_search_engines_read_event_offer_and_places(client, open_class):
    hold(open_class)

    [event] = events_of(client.get(page_of(open_class)))

    address = f"http://localhost:8000{page_of(open_class)}"
    assert event["@type"] == "EducationEvent"
    assert event["name"] == "Conversación B1"
    assert event["@id"].endswith(page_of(open_class))
    assert (event["maximumAttendeeCapacity"], event["remainingAttendeeCapacity"]) == (6, 5)
    assert event["offers"] == {
        "@type": "Offer",
        "price": "8000.00",
        "priceCurrency": "ARS",
        "availability": "https://schema.org/InStock",
        "url": event["@id"],
    }
    assert address.endswith(page_of(open_class))


def test_a_class_by_its_link_only_is_not_for_search_engines(client, open_class):
    open_class.is_listed = False
    open_class.save()

    page = client.get(page_of(open_class)).text

    assert '<meta name="robots" content="noindex">' in page
    assert "ld+json" not in page


def test_a_stranger_reserves_signs_in_and_is_at_the_checkout(client, host, open_class):
    sign_in = reserve(client, open_class)["Location"]
    go_on = parse_qs(urlsplit(sign_in).query)["callbackUrl"][0]
    page = plain_text_of(client.get(sign_in))
    client.force_login(host)

    checkout = client.get(go_on)
    again = client.get(go_on)

    assert "Conversación B1" in page
    assert "Ingresá y te lo guardamos." in page
    place = Purchase.objects.get(person=host)
    assert checkout["Location"] == place.find_payment().checkout_url
    assert again["Location"] == page_of(open_class)


def test_a_stranger_types_a_discount_code_once(client, host, open_class):
    DiscountCodeFactory(code="MITAD", percent=50)
    sign_in = reserve(client, open_class, code="MITAD", apply="1")["Location"]
    client.force_login(host)

    page = plain_text_of(client.get(parse_qs(urlsplit(sign_in).query)["callbackUrl"][0]))

    assert "MITAD: 50 % menos" in page
    assert not Purchase.objects.exists()


def test_a_link_from_elsewhere_reserves_nothing(ana, open_class):
    answer = ana.get(reverse("bookings:keep_place", args=[open_class.pk]))

    assert answer["Location"] == page_of(open_class)
    assert not Purchase.objects.exists()


# --- Reserving -----------------------------------------------------------------------------------


def test_reserving_leads_to_the_checkout(ana, host, open_class):
    answer = reserve(ana, open_class)

    place = Purchase.objects.get(person=host)
    assert answer.status_code == 303
    assert answer["Location"] == place.payment.checkout_url
    assert "Ver mi lugar" in plain_text_of(ana.get(page_of(open_class)))


def test_a_free_place_is_taken_at_once(ana, mercadopago, teacher):
    open_class = publish(teacher, place_price=0)

    answer = reserve(ana, open_class, seen=0)

    assert answer["Location"] == reverse("bookings:class", args=[open_class.pk])
    assert "Conversación B1" in plain_text_of(ana.get(answer["Location"]))


@pytest.mark.parametrize("seen", ["1", "", "x", "9" * 40])
def test_another_price_than_the_one_shown_keeps_nothing(ana, open_class, seen):
    answer = reserve(ana, open_class, seen=seen)

    assert answer.status_code in {200, 303}
    assert Purchase.objects.exists() == (answer.status_code == 303)
    assert not Purchase.objects.exclude(price=PRICE).exists()


def test_the_provider_is_down(ana, mercadopago, open_class):
    mercadopago.fault("preferences.create", *[Fault.status(500)] * 9)

    page = plain_text_of(reserve(ana, open_class))

    assert "El medio de pago no responde" in page
    assert not Purchase.objects.filter(state=PurchaseState.KEPT).exists()


def test_another_price_than_the_held_places_leads_to_the_place(mercadopago, ana, open_class):
    """The page of another tab shows a price that the held place does not have."""
    reserve(ana, open_class, seen=PRICE)

    answer = reserve(ana, open_class, seen=PRICE // 2)

    assert answer.url == reverse("bookings:place", args=[Purchase.objects.get().pk])


def keep_place(mercadopago, open_class, person):
    hold(open_class, person)


def await_money(mercadopago, open_class, person):
    expire(pay(mercadopago, hold(open_class, person), status="pending"))


def pay_place(mercadopago, open_class, person):
    pay(mercadopago, hold(open_class, person))


@pytest.mark.parametrize("act", [keep_place, await_money, pay_place])
def test_the_first_page_leaves_out_the_classes_that_the_reader_is_in_or_pays(
    ana, host, mercadopago, open_class, act
):
    def offered():
        return [card.open_class.pk for card in ana.get("/inicio").context["open_classes"]]

    before = offered()
    act(mercadopago, open_class, host)

    assert before == [open_class.pk]
    assert offered() == []


def test_the_host_goes_to_the_panel(sign_in, teacher, open_class):
    page = sign_in(teacher).get(page_of(open_class))

    assert reverse("admin:class_sheet", args=[open_class.pk]) in page.text


# --- The place ------------------------------------------------------------------------------------


def place_page(client, place, **query):
    return plain_text_of(client.get(reverse("bookings:place", args=[place.pk]), query))


def test_a_held_place_can_be_paid_or_released(ana, host, open_class):
    place = hold(open_class, host)

    assert "Falta pagar $ 8.000." in place_page(ana, place)
    ana.post(reverse("bookings:release_place", args=[place.pk]))

    assert read(place).state == PurchaseState.LAPSED
    assert "Ya no se guarda." in place_page(ana, place)


def test_after_paying_the_class_is_among_hers(ana, host, mercadopago, open_class):
    place = hold(open_class, host)
    mercadopago.pay(place.payment.preference_id)

    page = ana.get(reverse("bookings:payment", args=[place.payment.pk]), {"status": "approved"})
    assert page["Location"].startswith(reverse("bookings:place", args=[place.pk]))
    assert "Tu lugar está pago" in plain_text_of(ana.get(page["Location"]))

    assert "Conversación B1" in plain_text_of(ana.get("/inicio/clases"))
    assert "Tu lugar $ 8.000" in plain_text_of(ana.get(f"/inicio/clases/{open_class.pk}"))


@pytest.mark.parametrize("status", ["pending", "rejected"])
def test_an_open_payment_says_how_it_stands(ana, host, mercadopago, open_class, status):
    place = hold(open_class, host)
    mercadopago.pay(place.payment.preference_id, status)
    look(place)

    titles = {"pending": "Pago pendiente", "rejected": "Pago rechazado"}
    assert titles[status] in place_page(ana, place)


def test_a_place_is_its_persons_only(sign_in, stranger, host, open_class):
    place = hold(open_class, host)
    client = sign_in(stranger)

    shown = client.get(reverse("bookings:place", args=[place.pk]))
    released = client.post(reverse("bookings:release_place", args=[place.pk]))

    assert (shown.status_code, released.status_code) == (404, 404)
    assert read(place).state == PurchaseState.KEPT


# --- A discount code ------------------------------------------------------------------------------


@pytest.fixture
def reserve_with_code(mercadopago, sign_in, host):
    """Send the form of an open class with the code AMIGA, which takes half of its price."""
    DiscountCodeFactory(code="AMIGA", percent=50)
    address = reverse("bookings:reserve_place", args=[OpenClassFactory(place_price=PRICE).pk])
    return lambda **fields: sign_in(host).post(address, {"seen": PRICE, **fields})


def test_a_code_is_shown_before_anything_is_kept(reserve_with_code):
    shown = reserve_with_code(code="amiga", apply="1")
    assert "$ 4.000" in plain_text_of(shown)
    assert not Purchase.objects.exists()
    reserve_with_code(code="amiga", seen=PRICE // 2)

    place = Purchase.objects.get()
    assert (place.price, place.discount, place.payment.amount) == (
        PRICE // 2,
        PRICE // 2,
        PRICE // 2,
    )


def test_an_unknown_code_is_refused(reserve_with_code):
    page = plain_text_of(reserve_with_code(code="nada"))

    assert "Ese código no existe, ya se usó o ya no vale." in page
    assert not Purchase.objects.exists()


@pytest.mark.parametrize("seen", [PRICE, PRICE // 2])
def test_an_empty_code_that_is_applied_shows_the_list_price(reserve_with_code, seen):
    page = plain_text_of(reserve_with_code(code="", apply="1", seen=seen))

    assert "$ 8.000" in page
    assert not Purchase.objects.exists()


def test_a_code_that_was_stopped_meanwhile_is_refused_at_the_list_price(reserve_with_code):
    DiscountCode.objects.update(is_active=False)

    page = plain_text_of(reserve_with_code(code="amiga", seen=PRICE // 2))

    assert "Ese código no existe, ya se usó o ya no vale." in page
    assert "$ 4.000" not in page
    assert not Purchase.objects.exists()
