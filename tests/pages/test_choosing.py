"""``/inicio/reservar``: type, length, day, time."""

import re
from datetime import date, timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import time_machine
from django.contrib.messages import get_messages

from bookings.availability.slots import Period
from bookings.models import Closure, Hold, Price, WeeklyHours
from bookings.pages.access import LASTS
from bookings.pages.choosing import name_utc_offset, split_day
from tests.factories import VirtualClassFactory
from tests.pages.moments import NOW, tuesday
from tests.pages.texts import text_of
from tests.standins import Fault

PATH = "/inicio/reservar"
TUESDAY = "2026-11-24"
CHOICE = {"tipo": "individual", "min": "60", "dia": TUESDAY, "hora": "10:00"}

pytestmark = pytest.mark.usefixtures("agenda")


def page(client, **query) -> str:
    return client.get(PATH, query).content.decode()


def times_in(html: str) -> list[str]:
    return re.findall(r'name="hora"\s+value="(\d\d:\d\d)"', html)


def chosen_in(html: str) -> list[str]:
    return re.findall(r'name="\w+"\s+value="([^"]+)"\s+checked', html)


def choose_as_a_stranger(client, **changes) -> str:
    """Press *Continuar*; give the address to which the sign-in leads back."""
    response = client.post(PATH, {**CHOICE, **changes})
    there = urlsplit(response["Location"])
    assert there.path == "/inicio"
    return parse_qs(there.query)["callbackUrl"][0]


# --- Looking --------------------------------------------------------------------------------------


def test_a_stranger_sees_the_first_free_day(client):
    html = page(client)

    assert "Mañana, martes 24 de noviembre" in html
    assert times_in(html) == [
        *("09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "12:00"),
        *("18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "21:00"),
    ]
    assert "te vamos a pedir que ingreses" in html


def test_types_and_lengths_come_with_their_prices(client):
    html = " ".join(page(client, tipo="grupal").split())

    assert [chosen_in(page(client)), chosen_in(html)] == [["individual", "60"], ["grupal", "60"]]
    assert "desde $ 24.000" in html
    assert "Hasta 5 personas." in html
    assert 'id="min-60"' in html
    assert 'id="min-30"' not in html


def test_only_days_with_free_times_are_links(client):
    labels = re.findall(r'class="day day-free".*?aria-label="([^"]+)"', page(client), re.DOTALL)

    assert [label.strip() for label in labels] == ["martes 24 de noviembre, 14 horarios libres"]


def test_a_chosen_time_stays_in_links_and_in_the_summary(client):
    response = client.get(PATH, CHOICE)

    assert chosen_in(response.content.decode()) == ["individual", "60", "10:00"]
    assert "Mar 24 nov, 10:00" in text_of(response)


@pytest.mark.parametrize(
    "query",
    [
        {"tipo": "x", "min": "abc", "mes": "2026-13"},
        {"min": "61", "dia": "9999-12-31"},
        {"dia": TUESDAY, "hora": "25:00"},
        {"dia": "\x00", "hora": "10:00"},
    ],
    ids=str,
)
def test_the_page_takes_what_makes_no_sense_as_not_chosen(client, query):
    html = page(client, **query)

    assert chosen_in(html)[:2] == ["individual", "60"]
    assert len(times_in(html)) == 14


# --- Nothing to choose ----------------------------------------------------------------------------


def test_a_full_day_leads_to_the_next_one_with_times(client):
    html = page(client, dia="2026-11-25")

    assert "No quedan horarios ese día" in html
    assert "Ir al martes 1 de diciembre" in html


def test_a_holiday_names_itself_and_other_closures_keep_their_reason(client):
    for day, reason, is_public_holiday in [
        (date(2026, 11, 26), "Día de la prueba", True),
        (date(2026, 11, 27), "Turno médico", False),
    ]:
        Closure.objects.create(
            first_day=day, last_day=day, reason=reason, is_public_holiday=is_public_holiday
        )

    month = " ".join(page(client).split())
    holiday = " ".join(page(client, dia="2026-11-26").split())

    assert 'aria-label="jueves 26 de noviembre, feriado: Día de la prueba"' in month
    assert '<span lang="es">Día de la prueba</span>: no hay horarios ese día.' in holiday
    assert "Ir al martes 1 de diciembre" in holiday
    assert "Turno médico" not in month + page(client, dia="2026-11-27")


def test_without_prices_nothing_is_offered(client):
    Price.objects.all().delete()

    assert "Todavía no hay clases para reservar" in page(client)


def test_a_full_agenda_says_so(client):
    WeeklyHours.objects.all().delete()

    assert "Por ahora no quedan horarios" in page(client)


def test_only_the_teacher_is_shown_where_prices_are_set(client, teacher, sign_in):
    Price.objects.all().delete()

    assert "Cargar los precios" not in page(client)
    assert "Cargar los precios" in page(sign_in(teacher))


def test_no_times_are_offered_when_the_calendar_cannot_be_read(client, google):
    google.fault("events.list", *[Fault.status(503)] * 8)

    html = page(client)

    assert "No pudimos leer el calendario" in html
    assert times_in(html) == []


def test_a_time_that_is_gone_is_said_to_be(client):
    VirtualClassFactory(scheduled=True, start_time=tuesday("10:00"))

    html = page(client, **CHOICE)

    assert "Ese horario se acaba de ocupar" in html
    assert chosen_in(html) == ["individual", "60"]


def test_a_time_that_goes_while_one_looks_brings_the_other_times(client):
    """htmx asked for the summary; it gets the times, with what happened beside them."""
    asked = {"HX-Request": "true", "HX-Target": "chosen-time"}

    free = client.get(PATH, CHOICE, headers=asked)
    VirtualClassFactory(scheduled=True, start_time=tuesday("10:00"))
    gone = client.get(PATH, CHOICE, headers=asked)

    assert "HX-Retarget" not in free
    assert (gone["HX-Retarget"], gone["HX-Reselect"]) == ("#when", "#when")
    assert "11:30" in times_in(gone.content.decode())


# --- Keeping --------------------------------------------------------------------------------------


def test_the_chosen_time_is_kept_and_the_choice_goes_along(host, sign_in):
    response = sign_in(host).post(PATH, CHOICE)

    hold = Hold.objects.get()
    assert (hold.user, hold.start_time, hold.minutes) == (host, tuesday("10:00"), 60)
    assert response.status_code == 302
    assert response["Location"] == (
        f"{PATH}/{hold.pk}?tipo=individual&min=60&dia={TUESDAY}&hora=10%3A00"
    )


def test_a_stranger_signs_in_and_the_chosen_time_is_kept(client, host):
    go_on = choose_as_a_stranger(client)
    asked = text_of(client.get("/inicio", {"callbackUrl": go_on}))
    assert "Mar 24 nov, 10:00 · Individual, 60 min" in asked
    assert not Hold.objects.exists()
    client.force_login(host)
    response = client.get(go_on)

    hold = Hold.objects.get()
    assert (hold.user, hold.start_time, hold.minutes) == (host, tuesday("10:00"), 60)
    assert response["Location"] == f"{PATH}/{hold.pk}?{urlencode(CHOICE)}"


def test_a_time_chosen_before_signing_in_is_kept_once(client, host):
    go_on = choose_as_a_stranger(client)
    client.force_login(host)
    client.get(go_on)
    details = f"{PATH}/{Hold.objects.get().pk}?{urlencode(CHOICE)}"

    again = client.get(go_on)
    Hold.objects.all().delete()
    once_more = client.get(go_on)

    assert again["Location"] == details
    assert once_more["Location"] == f"{PATH}?{urlencode(CHOICE)}"
    assert not Hold.objects.exists()


@pytest.mark.parametrize("chosen", [{}, {"hora": "11:00"}], ids=["nothing", "another time"])
def test_a_link_from_elsewhere_keeps_nothing(client, host, chosen):
    if chosen:
        choose_as_a_stranger(client, **chosen)
    client.force_login(host)

    response = client.get(f"{PATH}/seguir", CHOICE, headers={"Sec-Fetch-Site": "cross-site"})

    assert response["Location"] == f"{PATH}?{urlencode(CHOICE)}"
    assert not Hold.objects.exists()


def test_a_choice_is_forgotten_after_half_an_hour(client, host):
    go_on = choose_as_a_stranger(client)
    client.force_login(host)

    with time_machine.travel(NOW + LASTS, tick=False):
        response = client.get(go_on)

    assert response["Location"] == f"{PATH}?{urlencode(CHOICE)}"
    assert not Hold.objects.exists()


def test_the_sign_in_names_no_choice_that_is_forgotten(client):
    go_on = choose_as_a_stranger(client)

    with time_machine.travel(NOW + LASTS, tick=False):
        page = text_of(client.get("/inicio", {"callbackUrl": go_on}))

    assert "te lo guardamos" not in page


def test_a_time_that_goes_during_the_sign_in_is_said_to_be_gone(client, host):
    go_on = choose_as_a_stranger(client)
    VirtualClassFactory(scheduled=True, start_time=tuesday("10:00"))
    client.force_login(host)

    response = client.get(go_on, follow=True)

    assert "Ese horario se acaba de ocupar" in response.content.decode()


def test_going_on_without_prices_leads_to_the_page_that_says_so(client, host):
    Price.objects.all().delete()
    client.force_login(host)

    assert client.get(f"{PATH}/seguir", CHOICE)["Location"] == PATH


@pytest.mark.parametrize("is_stranger", [False, True], ids=["student", "stranger"])
def test_without_a_time_there_is_nothing_to_keep(client, host, is_stranger):
    if not is_stranger:
        client.force_login(host)

    response = client.post(PATH, {**CHOICE, "hora": ""})

    told = [str(message) for message in get_messages(response.wsgi_request)]
    assert told == ["Elegí un horario para continuar."]
    assert not Hold.objects.exists()


def test_the_holder_still_sees_the_time_and_others_do_not(host, student, sign_in):
    sign_in(host).post(PATH, CHOICE)

    assert "10:00" in times_in(page(sign_in(host), dia=TUESDAY))
    assert "10:00" not in times_in(page(sign_in(student), dia=TUESDAY))


# --- Pure parts -----------------------------------------------------------------------------------


def test_a_day_is_parted_at_noon_and_at_seven():
    slots = [
        Period(tuesday(clock), tuesday(clock) + timedelta(hours=1))
        for clock in ("11:30", "12:00", "18:30", "19:00")
    ]

    parts = [(name, len(of_part)) for name, of_part in split_day(slots)]

    assert parts == [("Mañana", 1), ("Tarde", 2), ("Noche", 1)]


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("America/Argentina/Buenos_Aires", "UTC−3"),
        ("Asia/Kolkata", "UTC+5:30"),
        ("UTC", "UTC+0"),
    ],
)
def test_the_offset_is_written_as_people_do(settings, zone, name):
    settings.TIME_ZONE = zone

    assert name_utc_offset(tuesday("10:00").date()) == name
