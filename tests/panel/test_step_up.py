"""What moves money or data out of the panel wants a fresh sign-in."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from accounts.models import User, UserStatus
from bookings.domain.classes.scheduling import CALENDAR_REFUSED
from bookings.domain.sales.settling import settle
from bookings.models import (
    BookingRules,
    ClassStatus,
    Hold,
    PriceDecision,
    Refund,
    RefundStatus,
    VirtualClass,
    WebhookEndpoint,
)
from tests.accounts.flows import sign_in as go_through_google
from tests.bookings.webhooks.factories import WebhookEndpointFactory
from tests.environment import TEACHER_EMAIL
from tests.factories import BankTransferFactory, VirtualClassFactory
from tests.panel.steps import address_of, carry_out, list_of, look, look_at_several, seen_on
from tests.payments import make_payment
from tests.sales.open_classes import publish, take

pytestmark = pytest.mark.django_db

ELEVEN_MINUTES = timedelta(minutes=11)
EXPORT = "/admin/bookings/payment/exportar/"
MONTH = "/admin/bookings/payment/meses/2026-11/exportar/"


@pytest.fixture
def through_google(google, client, time_machine):
    """The same as ``stale``, of a teacher whom Google signed in."""
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)
    go_through_google(client, "google", TEACHER_EMAIL)
    time_machine.shift(ELEVEN_MINUTES)
    return client


@pytest.fixture
def stale(teacher, client, time_machine):
    """The teacher's client, eleven minutes after she signed in."""
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)
    client.force_login(teacher)
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


@pytest.mark.parametrize("address", [f"{EXPORT}?status=approved", MONTH])
def test_export_of_payments_wants_a_fresh_sign_in(through_google, address):
    refused = through_google.get(address)
    back = go_through_google(
        through_google, "google", TEACHER_EMAIL, process="confirm", callbackUrl=asked_for(refused)
    )

    assert asked_for(refused) == address
    assert back["Location"] == address
    assert through_google.get(address)["Content-Type"].startswith("text/csv")


def asked_by_each_method(client, address) -> set[str | None]:
    """Return the pages to come back to, after looking at the address and after a POST there."""
    referer = {"referer": f"http://testserver{address}"}
    return {asked_for(send(address, headers=referer)) for send in (client.get, client.post)}


def test_a_person_s_data_wants_a_fresh_sign_in(stale, student):
    pages = [
        reverse("admin:accounts_user_export", args=[student.pk]),
        address_of(student, "borrar"),
    ]

    asked = [asked_by_each_method(stale, page) for page in pages]

    assert asked == [{page} for page in pages]
    assert User.objects.get(pk=student.pk).status == UserStatus.ACTIVE
    assert not LogEntry.objects.exists()


def test_what_gives_money_back_wants_a_fresh_sign_in(stale, paid):
    pages = [
        address_of(paid, "devolver-todo"),
        address_of(paid, "devolver"),
        address_of(paid.purchase.virtual_class, "cancelar"),
    ]

    asked = [asked_by_each_method(stale, page) for page in pages]

    assert asked == [{page} for page in pages]
    assert is_untouched(paid)
    assert stale.get(reverse("admin:bookings_payment_change", args=[paid.pk])).status_code == 200


def test_what_the_provider_refused_wants_a_fresh_sign_in(stale, refused):
    pages = [address_of(refused, name) for name in ("en-efectivo", "probar")]

    asked = [asked_by_each_method(stale, page) for page in pages]

    assert asked == [{page} for page in pages]
    assert Refund.objects.get().status == RefundStatus.FAILED


def test_a_confirmation_that_comes_too_late_does_nothing(
    stale, teacher, paid, student, time_machine
):
    stale.force_login(teacher)
    part = {"charge": paid.charges.get().pk, "amount": "100"}
    steps = [
        (paid.purchase.virtual_class, "cancelar", {}),
        (paid, "devolver-todo", {}),
        (paid, "devolver", part),
        (student, "borrar", {}),
    ]
    forms = {
        address_of(row, name): {**given, "seen": seen_on(look(stale, row, name, **given))}
        for row, name, given in steps
    }
    time_machine.shift(ELEVEN_MINUTES)

    asked = [asked_for(stale.post(address, form)) for address, form in forms.items()]

    assert all(form["seen"] for form in forms.values())
    assert asked == list(forms)
    assert is_untouched(paid)
    assert User.objects.get(pk=student.pk).status == UserStatus.ACTIVE


def test_cancelling_several_leads_back_to_the_list(stale, paid):
    unpaid = VirtualClassFactory()

    response = look_at_several(stale, [unpaid, paid.purchase.virtual_class], "cancelar")
    page = stale.get(response["Location"]).content.decode()

    assert asked_for(response) == list_of(unpaid)
    assert "Se devuelve dinero: después de ingresar, elegí las filas de nuevo." in page
    assert is_untouched(paid)


def test_a_refund_by_hand_wants_no_fresh_sign_in(stale):
    by_hand = VirtualClassFactory(scheduled=True, in_cash=timezone.now())

    carry_out(stale, by_hand, "cancelar")

    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED
    assert Refund.objects.get().is_by_hand


@pytest.fixture
def open_class(stale, teacher, mercadopago):
    """The teacher's, in which a student has paid a place."""
    published = publish(teacher)
    take(mercadopago, published)
    return published


def test_the_student_s_page_asks_the_teacher_too(stale, open_class):
    page = f"/inicio/clases/{open_class.pk}/cancelar"
    written = LogEntry.objects.count()

    asked = [asked_for(stale.get(page)), asked_for(stale.post(page))]

    assert asked == [page, page]
    assert VirtualClass.objects.get().is_scheduled
    assert (Refund.objects.count(), LogEntry.objects.count()) == (0, written)


def is_untouched(payment) -> bool:
    """Return True if neither class nor money moved and the panel's history says nothing."""
    virtual_class = VirtualClass.objects.get(purchases__payment=payment)
    is_standing = virtual_class.status != ClassStatus.CANCELLED
    return is_standing and not Refund.objects.exists() and not LogEntry.objects.exists()


def test_webhook_secret_wants_a_fresh_sign_in(stale):
    endpoint = WebhookEndpointFactory(secret_shown_at=None)
    page = reverse("admin:bookings_webhookendpoint_change", args=[endpoint.pk])
    buttons = [
        reverse(f"admin:bookings_webhookendpoint_{word}", args=[endpoint.pk])
        for word in ("secret", "rotate")
    ]

    responses = [
        stale.post(button, headers={"referer": f"http://testserver{page}"}) for button in buttons
    ]

    assert [asked_for(response) for response in responses] == [page, page]
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


def test_page_offers_only_the_identity_of_the_panel(through_google):
    page = through_google.get("/inicio/confirmar?next=https://evil.example").content.decode()

    assert "Confirmá que sos vos" in page
    assert 'name="process" value="confirm"' in page
    assert "/api/auth/signin/google" in page
    assert "/api/auth/signin/github" not in page
    assert 'value="/inicio"' in page


def test_an_earlier_time_for_a_class_below_its_minimum_wants_a_fresh_sign_in(
    stale, teacher, mercadopago
):
    """Its deadline moves along; the next sweep would call it off and refund everybody."""
    open_class = publish(teacher)
    take(mercadopago, open_class, 2)
    soon = timezone.localtime(timezone.now() + timedelta(hours=2))
    asked = {"day": f"{soon:%Y-%m-%d}", "clock": f"{soon:%H:%M}"}
    page = address_of(open_class.virtual_class, "mover")

    refused = stale.post(page, {**asked, "seen": ""})

    assert asked_for(refused) == page
    stale.force_login(teacher)
    shown = look(stale, open_class.virtual_class, "mover", **asked)
    assert "el plazo para llegar al mínimo se adelanta" in shown.content.decode()
    assert seen_on(shown)


def test_what_was_filled_in_survives_the_sign_in_that_a_script_asked_for(
    stale, teacher, mercadopago
):
    open_class = publish(teacher)
    take(mercadopago, open_class, 2)
    soon = timezone.localtime(timezone.now() + timedelta(hours=2))
    page = f"{address_of(open_class.virtual_class, 'mover')}?day={soon:%Y-%m-%d}&clock={soon:%H:%M}"

    asked = stale.get(page, headers={"HX-Request": "true"})["HX-Redirect"]
    [back] = parse_qs(urlsplit(asked).query)["next"]
    stale.force_login(teacher)

    assert urlsplit(asked).path == "/inicio/confirmar"
    assert seen_on(stale.get(back))


def test_another_account_for_transfers_wants_a_fresh_sign_in(stale, teacher):
    page = reverse("admin:transfer_account")
    form = stale.get(page).context["form"]
    same = {name: form[name].value() for name in form.fields}
    other = {**same, "transfer_alias": "otra.cuenta", "transfer_holder": "Otra"}

    refused = stale.post(page, other)

    assert asked_for(refused) == page
    assert BookingRules.load().transfer_alias == ""
    assert asked_for(stale.post(page, {**same, "transfer_hours": 48})) is None
    assert BookingRules.load().transfer_hours == 48
    stale.force_login(teacher)
    stale.post(page, other)
    assert BookingRules.load().transfer_alias == "otra.cuenta"


@pytest.mark.parametrize("step", ["pagada", "llego", "aceptar"])
def test_to_take_the_time_of_a_paid_class_wants_a_fresh_sign_in(stale, paid, teacher, host, step):
    """It waits because the calendar refused it, and is refunded once it lost its time."""
    refused = VirtualClass.objects.filter(pk=paid.purchase.virtual_class_id)
    refused.update(status=ClassStatus.PENDING, scheduling_refusal=CALENDAR_REFUSED, owns_time=False)
    Hold.objects.all().delete()
    start, end = paid.purchase.virtual_class.start_time, paid.purchase.virtual_class.end_time
    waits = {"price_decision": PriceDecision.WAITING, "paid_at": timezone.now()}
    more = waits if step == "aceptar" else {}
    row = other = VirtualClassFactory(start_time=start, end_time=end, **more)
    if step == "llego":
        row = BankTransferFactory(purchase=other.purchase)
    page = address_of(row, step)

    asked = asked_for(stale.post(page, {"seen": ""}))

    assert asked == page
    stale.force_login(teacher)
    assert "Pierde su horario: " in look(stale, row, step).content.decode()
    other.refresh_from_db()
    assert other.status == ClassStatus.PENDING


def test_deleting_a_receiver_wants_a_fresh_sign_in(stale):
    endpoint = WebhookEndpointFactory()
    page = reverse("admin:bookings_webhookendpoint_delete", args=[endpoint.pk])

    assert asked_by_each_method(stale, page) == {page}
    assert WebhookEndpoint.objects.exists()
