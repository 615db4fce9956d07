"""What moves money or data out of the panel wants a fresh sign-in."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from accounts.models import User, UserStatus
from bookings.domain.checkout.settling import settle
from bookings.models import ClassStatus, Refund, VirtualClass, WebhookEndpoint
from tests.accounts.flows import sign_in as go_through_google
from tests.admin.steps import address_of, confirm, list_of, look, look_at_several, seen_on
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.environment import TEACHER_EMAIL
from tests.factories import VirtualClassFactory
from tests.payments import make_payment

pytestmark = pytest.mark.django_db

ELEVEN_MINUTES = timedelta(minutes=11)
EXPORT = "/admin/bookings/payment/exportar/"


@pytest.fixture
def stale(google, client, time_machine):
    """The teacher's client, eleven minutes after she signed in."""
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)
    go_through_google(client, "google", TEACHER_EMAIL)
    time_machine.shift(ELEVEN_MINUTES)
    return client


@pytest.fixture
def paid(stale, mercadopago, host):
    """Ana's payment of a class, at the provider as well."""
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    payment.refresh_from_db()
    return payment


def asked_for(response) -> str | None:
    """Return the page to come back to, if the answer asks for a fresh sign-in."""
    parts = urlsplit(response.get("Location", ""))
    if (response.status_code, parts.path) != (303, "/inicio/confirmar"):
        return None
    return parse_qs(parts.query)["next"][0]


def test_export_of_payments_wants_a_fresh_sign_in(stale):
    refused = stale.get(f"{EXPORT}?status=approved")
    back = go_through_google(
        stale, "google", TEACHER_EMAIL, process="confirm", callbackUrl=asked_for(refused)
    )

    assert asked_for(refused) == f"{EXPORT}?status=approved"
    assert back["Location"] == f"{EXPORT}?status=approved"
    assert stale.get(EXPORT)["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize("page", ["export", "erase"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_person_s_data_wants_a_fresh_sign_in(stale, student, page, method):
    export = reverse("admin:accounts_user_export", args=[student.pk])
    address = export if page == "export" else address_of(student, "borrar")

    response = getattr(stale, method)(address, headers={"referer": f"http://testserver{address}"})

    assert asked_for(response) == address
    assert User.objects.get(pk=student.pk).status == UserStatus.ACTIVE
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("name", ["devolver-todo", "devolver"])
def test_refund_wants_a_fresh_sign_in(stale, paid, name, method):
    address = address_of(paid, name)

    response = getattr(stale, method)(address)

    assert asked_for(response) == address
    assert not Refund.objects.exists()
    assert not LogEntry.objects.exists()
    assert stale.get(reverse("admin:bookings_payment_change", args=[paid.pk])).status_code == 200


@pytest.mark.parametrize("method", ["get", "post"])
def test_cancelling_wants_a_fresh_sign_in_when_money_goes_back(stale, paid, method):
    address = address_of(paid.virtual_class, "cancelar")

    response = getattr(stale, method)(address)

    assert asked_for(response) == address
    assert is_untouched(paid)


def test_a_confirmation_that_comes_too_late_cancels_nothing(stale, paid, time_machine):
    address = address_of(paid.virtual_class, "cancelar")
    go_through_google(stale, "google", TEACHER_EMAIL, process="confirm", callbackUrl=address)
    seen = seen_on(look(stale, paid.virtual_class, "cancelar"))
    time_machine.shift(ELEVEN_MINUTES)

    response = stale.post(address, {"seen": seen})

    assert seen
    assert asked_for(response) == address
    assert is_untouched(paid)


def confirm_identity(client, page):
    """Sign in again as the page asks for it."""
    go_through_google(client, "google", TEACHER_EMAIL, process="confirm", callbackUrl=page)


def test_a_confirmation_of_several_that_comes_too_late_cancels_nothing(stale, paid, time_machine):
    rows = [VirtualClassFactory(), paid.virtual_class]
    confirm_identity(stale, list_of(rows[0]))
    seen = seen_on(look_at_several(stale, rows, "cancelar"))
    time_machine.shift(ELEVEN_MINUTES)
    chosen = {"action": "cancelar", "_selected_action": [str(row.pk) for row in rows]}

    response = stale.post(list_of(rows[0]), {**chosen, "seen": seen})

    assert seen
    assert asked_for(response) == list_of(rows[0])
    assert is_untouched(paid)
    assert not VirtualClass.objects.filter(status=ClassStatus.CANCELLED).exists()


@pytest.mark.parametrize("name", ["devolver-todo", "devolver", "borrar"])
def test_a_confirmation_that_comes_too_late_does_nothing(stale, paid, student, time_machine, name):
    row = student if name == "borrar" else paid
    given = {"charge": paid.charges.get().pk, "amount": "100"} if name == "devolver" else {}
    confirm_identity(stale, address_of(row, name))
    seen = seen_on(look(stale, row, name, **given))
    time_machine.shift(ELEVEN_MINUTES)

    response = stale.post(address_of(row, name), {**given, "seen": seen})

    assert seen
    assert asked_for(response) == address_of(row, name)
    assert is_untouched(paid)
    assert User.objects.get(pk=student.pk).status == UserStatus.ACTIVE


@pytest.mark.parametrize("minutes", [9, 11], ids=["fresh", "aged"])
def test_a_refund_is_confirmed_within_ten_minutes_of_the_sign_in(
    stale, paid, time_machine, minutes
):
    address = address_of(paid, "devolver-todo")
    confirm_identity(stale, address)
    seen = seen_on(look(stale, paid, "devolver-todo"))
    time_machine.shift(timedelta(minutes=minutes))

    stale.post(address, {"seen": seen})

    assert Refund.objects.exists() == (minutes < 10)


def test_cancelling_several_leads_back_to_the_list(stale, paid):
    unpaid = VirtualClassFactory()

    response = look_at_several(stale, [unpaid, paid.virtual_class], "cancelar")
    page = stale.get(response["Location"]).content.decode()

    assert asked_for(response) == list_of(unpaid)
    assert "Se devuelve dinero: después de ingresar, elegí las filas de nuevo." in page
    assert is_untouched(paid)


def test_cancelling_without_a_refund_wants_no_fresh_sign_in(stale):
    unpaid = VirtualClassFactory()

    confirm(stale, unpaid, "cancelar")

    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_taking_the_time_of_a_paid_class_wants_a_fresh_sign_in(stale, paid, student):
    awaiting = paid.virtual_class
    awaiting.status, awaiting.scheduling_requested_at = ClassStatus.PENDING, timezone.now()
    awaiting.save()
    start = awaiting.start_time + timedelta(hours=3)
    moved = VirtualClassFactory(booked_by=student, scheduled=True, start_time=start)
    wanted = timezone.localtime(awaiting.start_time)
    form = {"day": f"{wanted:%Y-%m-%d}", "clock": f"{wanted:%H:%M}"}

    asked = look(stale, moved, "mover", **form)
    response = look(stale, moved, "mover", **form, displaces=f"{awaiting.pk}")

    assert asked.status_code == 200
    assert asked_for(response) == address_of(moved, "mover")
    assert VirtualClass.objects.get(pk=moved.pk).start_time == start


def is_untouched(payment) -> bool:
    """Return True if neither class nor money moved and the panel's history says nothing."""
    virtual_class = VirtualClass.objects.get(payment=payment)
    is_standing = virtual_class.status != ClassStatus.CANCELLED
    return is_standing and not Refund.objects.exists() and not LogEntry.objects.exists()


@pytest.mark.parametrize("word", ["secret", "rotate"])
def test_webhook_secret_wants_a_fresh_sign_in(stale, word):
    endpoint = WebhookEndpointFactory(secret_shown_at=None)
    address = reverse(f"admin:bookings_webhookendpoint_{word}", args=[endpoint.pk])
    page = reverse("admin:bookings_webhookendpoint_change", args=[endpoint.pk])

    response = stale.post(address, headers={"referer": f"http://testserver{page}"})

    assert asked_for(response) == page
    kept = WebhookEndpoint.objects.get()
    assert (kept.secret, kept.secret_shown_at) == (endpoint.secret, endpoint.secret_shown_at)


@pytest.mark.parametrize("method", ["get", "post"])
def test_another_receiver_wants_a_fresh_sign_in(stale, method):
    address = reverse("admin:bookings_webhookendpoint_add")
    form = {"address": "https://evil.example/", "kinds": "class.scheduled", "is_active": "on"}

    response = getattr(stale, method)(
        address, form, headers={"referer": f"http://testserver{address}"}
    )

    assert urlsplit(asked_for(response)).path == address
    assert not WebhookEndpoint.objects.exists()


def test_another_address_of_a_receiver_wants_a_fresh_sign_in(stale):
    endpoint = WebhookEndpointFactory()
    page = reverse("admin:bookings_webhookendpoint_change", args=[endpoint.pk])
    form = {"address": "https://evil.example/", "kinds": endpoint.kinds, "is_active": "on"}

    response = stale.post(page, form)

    assert asked_for(response) == page
    assert WebhookEndpoint.objects.get().address == endpoint.address
    assert stale.get(page).status_code == 200


def test_without_a_referer_the_way_back_is_inicio(stale):
    endpoint = WebhookEndpointFactory(secret_shown_at=None)

    response = stale.post(reverse("admin:bookings_webhookendpoint_secret", args=[endpoint.pk]))

    assert asked_for(response) == "/inicio"


def test_page_offers_only_the_identity_of_the_panel(stale):
    page = stale.get("/inicio/confirmar?next=https://evil.example").content.decode()

    assert "Confirmá que sos vos" in page
    assert 'name="process" value="confirm"' in page
    assert "/api/auth/signin/google" in page
    assert "/api/auth/signin/github" not in page
    assert 'value="/inicio"' in page
