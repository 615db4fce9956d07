"""``/clase/<token>``: what its bearer reads and pays without an account."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.people.claiming import claim_class
from bookings.domain.sales.transfers import confirm_transfer
from bookings.models import BankTransfer, Payment, Purchase, VirtualClass
from tests.pages.class_link.links import check_that_it_names_nobody, path_of, text_of
from tests.sales.transfers import take_transfers
from tests.sales.written_down import book_class_for

pytestmark = pytest.mark.django_db


def test_a_stranger_sees_when_how_long_and_how_much(client, unpaid):
    page = client.get(path_of(unpaid))

    assert page.status_code == 200
    text = text_of(page)
    assert all(one in text for one in ("Clase individual", "60 min", "$ 15.000", "Qué sigue"))
    assert "sin crear una cuenta acá" in text
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


@pytest.mark.parametrize("status", ["x", "approved\n", "%00"])
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


def test_an_unpaid_class_has_no_file(client, unpaid):
    assert client.get(path_of(unpaid, "/clase.ics")).status_code == 404


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

    page = client.get(path_of(paid))

    assert "Para eso, guardá la clase en tu cuenta, o escribile a" in text_of(page)
    assert "cambiar el horario hasta el" in text_of(page)
    assert "https://wa.me/5493415550111?text=Hola" in page.content.decode()
    assert f"mailto:{teacher.email}" in page.content.decode()


def test_after_the_deadline_only_the_teacher_changes_it(client, paid):
    hour, now = timedelta(hours=1), timezone.now()
    VirtualClass.objects.update(start_time=now + hour, end_time=now + 2 * hour)

    page = text_of(client.get(path_of(paid)))

    assert "Ahora solo puede hacerlo la profe." in page
    assert "guardá la clase en tu cuenta" not in page
    assert "Escribirle por WhatsApp" not in page  # she gave no number


def test_while_a_payment_is_under_way_no_second_way_is_offered(client, unpaid, mercadopago):
    take_transfers()
    mercadopago.pay(unpaid.preference_id, status="in_process")

    page = text_of(client.get(path_of(unpaid)))

    assert "Pagar con Mercado Pago" not in page
    assert "Alias o CBU" not in page


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


def test_a_transfer_follows_its_class_into_an_account(client, lucia, host, teacher):
    take_transfers()
    booked = book_class_for(lucia, teacher)
    client.post(path_of(booked, "/transferencia"), {"operation_number": "98765"})
    claim_class(user=host, token=path_of(booked).removeprefix("/clase/"))

    confirm_transfer(transfer_id=BankTransfer.objects.get().pk, actor=teacher)

    booked.refresh_from_db()
    assert (booked.booked_by, booked.is_scheduled) == (host, True)
    assert BankTransfer.objects.get().purchase.person == host


@pytest.mark.parametrize("number", ["", "x" * 99, "\x00"])
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
