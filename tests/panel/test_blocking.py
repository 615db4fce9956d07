"""The pages that block and open hours and days."""

from datetime import time, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.contrib.messages import get_messages
from django.urls import reverse

from bookings.models import Closure, SpecialHours, WeeklyHours
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.moments import MONDAY, at, days_later
from tests.panel.test_week import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

HOUR = reverse("admin:week_hour") + f"?inicio={MONDAY}T15:00&hasta=16:00"
DAY = reverse("admin:week_day") + f"?dia={MONDAY}"


@pytest.fixture(autouse=True)
def _hours():
    WeeklyHours.objects.create(weekday=0, start=time(14), end=time(18))


def hours():
    return [
        f"{start:%H}-{end:%H}" for start, end in SpecialHours.objects.values_list("start", "end")
    ]


@pytest.mark.parametrize(("button", "left"), [("hour", ["14-15", "16-18"]), ("rest", ["14-15"])])
def test_a_free_hour_is_blocked_and_opened_with_a_tap(panel, button, left):
    page = text_of(panel.get(HOUR))
    panel.post(HOUR, {"do": button})
    blocked = hours()
    shown = text_of(panel.get(HOUR))
    done = panel.post(HOUR, {"do": "restore"}, follow=True)

    assert "Bloquear esta hora" in page
    assert blocked == left
    assert "Esta hora está bloqueada" in shown
    assert "vale tu horario de siempre" in text_of(done)
    assert hours() == []
    assert LogEntry.objects.count() == 2


def test_the_classes_after_the_hour_are_listed_with_what_to_do(panel, host):
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("17:00"))
    VirtualClassFactory(scheduled=True, start_time=at("14:00"))
    VirtualClassFactory(scheduled=True, start_time=at("10:00", days_later(1)))

    page = panel.get(HOUR)

    assert list(page.context["classes"]) == [virtual_class]
    for step in ("mover", "cancelar"):
        address = reverse("admin:bookings_virtualclass_step", args=[virtual_class.pk, step])
        assert address in page.content.decode()


def test_an_hour_that_cannot_be_leads_to_the_week(panel):
    for query in (
        "inicio=x&hasta=16:00",
        "inicio=2026-11-16T15:00&hasta=14:00",
        "inicio=2026-11-16T15:00&hasta=15:00",
        "inicio=2026-11-16T15:00-03:00&hasta=16:00",
        "inicio=9999-12-31T15:00&hasta=16:00",
    ):
        response = panel.get(f"{reverse('admin:week_hour')}?{query}")
        assert response["Location"].startswith(reverse("admin:week"))
        assert "No entendimos" in str([*get_messages(response.wsgi_request)][-1])


@pytest.mark.parametrize("last", [0, 6, 13], ids=["this day", "this week", "two weeks"])
def test_days_are_blocked_with_two_taps_and_opened_with_two(panel, last):
    assert f'value="{days_later(last)}"' in panel.get(DAY).content.decode()

    blocked = panel.post(DAY, {"first_day": MONDAY, "last_day": days_later(last)}, follow=True)
    closure = Closure.objects.get()
    opened = {"first_day": closure.first_day, "last_day": closure.last_day, "open": "1"}
    panel.post(DAY, opened)

    assert (closure.first_day, closure.last_day) == (MONDAY, days_later(last))
    assert "Bloqueaste" in text_of(blocked)
    assert not Closure.objects.exists()


def test_more_than_a_year_is_not_blocked_and_the_page_says_why(panel):
    response = panel.post(DAY, {"first_day": MONDAY, "last_day": MONDAY + timedelta(days=367)})

    assert "Tiene que ser el primer día o uno del año que sigue." in text_of(response)
    assert not Closure.objects.exists()


def test_on_a_sunday_the_week_is_no_choice(panel):
    page = panel.get(reverse("admin:week_day"), {"dia": days_later(6)})

    assert [group["label"] for group in page.context["groups"]] == ["Este día", "Dos semanas"]


def test_the_classes_of_blocked_days_lead_to_one_cancellation(panel):
    rows = [VirtualClassFactory(scheduled=True, start_time=at(f"{n}:00")) for n in (15, 17)]
    Closure.objects.create(first_day=MONDAY, last_day=MONDAY, reason="Viaje")

    page = panel.get(DAY)
    chosen = {"action": "cancelar", "index": "0", "_selected_action": [row.pk for row in rows]}
    asked = panel.post(reverse("admin:bookings_virtualclass_changelist"), chosen)

    assert "Cerrado: Viaje" in text_of(page)
    assert page.content.decode().count('name="_selected_action"') == 2
    assert "En total son 2" in text_of(asked)


@pytest.mark.parametrize(
    "days", [(MONDAY, days_later(-1)), (MONDAY, days_later(400)), (MONDAY, "x"), (MONDAY, "")]
)
def test_impossible_days_are_refused(panel, days):
    page = panel.post(DAY, {"first_day": days[0], "last_day": days[1]})

    assert page.status_code == 200
    assert "Revisá estos datos" in text_of(page)
    assert not Closure.objects.exists()


def test_staff_who_may_only_look_block_nothing(sign_in):
    client = sign_in(UserFactory(is_staff=True))

    answers = [client.post(page, {"do": "hour"}).status_code for page in (HOUR, DAY)]

    assert answers == [403, 403]
    assert hours() == []


def test_staff_who_may_not_see_classes_see_none_on_the_pages(sign_in, host):
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("15:00"))
    blocker = UserFactory(is_staff=True)
    rights = Permission.objects.filter(codename__in=["add_closure", "add_specialhours"])
    blocker.user_permissions.set(rights)
    client = sign_in(blocker)

    for page in (HOUR, DAY):
        answer = client.get(page)
        assert answer.status_code == 200
        assert host.name not in text_of(answer)


@pytest.mark.parametrize("count", [1, 9])
def test_the_pages_cost_the_same_whatever_the_days_hold(
    panel, django_assert_max_num_queries, count
):
    for number in range(count):
        VirtualClassFactory(scheduled=True, start_time=at("15:00") + timedelta(hours=number))

    with django_assert_max_num_queries(13):
        panel.get(DAY)
    with django_assert_max_num_queries(11):
        panel.get(HOUR)
