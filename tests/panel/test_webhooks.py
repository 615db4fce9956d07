"""Other systems in the teacher's panel: added, tried, given another secret, told again."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from bookings.models import WebhookDelivery, WebhookEndpoint, WebhookState
from bookings.webhooks.attempts import deliver_webhooks
from bookings.webhooks.endpoints import record_test_event
from tests.bookings.webhooks.factories import WebhookEndpointFactory

ADD = "admin:bookings_webhookendpoint_add"
ENDPOINT = "admin:bookings_webhookendpoint_change"
LIST = "admin:bookings_webhookdelivery_changelist"
DELIVERY = "admin:bookings_webhookdelivery_change"
FORM = {
    "address": "https://example.com/hooks",
    "description": "Planilla",
    "kinds": ["class.joined", "class.left"],
    "is_active": "on",
}


def press(client, button, row):
    """Press a button on a page; give the page that follows."""
    return client.post(reverse(f"admin:bookings_{button}", args=[row.pk]), follow=True)


def texts(response):
    return [str(message) for message in response.context["messages"]]


@pytest.fixture
def looker(student, sign_in):
    """Somebody who may look at everything here, and do nothing."""
    student.is_staff = True
    student.save()
    names = ["view_webhookendpoint", "view_webhookdelivery"]
    student.user_permissions.set(Permission.objects.filter(codename__in=names))
    return sign_in(student)


def test_a_receiver_is_added_and_its_secret_shown_once(panel):
    page = panel.post(reverse(ADD), FORM, follow=True).content.decode()

    added = WebhookEndpoint.objects.get()
    assert (added.address, added.kinds) == (FORM["address"], FORM["kinds"])
    assert added.secret.startswith("whsec_")
    assert added.secret not in page
    assert "Ver el secreto" in page

    first = press(panel, "webhookendpoint_secret", added)
    assert added.secret in first.content.decode()
    assert "no-store" in first.headers["Cache-Control"]

    again = press(panel, "webhookendpoint_secret", added)
    assert added.secret not in again.content.decode()
    assert texts(again) == ["El secreto ya se mostró una vez. Si se perdió, cambialo por otro."]
    page = panel.get(reverse(ENDPOINT, args=[added.pk])).content.decode()
    assert added.secret not in page
    assert "Ver el secreto" not in page


def test_the_log_says_who_saw_a_secret(panel, teacher):
    endpoint = WebhookEndpointFactory()

    press(panel, "webhookendpoint_secret", endpoint)

    line = LogEntry.objects.get()
    assert (line.user, line.object_id) == (teacher, str(endpoint.pk))
    assert line.get_change_message() == "Vio el secreto."
    assert endpoint.secret not in line.change_message


def test_a_secret_that_cannot_be_read_is_replaced(panel, sealed_endpoint):
    record_test_event(sealed_endpoint)
    names = ["admin:bookings_webhookendpoint_changelist", LIST]
    pages = [*map(reverse, names), reverse(ENDPOINT, args=[sealed_endpoint.pk])]

    assert [panel.get(page).status_code for page in pages] == [200] * 3
    for button in ("secret", "test"):
        page = press(panel, f"webhookendpoint_{button}", sealed_endpoint)
        assert "El secreto no se puede leer: cambialo." in "".join(texts(page))
    press(panel, "webhookdelivery_again", WebhookDelivery.objects.earliest("pk"))

    rotated = press(panel, "webhookendpoint_rotate", sealed_endpoint)
    assert "firma el secreto nuevo" in "".join(texts(rotated))
    now = WebhookEndpoint.objects.get()
    seen = press(panel, "webhookendpoint_secret", now).content.decode()
    assert now.secret in seen


@pytest.mark.parametrize(
    "address", ["http://example.com/", "https://a:b@example.com/", "https://10.0.0.1/", "nonsense"]
)
def test_bad_addresses_are_refused_and_the_page_says_why(panel, settings, address):
    settings.WEBHOOKS_MAY_STAY_LOCAL = False

    response = panel.post(reverse(ADD), FORM | {"address": address})

    assert response.status_code == 200
    assert response.context["adminform"].form.errors["address"]
    assert not WebhookEndpoint.objects.exists()


def test_a_test_arrives_and_the_page_shows_what_came_back(panel, endpoint, receiver):
    receiver.body = b"<b>thanks</b>"

    response = press(panel, "webhookendpoint_test", endpoint)

    assert texts(response) == ["Entregado: respondió 200."]
    page = response.content.decode()
    assert "endpoint.test" in page
    assert "&lt;b&gt;thanks&lt;/b&gt;" in page
    assert receiver.ids == [str(WebhookDelivery.objects.get().event_id)]


def test_a_receiver_that_is_off_is_not_tried(panel, endpoint, receiver):
    WebhookEndpoint.objects.update(is_active=False)

    press(panel, "webhookendpoint_test", endpoint)

    assert receiver.requests == []
    assert not WebhookDelivery.objects.exists()


def test_switched_on_again_it_starts_afresh_and_its_secret_stays(panel):
    long_ago = timezone.now() - timedelta(days=6)
    endpoint = WebhookEndpointFactory(
        is_active=False,
        disabled_reason="failing",
        failures=9,
        failing_since=long_ago,
        resting_until=timezone.now() + timedelta(hours=1),
    )
    secret = endpoint.secret

    panel.post(reverse(ENDPOINT, args=[endpoint.pk]), FORM)

    endpoint.refresh_from_db()
    assert endpoint.is_active
    assert (endpoint.disabled_reason, endpoint.failures) == ("", 0)
    assert (endpoint.failing_since, endpoint.resting_until) == (None, None)
    assert endpoint.secret == secret


@pytest.fixture
def deliveries(endpoint):
    """A delivery in each state."""
    now = timezone.now()
    changes = {
        WebhookState.PENDING: {},
        WebhookState.FAILED: {"failure": "Respondió 500.", "attempts": 1},
        WebhookState.SENT: {"sent_at": now, "next_attempt_at": None},
        WebhookState.GAVE_UP: {"failure": "Respondió 404.", "next_attempt_at": None},
    }
    made = {state: record_test_event(endpoint) for state in changes}
    for state, values in changes.items():
        WebhookDelivery.objects.filter(pk=made[state].pk).update(**values)
    return made


def test_the_teacher_has_events_delivered_again(deliveries, panel, receiver):
    rows = [str(one.pk) for one in deliveries.values()]

    panel.post(reverse(LIST), {"action": "send_again", "_selected_action": rows})

    assert deliver_webhooks() == 4
    assert sorted(receiver.ids) == sorted(str(one.event_id) for one in deliveries.values())


def test_to_a_receiver_that_is_off_nothing_is_delivered_again(deliveries, panel, receiver):
    WebhookEndpoint.objects.update(is_active=False)

    press(panel, "webhookdelivery_again", deliveries[WebhookState.SENT])

    assert receiver.requests == []


def test_who_may_only_look_sees_and_does_nothing(deliveries, looker, receiver, endpoint):
    one = deliveries[WebhookState.GAVE_UP]
    pages = [reverse(LIST), reverse(DELIVERY, args=[one.pk]), reverse(ENDPOINT, args=[endpoint.pk])]
    seen = [looker.get(page) for page in pages]
    refused = [
        press(looker, "webhookdelivery_again", one),
        press(looker, "webhookendpoint_test", endpoint),
        press(looker, "webhookendpoint_rotate", endpoint),
        press(looker, "webhookendpoint_secret", endpoint),
        looker.get(reverse(ADD)),
        looker.post(reverse(ENDPOINT, args=[endpoint.pk]), FORM),
    ]
    looker.post(reverse(LIST), {"action": "send_again", "_selected_action": [str(one.pk)]})

    assert [page.status_code for page in seen] == [200] * 3
    told = seen[2].content.decode()
    assert "Clase agendada (class.scheduled)" in told
    assert "[&quot;" not in told
    assert urlsplit(endpoint.address).hostname in told
    assert all(endpoint.address not in page.content.decode() for page in seen)
    assert all("Entregar de nuevo" not in page.content.decode() for page in seen)
    assert "Cambiar el secreto" not in seen[2].content.decode()
    assert [answer.status_code for answer in refused] == [403] * 6
    one.refresh_from_db()
    assert one.state == WebhookState.GAVE_UP
    assert receiver.requests == []


def test_the_lists_never_show_whole_addresses(panel, endpoint, deliveries):
    pages = [reverse("admin:bookings_webhookendpoint_changelist"), reverse(LIST)]

    path = urlsplit(endpoint.address).path
    assert all(path not in panel.get(page).content.decode() for page in pages)


def test_the_list_costs_the_same_for_more_events(deliveries, panel, django_assert_max_num_queries):
    for one in list(deliveries.values()):
        record_test_event(one.endpoint)

    with django_assert_max_num_queries(6):
        panel.get(reverse(LIST))
