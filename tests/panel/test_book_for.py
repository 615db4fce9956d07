"""The page on which the teacher books for a student."""

import re
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse

from accounts.models import User
from bookings.models import (
    ClassEvent,
    ClassType,
    Notice,
    NoticeKind,
    Price,
    VirtualClass,
    WeeklyHours,
)
from bookings.panel.classes.class_forms import PersonForm
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import MONDAY, at, days_later
from tests.sales.offers import make_offer, make_trial
from tests.standins import Fault

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

PAGE = reverse("admin:book_for")
TOMORROW = days_later(1)


@pytest.fixture
def price(db):
    """An hour for up to three."""
    return Price.objects.create(
        class_type=ClassType.GROUP,
        minutes=60,
        students_up_to=3,
        amount=2_400_000,
        valid_from="2026-01-01",
    )


@pytest.fixture
def send(panel, host):
    """Fill the form in for Ana, who has no phone, tomorrow at ten, and send it."""

    def post(**given):
        usual = {"day": f"{TOMORROW}", "clock": "10:00", "is_paid": "on"}
        return panel.post(f"{PAGE}?estudiante={host.pk}", usual | given, follow=True)

    return post


def list_hours(response):
    """List the hours that the page offers."""
    return re.findall(r'name="slot"\s+value="[^"]+T([0-9:]{5})"', response.content.decode())


def test_the_free_hour_asks_for_whom_and_comes_filled_in(panel, host, price):
    choosing = panel.get(PAGE, {"inicio": f"{TOMORROW}T10:00"})
    link = f"?estudiante={host.pk}&amp;inicio={TOMORROW}T10:00"
    form = panel.get(PAGE, {"estudiante": host.pk, "inicio": f"{TOMORROW}T10:00"})

    assert link in choosing.content.decode()
    page = form.content.decode()
    assert f'value="{TOMORROW}"' in page  # outside the opening hours: as if she had typed it
    assert 'value="10:00"' in page
    assert "Grupal, 60 min hasta 3 personas $ 24.000" in plain_text_of(form)


def test_an_hour_stays_proposed_without_the_calendar(panel, host, price, google):
    google.fault("events.list", *[Fault.status(503)] * 9)

    page = panel.get(PAGE, {"estudiante": host.pk, "inicio": f"{TOMORROW}T10:00"})

    assert "No pudimos leer tu calendario." in plain_text_of(page)
    assert 'value="10:00"' in page.content.decode()


def test_the_day_s_free_hours_follow_the_length_and_ignore_the_notice(panel, host, price):
    """The notice binds students: she may book for this afternoon."""
    WeeklyHours.objects.create(weekday=MONDAY.weekday(), start="13:00", end="16:00")
    VirtualClassFactory(scheduled=True, start_time=at("15:00"), end_time=at("15:30"))
    given = {"estudiante": host.pk, "kind": "otra", "minutes": "30"}

    hours = list_hours(panel.get(PAGE, {"estudiante": host.pk}))
    shorter = list_hours(panel.get(PAGE, given))

    assert (hours, shorter) == (["13:00", "13:30"], ["13:00", "13:30", "14:00"])


def test_a_free_hour_is_booked_and_opens_the_chat(panel, host, price):
    User.objects.filter(pk=host.pk).update(phone="341 555 0199")

    done = panel.post(
        f"{PAGE}?estudiante={host.pk}", {"kind": price.pk, "slot": f"{TOMORROW}T10:00"}
    )

    booked = VirtualClass.objects.get()
    assert booked.start_time == at("10:00", TOMORROW)
    assert done["Location"].startswith("https://wa.me/5493415550199?text=Hola%20Ana")
    assert quote(booked.link.token) in done["Location"]


def test_browsers_may_follow_the_form_to_the_chat(panel):
    policy = panel.get(PAGE)["Content-Security-Policy"]

    [form_action] = [part for part in policy.split(";") if "form-action" in part]
    assert "https://wa.me https://api.whatsapp.com" in form_action


def test_the_class_that_the_student_booked_last_is_proposed(panel, host, price):
    individual = {"class_type": ClassType.INDIVIDUAL, "amount": 1, "valid_from": "2026-01-01"}
    Price.objects.create(minutes=30, **individual)
    usual = Price.objects.create(minutes=60, **individual)
    new = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["kind"]
    VirtualClassFactory(booked_by=host, max_participants=2)

    known = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["kind"]

    assert (new, known) == (str(usual.pk), str(price.pk))


def test_the_price_of_the_list_counts_unless_she_names_another(send, price):
    send(kind=price.pk)
    send(kind=price.pk, clock="12:00", price="20.000")

    amounts = VirtualClass.objects.order_by("start_time").values_list("class_price", flat=True)
    assert list(amounts) == [2_400_000, 2_000_000]


def test_a_paid_class_leads_to_its_sheet(send, price, host, teacher):
    done = send(kind=price.pk, text="Viajes")

    booked = VirtualClass.objects.get()
    assert done.redirect_chain[-1][0] == reverse("admin:class_sheet", args=[booked.pk])
    assert "la clase de Ana Host está agendada" in plain_text_of(done)
    assert (booked.booked_by, booked.max_participants, booked.start_time) == (
        host,
        3,
        at("10:00", TOMORROW),
    )
    assert LogEntry.objects.filter(user=teacher, object_id=str(booked.pk)).count() == 1


def test_a_class_to_be_paid_says_until_when_the_time_is_kept(send, price, host):
    done = send(kind=price.pk, is_paid="", day=f"{days_later(7)}")

    assert "le guardamos la hora hasta el mié 18 nov, 12:00." in plain_text_of(done)
    assert Notice.objects.get(kind=NoticeKind.BOOKED_FOR).user == host


def test_a_class_outside_the_list_takes_what_she_types(send):
    send(kind="otra", minutes="45", students="1", price="9.000,50")

    booked = VirtualClass.objects.get()
    assert (booked.class_type, booked.class_price) == (ClassType.INDIVIDUAL, 900_050)
    assert booked.end_time == at("10:45", TOMORROW)
    assert booked.is_scheduled


def test_what_cannot_be_is_said_and_books_nothing(send, price):
    for given, says in (
        ({"kind": "otra", "minutes": "45", "students": "1"}, "poné su precio"),
        ({"kind": "otra", "price": "1.000"}, "Decí cuántos minutos dura"),
        ({"kind": "otra", "minutes": "45", "students": "1", "price": "1,5"}, "Escribí los pesos"),
        ({"kind": "nada"}, "Qué clase"),
        ({"day": "2026-11-16", "clock": "11:00"}, "Ese horario ya pasó."),
        ({"day": "x"}, "Día"),
        ({"clock": ""}, "Elegí una hora."),
    ):
        page = plain_text_of(send(**{"kind": price.pk, **given}))
        assert "Revisá estos datos" in page
        assert says in page

    assert not VirtualClass.objects.exists()


def test_students_are_found_by_words_and_staff_and_closed_accounts_are_not(panel, host, teacher):
    UserFactory(name="Ana Closed", status="suspended")

    found = panel.get(PAGE, {"q": "ana exam"}).context["people"]
    unknown = panel.get(PAGE, {"q": "nadie"})

    assert list(found) == [host]
    assert "No encontramos a nadie con «nadie»." in plain_text_of(unknown)


def test_the_page_costs_the_same_for_more_students(panel, django_assert_num_queries):
    UserFactory.create_batch(3)

    with django_assert_num_queries(12):
        panel.get(PAGE)


# --- Offers ---------------------------------------------------------------------------------------


def test_offers_are_there_too_also_those_behind_a_link(panel, host, price):
    make_trial()
    make_offer(name="Empresa", key="empresa23456", is_listed=False)
    make_offer(name="Vieja", key="vieja2345678", is_active=False)

    page = plain_text_of(panel.get(f"{PAGE}?estudiante={host.pk}"))

    assert "Clase de prueba 30 min Gratis" in page
    assert "Empresa 60 min · solo con enlace $ 18.000" in page
    assert "Vieja" not in page


# --- A person without an account ------------------------------------------------------------------

LUCIA = {"who": "Lucía Lagos", "phone": "0341 15 555-0199", "email": ""}
FORM = {"day": f"{TOMORROW}", "clock": "10:00"}


def test_the_class_is_booked_and_its_link_is_ready_to_send(panel, price):
    chat = panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})
    booked = VirtualClass.objects.get()
    done = panel.get(reverse("admin:class_sheet", args=[booked.pk]))

    assert chat["Location"].startswith("https://wa.me/5493415550199?text=Hola%20Luc%C3%ADa")
    lucia, page = booked.booked_by, done.content.decode()
    assert (lucia.name, lucia.phone, lucia.is_placeholder) == (
        "Lucía Lagos",
        "+54 9 341 555-0199",
        True,
    )
    assert "https://wa.me/5493415550199?text=Hola%20Luc%C3%ADa" in page
    assert quote(booked.link.token) in page
    assert f'data-copy="{settings.BASE_URL}/clase/{booked.link.token}"' in page
    assert "no le llega nada hasta que se lo mandes" in plain_text_of(done)
    assert "sin-cuenta.invalid" not in page


def test_a_known_address_gets_the_mail(panel, price, teacher):
    given = {**LUCIA, "phone": "", "email": "Lucia@Example.com"}
    done = panel.post(PAGE, {**given, **FORM, "kind": price.pk}, follow=True)
    booked = VirtualClass.objects.get()

    again = panel.post(
        reverse("admin:bookings_virtualclass_mail_link", args=[booked.pk]), follow=True
    )

    assert "https://wa.me/?text=" in done.content.decode()
    assert "Le mandamos el enlace a lucia@example.com." in plain_text_of(again)
    kinds = Notice.objects.values_list("kind", flat=True)
    assert sorted(kinds) == sorted([NoticeKind.BOOKED_FOR, NoticeKind.CLASS_LINK])
    assert booked.log.filter(event=ClassEvent.LINK_MAILED, actor=teacher).count() == 1


def test_without_an_address_no_mail_is_asked_for(panel, price):
    panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})
    booked = VirtualClass.objects.get()

    page = panel.post(
        reverse("admin:bookings_virtualclass_mail_link", args=[booked.pk]), follow=True
    )

    assert "mandale el enlace por WhatsApp" in plain_text_of(page)
    assert not Notice.objects.filter(kind=NoticeKind.CLASS_LINK).exists()


def test_a_phone_in_another_spelling_is_recognised(panel, host, price):
    host.phone, phone = "0341 15 5550199", "+54 9 341 555-0199"
    host.save()

    given = {**LUCIA, "phone": phone, "kind": price.pk, "slot": f"{TOMORROW}T10:00"}
    asked = panel.post(PAGE, given)
    another = panel.post(PAGE, given | {"is_another": "1"})

    assert "Ya conocés a alguien con ese teléfono" in plain_text_of(asked)
    link = f"?estudiante={host.pk}&amp;inicio={TOMORROW}T10:00"
    assert link in asked.content.decode()
    assert another.status_code == 302
    assert VirtualClass.objects.get().booked_by.name == "Lucía Lagos"


def test_an_address_is_one_person_s(panel, host, price):
    given = LUCIA | {"email": host.email, "is_another": "1"}
    asked = panel.post(PAGE, {**given, **FORM, "kind": price.pk})

    assert f"?estudiante={host.pk}" in asked.content.decode()
    assert "No, es otra persona" not in plain_text_of(asked)
    assert not VirtualClass.objects.exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"who": "<b>x</b>"}, "Escribí tu nombre con letras"),
        ({"phone": ""}, "Poné su teléfono o su correo"),
        ({"phone": "555"}, "código de área"),
        ({"email": "a@sin-cuenta.invalid"}, "Ese correo no existe."),
    ],
)
def test_a_person_who_cannot_be_is_refused(given, says):
    form = PersonForm(LUCIA | given)

    assert says in " ".join(f"{form[name].label}: {form[name].errors}" for name in form.errors)


def test_a_refused_class_leaves_nobody_behind(panel, student, price):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("10:30", TOMORROW))

    page = panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})

    assert "A esa hora está la clase de Bruno Student" in plain_text_of(page)
    assert not User.objects.filter(status="placeholder").exists()


def test_a_provider_that_is_down_leaves_nobody_behind(panel, price, mercadopago):
    mercadopago.fault("preferences.create", *[Fault.status(503)] * 9)

    page = panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})

    assert "no se reservó nada" in plain_text_of(page)
    assert not User.objects.filter(status="placeholder").exists()


def test_it_lists_people_only_for_staff_who_may_see_them(sign_in, host):
    staff = UserFactory(is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename="change_virtualclass"))

    assert sign_in(staff).get(PAGE).status_code == 403

    staff.user_permissions.add(Permission.objects.get(codename="view_user"))
    assert str(host) in sign_in(User.objects.get(pk=staff.pk)).get(PAGE).content.decode()
