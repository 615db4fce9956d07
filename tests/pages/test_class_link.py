"""``/clase/<token>``: what its bearer reads and pays, and who may claim the class."""

import logging
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.people.claiming import claim_class, replace_link
from bookings.models import BankTransfer, Payment, Purchase, VirtualClass, make_link
from config.monitoring.logs import mask
from tests.factories import TeacherPageFactory, VirtualClassFactory
from tests.pages.links import check_that_it_names_nobody, path_of, text_of
from tests.sales.offers import make_offer
from tests.sales.transfers import take_transfers
from tests.sales.written_down import ADDRESS, START, book_class_for, write_lucia

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucia(db):
    return write_lucia(email=ADDRESS)


@pytest.fixture
def unpaid(lucia, teacher, mercadopago):
    """Lucía's class, to be paid with Mercado Pago."""
    return book_class_for(lucia, teacher)


@pytest.fixture
def make_paid(teacher):
    """Make a paid and scheduled class of a person's, with its link."""

    def make(person):
        paid = VirtualClassFactory(
            booked_by=person,
            scheduled=True,
            paid_at=timezone.now(),
            start_time=START,
            class_type="individual",
            max_participants=1,
        )
        make_link(paid)
        return paid

    return make


@pytest.fixture
def paid(lucia, make_paid):
    return make_paid(lucia)


def test_a_stranger_sees_when_how_long_and_how_much(client, unpaid):
    page = client.get(path_of(unpaid))

    assert page.status_code == 200
    text = text_of(page)
    assert all(one in text for one in ("Clase individual", "60 min", "$ 15.000", "Qué sigue"))
    assert "Pagar con Mercado Pago" in text
    check_that_it_names_nobody(page)


def test_its_address_stays_here(client, unpaid):
    headers = client.get(path_of(unpaid)).headers

    assert "no-store" in headers["Cache-Control"]
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Robots-Tag"] == "noindex, nofollow"


def test_paying_leads_to_the_provider_and_back_to_the_link(client, unpaid, mercadopago):
    away = client.post(path_of(unpaid, "/pagar"))
    payment = Payment.objects.get()
    [preference] = mercadopago.preferences
    way_back = preference["back_urls"]["success"]
    mercadopago.pay(unpaid.preference_id)
    back = client.get(f"/clase/volver/{payment.pk}?status=approved", follow=True)

    assert away.url == payment.checkout_url
    assert way_back.endswith(f"/clase/volver/{payment.pk}")
    assert back.redirect_chain[-1][0] == f"{path_of(unpaid)}?status=approved"
    assert "Tu clase está confirmada" in text_of(back)


def test_a_browser_that_did_not_open_the_link_learns_nothing(client, unpaid, mercadopago):
    mercadopago.pay(unpaid.preference_id)

    page = client.get(f"/clase/volver/{Payment.objects.get().pk}?status=approved")

    assert "abrí de nuevo el enlace" in text_of(page)
    assert "10:00" not in text_of(page)
    check_that_it_names_nobody(page)


def test_the_account_of_the_payment_goes_to_its_own_page(sign_in, host, teacher, mercadopago):
    book_class_for(host, teacher)
    payment = Payment.objects.get()

    back = sign_in(host).get(f"/clase/volver/{payment.pk}?status=approved")

    assert back.url == f"/inicio/pagos/{payment.pk}?status=approved"


@pytest.mark.parametrize("status", ["x", "approved\n"])
def test_an_odd_word_on_the_way_back_is_dropped(client, unpaid, status):
    client.post(path_of(unpaid, "/pagar"))

    back = client.get(f"/clase/volver/{Payment.objects.get().pk}", {"status": status})

    assert back.url == path_of(unpaid)


def test_a_paid_class_shows_the_way_in(client, paid):
    page = client.get(path_of(paid))

    assert paid.html_link in page.content.decode()
    assert "Vas a tener que pedir entrar" in text_of(page)
    assert "Lucía" not in page.content.decode()


def test_its_calendar_file_leads_to_the_link(client, paid):
    file = client.get(path_of(paid, "/clase.ics"))

    unfolded = file.content.decode().replace("\r\n ", "")
    assert file["Content-Type"].startswith("text/calendar")
    assert path_of(paid) in unfolded
    assert f"/inicio/clases/{paid.pk}" not in unfolded


def test_a_lapsed_class_cannot_be_paid(client, unpaid):
    over = timezone.now() - timedelta(minutes=1)
    Purchase.objects.update(kept_until=over)
    Payment.objects.update(expires_at=over)

    page = client.get(path_of(unpaid))
    tried = client.post(path_of(unpaid, "/pagar"))

    assert "Ya no se guarda." in text_of(page)
    assert tried.url == path_of(unpaid)


def test_a_cancelled_class_says_so(client, paid, teacher):
    cancel_class(class_id=paid.pk, actor=teacher)

    page = client.get(path_of(paid))

    assert "Esta clase se canceló" in text_of(page)
    check_that_it_names_nobody(page)


def test_the_bearer_of_a_paid_group_invites_the_others(client, lucia, teacher):
    booked = book_class_for(lucia, teacher, is_paid=True, students=3)

    page = client.get(path_of(booked))

    assert booked.access_code in text_of(page)
    assert f"/inicio/unirse/{booked.access_code}" in page.content.decode()
    check_that_it_names_nobody(page, besides="meet.google.com")


def test_an_unpaid_group_and_a_group_of_an_account_show_no_code(client, lucia, host, teacher):
    unpaid = book_class_for(lucia, teacher, students=3)
    accounts = book_class_for(host, teacher, days=1, is_paid=True, students=3)

    assert "Código de acceso" not in text_of(client.get(path_of(unpaid)))
    assert "Código de acceso" not in text_of(client.get(path_of(accounts)))


def test_a_paid_class_says_how_to_move_or_cancel_it(client, paid, teacher):
    teacher.phone = "0341 15 555-0111"
    teacher.save()
    TeacherPageFactory(contact="both")

    page = client.get(path_of(paid))

    assert "Para eso, guardá la clase en tu cuenta." in text_of(page)
    assert "cambiar el horario hasta el" in text_of(page)
    assert "https://wa.me/5493415550111?text=Hola" in page.content.decode()
    assert f"mailto:{teacher.email}" in page.content.decode()


@pytest.mark.usefixtures("kept_seller")
def test_the_page_costs_the_same_for_one_class_and_for_ten(
    client, lucia, teacher, django_assert_max_num_queries
):
    booked = [book_class_for(lucia, teacher, days=number) for number in range(10)]

    with django_assert_max_num_queries(10):
        client.get(path_of(booked[0]))


# --- By transfer ----------------------------------------------------------------------------------


def test_a_transfer_is_announced_without_an_account(client, lucia, teacher):
    take_transfers()
    booked = book_class_for(lucia, teacher)

    page = client.get(path_of(booked))
    said = client.post(path_of(booked, "/transferencia"), {"operation_number": "98765"})
    after = client.get(path_of(booked))

    assert path_of(booked, "/transferencia") in page.content.decode()
    assert said.url == path_of(booked)
    transfer = BankTransfer.objects.get()
    assert (transfer.purchase, transfer.operation_number) == (booked.purchase, "98765")
    assert "Transferencia avisada" in text_of(after)


@pytest.mark.parametrize("number", ["", "\x00"])
def test_a_transfer_without_its_number_is_not_announced(client, lucia, teacher, number):
    take_transfers()
    booked = book_class_for(lucia, teacher)

    client.post(path_of(booked, "/transferencia"), {"operation_number": number})

    assert not BankTransfer.objects.exists()


def test_a_bearer_announces_nothing_for_an_account(client, host, teacher):
    take_transfers()
    booked = book_class_for(host, teacher)

    client.post(path_of(booked, "/transferencia"), {"operation_number": "98765"})

    assert not BankTransfer.objects.exists()


# --- Claiming it for an account -------------------------------------------------------------------


@pytest.fixture
def of_account(host, make_paid):
    """A paid class of Ana's, who has an account."""
    return make_paid(host)


def test_only_the_account_sees_more(client, sign_in, of_account, host, student):
    for bearer in (client, sign_in(student)):
        page = bearer.get(path_of(of_account))
        assert "Tu clase está confirmada" in text_of(page)
        # A whole word: the address of the link is random.
        assert not re.search(rf"\bAna\b|{host.email}|meet.google", page.content.decode())
        assert bearer.get(path_of(of_account, "/clase.ics")).status_code == 404

    assert sign_in(host).get(path_of(of_account)).url == f"/inicio/clases/{of_account.pk}"


def test_signing_in_leads_back_to_the_link(client, unpaid):
    page = client.get(path_of(unpaid)).content.decode()

    assert f'name="callbackUrl" value="{path_of(unpaid)}"' in page


def test_it_is_mine_puts_the_class_into_the_account(sign_in, unpaid, host):
    mine = sign_in(host)
    assert "Es mía" in text_of(mine.get(path_of(unpaid)))

    claimed = mine.post(path_of(unpaid, "/tomar"), follow=True)

    assert claimed.redirect_chain[-1][0] == f"/inicio/clases/{unpaid.pk}"
    assert "Listo: la clase está en tu cuenta." in text_of(claimed)
    assert VirtualClass.objects.get().booked_by == host


def test_a_stranger_claims_nothing(client, unpaid, lucia):
    assert client.post(path_of(unpaid, "/tomar")).url == path_of(unpaid)
    assert VirtualClass.objects.get().booked_by == lucia


def test_the_teacher_sees_what_her_student_sees(panel_client, unpaid, lucia):
    page = text_of(panel_client.get(path_of(unpaid)))
    panel_client.post(path_of(unpaid, "/tomar"))

    assert "Así la ve tu estudiante" in page
    assert VirtualClass.objects.get().booked_by == lucia


@pytest.fixture
def panel_client(sign_in, teacher):
    return sign_in(teacher)


def test_the_home_offers_the_class_to_the_owner_of_the_address(sign_in, unpaid, host, lucia):
    host.email = ADDRESS
    host.save()
    mine = sign_in(host)

    assert "Tu profe te reservó una clase" in text_of(mine.get("/inicio"))
    mine.post(f"/inicio/clases/tomar/{lucia.pk}")

    assert VirtualClass.objects.get().booked_by == host
    assert "te reservó" not in text_of(mine.get("/inicio"))


def test_the_home_offers_nothing_to_others(sign_in, unpaid, host, lucia):
    other = sign_in(host)

    assert "te reservó" not in text_of(other.get("/inicio"))
    other.post(f"/inicio/clases/tomar/{lucia.pk}")
    assert VirtualClass.objects.get().booked_by == lucia


@pytest.mark.parametrize("is_listed", [True, False])
def test_the_key_of_a_hidden_offer_is_not_shown(client, sign_in, unpaid, host, is_listed):
    offer = make_offer(is_listed=is_listed)
    VirtualClass.objects.update(offer=offer)

    assert (offer.key in client.get(path_of(unpaid)).content.decode()) == is_listed
    mine = sign_in(host)
    mine.post(path_of(unpaid, "/tomar"))
    assert (offer.key in mine.get(f"/inicio/clases/{unpaid.pk}").content.decode()) == is_listed


# --- Links that do not serve: what to do, and nothing about the first owner -----------------------


def test_a_claimed_link_says_nothing_to_others(client, sign_in, paid, host, student, teacher):
    path = path_of(paid)
    claim_class(user=host, token=path.removeprefix("/clase/"))

    for bearer in (client, sign_in(student), sign_in(teacher)):
        page = bearer.get(path)
        assert page.status_code == 410
        assert "Esta clase ya está en una cuenta" in text_of(page)
        check_that_it_names_nobody(page)
        secrets = (host.name, host.email, paid.access_code, str(paid.pk))
        assert not [one for one in secrets if one in page.content.decode()]
        for step in ("/pagar", "/tomar"):
            assert bearer.post(f"{path}{step}").url == path
        assert bearer.get(f"{path}/clase.ics").status_code == 404

    assert sign_in(host).get(path).url == f"/inicio/clases/{paid.pk}"


def test_a_replaced_link_says_where_the_new_one_is(client, paid, teacher):
    path = path_of(paid)
    replace_link(class_id=paid.pk, by=teacher)

    page = client.get(path)

    assert page.status_code == 410
    assert "Buscá el último que te mandó" in text_of(page)
    check_that_it_names_nobody(page)
    assert client.get(path_of(paid)).status_code == 200


def test_the_link_of_a_class_that_is_over_says_so(client, paid):
    hour = timedelta(hours=1)
    path, now = path_of(paid), timezone.now()
    VirtualClass.objects.update(start_time=now - 2 * hour, end_time=now - hour)

    page = client.get(path)

    assert page.status_code == 410
    assert "Esta clase ya terminó" in text_of(page)
    check_that_it_names_nobody(page)


@pytest.mark.parametrize("token", ["x", "%00", "ñandú", "0" * 32 + "." + "A" * 43])
def test_garbage_is_said_to_be_incomplete(client, db, token):
    page = client.get(f"/clase/{token}")

    assert page.status_code == 404
    for step in ("/pagar", "/tomar"):
        assert client.post(f"/clase/{token}{step}").status_code in {302, 404}


def test_no_log_holds_a_token(client, paid, teacher, caplog):
    caplog.set_level(logging.DEBUG)
    path = path_of(paid)
    client.get(path)
    replace_link(class_id=paid.pk, by=teacher)
    client.get(path)
    client.get(f"/inicio?callbackUrl={path}")

    assert path.removeprefix("/clase/") not in mask(caplog.text)
    assert mask(f"GET {path} 410") == "GET /clase/*** 410"
    assert mask("callbackUrl=%2Fclase%2Fabc.def") == "callbackUrl=%2Fclase%2F***"
    assert mask("/inicio/clases/5") == "/inicio/clases/5"


@pytest.mark.parametrize(
    "address",
    ["{path}/clase.ics", "{path}/otra/cosa", "/clase/volver/00000000-0000-4000-8000-000000000000"],
)
def test_a_page_that_is_missing_below_a_link_is_not_stored_either(client, unpaid, address):
    missing = client.get(address.format(path=path_of(unpaid)))

    assert missing.status_code == 404
    assert "no-store" in missing.headers["Cache-Control"]
    assert missing.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert missing.headers["Referrer-Policy"] == "same-origin"
