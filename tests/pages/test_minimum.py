"""What the page of an open class says of its minimum."""

import pytest
from django.urls import reverse

from bookings.models import MinimumDecision, OpenClass, VirtualClass
from tests.pages.texts import plain_text_of
from tests.sales.open_classes import publish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mercadopago")]


def page_of(client, open_class: OpenClass) -> str:
    return plain_text_of(client.get(reverse("bookings:open_class", args=[open_class.pk])))


def test_the_page_tells_minimum_deadline_and_policy(client, teacher):
    page = page_of(client, publish(teacher))

    assert "Se da con 3 personas. Faltan 3." in page
    assert "si no se llega, te devolvemos lo que hayas pagado." in page
    assert "Si dejás tu lugar hasta el" in page
    assert "Si tu profe cancela la clase, te devolvemos todo." in page


def test_enough_people_promise_nothing_before_the_decision(client, teacher):
    open_class = publish(teacher)
    VirtualClass.objects.update(current_participants=4)
    before = page_of(client, open_class)
    OpenClass.objects.update(decision=MinimumDecision.GOES_ON)
    after = page_of(client, open_class)

    assert "Se da con 3 personas. Por ahora hay suficientes. Se decide el" in before
    assert "La clase se da." not in before
    assert "La clase se da." in after
    assert "Se decide el" not in after


def test_a_free_class_promises_no_money_back(client, teacher):
    page = page_of(client, publish(teacher, place_price=0))

    assert "si no se llega, se cancela." in page
    assert "te devolvemos" not in page
