"""The waiting list of an open class, on its page."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import leave_class
from bookings.domain.places.waiting_list import wait_for_open_class
from bookings.models import Purchase, PurchaseState, WaitingListEntry
from tests.pages.texts import plain_text_of
from tests.sales.open_classes import publish, store, take

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana(sign_in, host):
    return sign_in(host)


def page_of(open_class):
    return reverse("bookings:open_class", args=[open_class.pk])


@pytest.fixture
def turn(host, mercadopago, teacher):
    """A full class of one place, and Ana's turn in its waiting list."""
    open_class = store(teacher, places=1, minimum=1)
    take(mercadopago, open_class)
    return wait_for_open_class(user=host, class_id=open_class.pk)


def free_the_place(turn):
    place = Purchase.objects.places().get(state=PurchaseState.PAID)
    leave_class(class_id=turn.virtual_class_id, user=place.person)


def test_a_full_class_has_a_waiting_list(ana, host, mercadopago, teacher):
    open_class = publish(teacher, places=1, minimum=1)
    take(mercadopago, open_class)
    assert "Avisame si se libera un lugar" in plain_text_of(ana.get(page_of(open_class)))

    answer = ana.post(reverse("bookings:wait_for_open_class", args=[open_class.pk]))

    entry = WaitingListEntry.objects.get(user=host)
    assert answer["Location"] == reverse("bookings:claim_place", args=[entry.pk])
    assert "Conversación B1" in plain_text_of(ana.get(answer["Location"]))
    assert f'href="{answer["Location"]}">Ver mi turno</a>' in ana.get(page_of(open_class)).text


def test_a_person_in_a_pause_is_not_asked_to_wait(ana, mercadopago, turn):
    open_class = turn.virtual_class.open_class
    free_the_place(turn)
    WaitingListEntry.objects.update(offer_expires_at=timezone.now())
    take(mercadopago, open_class)

    page = plain_text_of(ana.get(page_of(open_class)))

    assert "Esta clase está completa" in page
    assert "Avisame si se libera un lugar" not in page


def test_no_place_is_called_free_once_it_is_not_sold(ana, turn, time_machine):
    time_machine.move_to(turn.virtual_class.start_time - timedelta(minutes=3))
    free_the_place(turn)
    address = reverse("bookings:claim_place", args=[turn.pk])
    assert "Hay un lugar libre" in plain_text_of(ana.get(address))

    time_machine.move_to(turn.virtual_class.start_time)

    assert "La lista de espera se cerró" in plain_text_of(ana.get(address))
