"""The page of the link in the mail that tells the teacher of a transfer."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from bookings.models import Refund, TransferState, VirtualClass
from bookings.notices.delivery import deliver_due
from tests.pages.texts import text_of
from tests.sales.transfers import announce, announce_with_lost_time, store, take_transfers

pytestmark = pytest.mark.usefixtures("mercadopago", "google")


@pytest.fixture
def transfer(host, teacher):
    take_transfers()
    return announce(store(host))


def read_link():
    """Return the path of the link in the teacher's mail."""
    deliver_due()
    (letter,) = [one for one in mail.outbox if "Avisaron una transferencia" in one.subject]
    (link,) = re.findall(r"https?://\S+/transferencias/avisada/\S+", letter.body)
    return urlsplit(link).path


def answer(client, path, step):
    """Press one of the page's buttons."""
    page = client.get(path).content.decode()
    seen = re.search(rf'value="{step}">\s*<input type="hidden" name="seen" value="(\w+)"', page)
    return client.post(path, {"step": step, "seen": seen[1] if seen else ""}, follow=True)


def test_the_link_shows_the_transfer_without_a_session_and_changes_nothing(transfer):
    path = read_link()

    for method in ("get", "head"):
        page = getattr(Client(), method)(path)
        assert page.status_code == 200

    page = Client().get(path)
    transfer.refresh_from_db()
    assert transfer.state == TransferState.ANNOUNCED
    assert "12345678" in text_of(page)
    assert transfer.purchase.person.email not in text_of(page)
    assert "no-store" in page["Cache-Control"]


def test_the_link_confirms_on_post(transfer, teacher):
    page = answer(Client(), read_link(), "llego")

    transfer.refresh_from_db()
    assert (transfer.state, transfer.decided_by) == (TransferState.CONFIRMED, teacher)
    assert VirtualClass.objects.get().is_scheduled
    assert "La confirmaste." in text_of(page)


def test_the_link_needs_djangos_token(transfer):
    path = read_link()

    assert Client(enforce_csrf_checks=True).post(path, {"step": "llego"}).status_code == 403


def test_a_blind_post_does_nothing(transfer):
    page = Client().post(read_link(), {"step": "llego", "seen": "x"})

    transfer.refresh_from_db()
    assert transfer.state == TransferState.ANNOUNCED
    assert "no se hizo nada" in text_of(page)


@pytest.fixture
def refunding(host, teacher, mercadopago):
    """A transfer for a class that cannot be given, and for which a part came online."""
    return announce_with_lost_time(host, mercadopago)


def test_the_link_says_what_would_be_refunded_and_leads_to_the_panel(refunding, teacher):
    path = read_link()

    page = Client().get(path)
    asked = Client().get(reverse("admin:bookings_banktransfer_step", args=[refunding.pk, "llego"]))

    assert "Vuelven $ 4.000 a Ana Host por Mercado Pago." in text_of(page)
    assert "Llegó: seguir en el panel" in text_of(page)
    assert asked.status_code == 302
    assert not re.search(r"Llegó\s*</button>", page.content.decode())


def test_the_link_refunds_nothing(refunding):
    page = answer(Client(), read_link(), "llego")

    refunding.refresh_from_db()
    assert (refunding.state, Refund.objects.count()) == (TransferState.ANNOUNCED, 0)
    assert "tenés que volver a ingresar" in text_of(page)


def test_an_old_link_is_over(transfer):
    path = read_link()

    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        page = Client().get(path)

    assert page.status_code == 410
    assert "12345678" not in text_of(page)


def test_the_link_ends_with_the_teachers_part(transfer, teacher):
    path = read_link()
    teacher.is_staff = teacher.is_superuser = False
    teacher.save()

    assert Client().get(path).status_code == 410
