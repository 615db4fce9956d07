"""``/inicio/reservar/<id>``: the details of a kept time."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import BookingRules, ClassType, Hold, Price, VirtualClass
from tests.factories import HoldFactory
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of

QUERY = "tipo=grupal&min=60&dia=2026-11-24&hora=10%3A00"

pytestmark = pytest.mark.usefixtures("agenda")


@pytest.fixture
def hold(host) -> Hold:
    """A time that is kept for a group for a quarter of an hour."""
    return HoldFactory(
        user=host,
        start_time=tuesday("10:00"),
        end_time=tuesday("11:00"),
        class_type=ClassType.GROUP,
        expires_at=NOW + timedelta(minutes=15),
    )


def address(hold: Hold, name: str = "bookings:hold") -> str:
    return f"{reverse(name, args=[hold.pk])}?{QUERY}"


def test_it_says_until_when_the_time_is_kept(hold, host, sign_in):
    html = text_of(sign_in(host).get(address(hold)))

    assert "Te guardamos este horario hasta las <strong>12:15</strong>." in html
    assert "15 min</span>" in html
    assert 'data-seconds-left="900"' in html


@pytest.mark.parametrize(
    ("weeks", "said"),
    [
        (0, "Como la clase queda muy cerca, después no vas a poder cancelarla ni cambiarla."),
        (
            1,
            "Hasta el <strong>martes 1 de diciembre a las 08:00</strong> podés cambiarla, o "
            "cancelarla y te devolvemos todo.",
        ),
    ],
    ids=["too near", "in time"],
)
def test_the_policy_is_told_before_paying(host, sign_in, weeks, said):
    BookingRules(change_cutoff_minutes=120 if weeks else 60 * 24).save()
    start = tuesday("10:00", weeks=weeks)
    hold = hold_slot(user=host, start=start, minutes=60, class_type=ClassType.GROUP)
    client = sign_in(host)

    details = text_of(client.get(address(hold)))
    booked = check_out_hold(user=host, hold_id=hold.pk, students_count=2)
    its_class = text_of(client.get(reverse("bookings:class", args=[booked.pk])))

    assert said in details
    assert ("Si cancelás más tarde, no se devuelve nada." in details) == bool(weeks)
    assert "Si tu profe cancela la clase, te devolvemos todo." in details
    assert said in its_class


def test_a_group_sees_the_price_of_each_number_of_people(hold, host, sign_in):
    form = sign_in(host).get(address(hold)).context["form"]

    priced = [(radio.choice_label, price) for radio, price, _ in form.priced_counts]
    assert priced == [
        ("2 personas", 2_400_000),
        ("3 personas", 2_400_000),
        ("4 personas", 3_600_000),
        ("5 personas", 3_600_000),
    ]
    assert form.price == 2_400_000


def test_the_details_make_a_pending_class_at_the_price_of_the_list(hold, host, sign_in):
    response = sign_in(host).post(
        address(hold), {"students_count": "4", "text": "Travel", "seen": "4:3600000"}
    )

    booked = VirtualClass.objects.get()
    assert response["Location"] == f"/inicio/clases/{booked.pk}"
    assert (booked.booked_by, booked.start_time) == (host, tuesday("10:00"))
    assert (booked.max_participants, booked.class_price) == (4, 3_600_000)
    assert booked.learning_focus == "Travel"


@pytest.mark.parametrize("students", ["", "1", "6", "x"])
def test_a_number_without_a_price_is_refused_and_the_time_stays_kept(hold, host, sign_in, students):
    response = sign_in(host).post(address(hold), {"students_count": students, "text": "Travel"})

    assert response.status_code == 200
    assert list(response.context["form"].errors) == ["students_count"]
    assert "Travel" in response.content.decode()
    assert Hold.objects.filter(pk=hold.pk, purchase=None).exists()


@pytest.mark.parametrize("seen", ["2:2400000", "", "2:x 3:2600000"], ids=["other", "none", "junk"])
def test_a_price_that_was_not_seen_is_shown_and_nothing_is_booked(hold, host, sign_in, seen):
    Price.objects.filter(class_type="grupal").update(amount=2_600_000)
    client = sign_in(host)

    page = client.post(address(hold), {"students_count": "2", "text": "Travel", "seen": seen})

    assert "El precio cambió mientras tanto." in text_of(page)
    assert page.context["form"].price == 2_600_000
    assert "Travel" in page.content.decode()
    assert not VirtualClass.objects.exists()
    again = {"students_count": "2", "seen": page.context["form"].shown}
    client.post(address(hold), again)
    assert VirtualClass.objects.get().class_price == 2_600_000


def test_when_the_time_is_over_the_choice_is_offered_again(hold, host, sign_in):
    client = sign_in(host)

    with time_machine.travel(NOW.replace(minute=16), tick=False):
        response = client.get(address(hold), follow=True)

    [(there, status)] = response.redirect_chain
    assert (there, status) == (f"/inicio/reservar?{QUERY}", 302)
    assert "Se venció el tiempo para reservar ese horario" in response.content.decode()


def test_a_length_that_is_no_longer_offered_is_chosen_anew(hold, host, sign_in):
    Price.objects.filter(class_type="grupal").delete()

    response = sign_in(host).get(address(hold), follow=True)

    assert "No ofrecemos clases de ese tipo y duración." in response.content.decode()


def test_letting_go_frees_the_time_and_keeps_the_choice(hold, host, sign_in):
    response = sign_in(host).post(address(hold, "bookings:release"))

    assert response["Location"] == f"/inicio/reservar?{QUERY}"
    assert not Hold.objects.exists()


def test_letting_go_without_a_choice_leads_home(hold, host, sign_in):
    response = sign_in(host).post(reverse("bookings:release", args=[hold.pk]), follow=True)

    assert response.redirect_chain == [("/inicio", 302)]
    assert "Listo: el horario quedó libre." in response.content.decode()
    assert not Hold.objects.exists()


def test_a_time_is_let_go_by_its_holder_only_and_never_by_a_link(hold, host, stranger, sign_in):
    sign_in(stranger).post(address(hold, "bookings:release"))
    response = sign_in(host).get(address(hold, "bookings:release"))

    assert response.status_code == 405
    assert Hold.objects.filter(pk=hold.pk).exists()


def test_somebody_elses_hold_is_over_for_others(hold, stranger, sign_in):
    response = sign_in(stranger).get(address(hold))

    assert (response.status_code, response["Location"]) == (302, f"/inicio/reservar?{QUERY}")
