"""The page on which the teacher books for a student."""

from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse

from accounts.models import User
from bookings.models import ClassEvent, ClassType, Notice, NoticeKind, Price, VirtualClass
from bookings.panel.classes.class_forms import PersonForm
from tests.factories import HoldFactory, UserFactory, VirtualClassFactory
from tests.panel.moments import at, days_later
from tests.panel.test_week import text_of
from tests.sales.offers import make_offer, make_trial

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
    """Fill the form in for Ana, tomorrow at ten, and send it."""

    def post(**given):
        usual = {"day": f"{TOMORROW}", "clock": "10:00", "payment": "pagada"}
        return panel.post(f"{PAGE}?estudiante={host.pk}", usual | given, follow=True)

    return post


def test_the_free_hour_asks_for_whom_and_comes_filled_in(panel, host, price):
    choosing = panel.get(PAGE, {"inicio": f"{TOMORROW}T10:00"})
    link = f"?estudiante={host.pk}&amp;inicio={TOMORROW}T10:00"
    form = panel.get(PAGE, {"estudiante": host.pk, "inicio": f"{TOMORROW}T10:00"})

    assert link in choosing.content.decode()
    page = form.content.decode()
    assert f'value="{TOMORROW}"' in page
    assert 'value="10:00"' in page
    assert "Grupal, 60 min hasta 3 personas $ 24.000" in text_of(form).replace("\xa0", " ")
    assert "hasta el mar 17 nov, 10:00" in text_of(form)


def test_a_time_outside_the_calendar_proposes_none(panel, host, price):
    for start in ("0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00", "0001-01-01T00:00Z", "x"):
        assert panel.get(PAGE, {"inicio": start}).status_code == 200
        form = panel.get(PAGE, {"estudiante": host.pk, "inicio": start}).context["form"]
        assert "day" not in form.initial


def test_the_class_that_the_student_booked_last_is_proposed(panel, host, price):
    shorter = Price.objects.create(
        class_type=ClassType.INDIVIDUAL, minutes=30, amount=1, valid_from="2026-01-01"
    )
    new = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["kind"]
    VirtualClassFactory(booked_by=host, max_participants=2)

    known = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["kind"]

    assert (new, known) == (str(shorter.pk), str(price.pk))


def test_the_price_of_the_list_counts_unless_she_names_another(send, price):
    send(kind=price.pk)
    send(kind=price.pk, clock="12:00", price="20.000")

    amounts = VirtualClass.objects.order_by("start_time").values_list("class_price", flat=True)
    assert list(amounts) == [2_400_000, 2_000_000]


def test_a_paid_class_leads_to_its_sheet(send, price, host, teacher):
    done = send(kind=price.pk, text="Viajes")

    booked = VirtualClass.objects.get()
    assert done.redirect_chain[-1][0] == reverse("admin:class_sheet", args=[booked.pk])
    assert "la clase de Ana Host está agendada" in text_of(done)
    assert (booked.booked_by, booked.max_participants, booked.start_time) == (
        host,
        3,
        at("10:00", TOMORROW),
    )
    assert LogEntry.objects.filter(user=teacher, object_id=str(booked.pk)).count() == 1


def test_a_class_to_be_paid_says_until_when_the_time_is_kept(send, price, host):
    done = send(kind=price.pk, payment="despues", day=f"{days_later(7)}")

    assert "le guardamos la hora hasta el mié 18 nov, 12:00." in text_of(done)
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
        ({"payment": "no"}, "El pago"),
    ):
        page = text_of(send(**{"kind": price.pk, **given}))
        assert "Revisá estos datos" in page
        assert says in page

    assert not VirtualClass.objects.exists()


def test_a_taken_hour_names_who_has_it(send, price, student):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("10:30", TOMORROW))

    assert "A esa hora está la clase de Bruno Student (10:30 a 11:30)." in text_of(
        send(kind=price.pk)
    )


def test_an_hour_that_a_student_holds_says_until_when(send, price, student):
    HoldFactory(
        user=student,
        start_time=at("10:00", TOMORROW),
        end_time=at("11:00", TOMORROW),
        class_type="individual",
        expires_at=at("12:15"),
    )

    page = text_of(send(kind=price.pk))

    assert "Bruno Student está eligiendo una clase a esa hora (10:00 a 11:00)." in page
    assert "Se la guardamos hasta el lun 16 nov, 12:15." in page


def test_students_are_found_by_words_and_staff_and_closed_accounts_are_not(panel, host, teacher):
    UserFactory(name="Ana Closed", status="suspended")

    found = panel.get(PAGE, {"q": "ana exam"}).context["people"]
    unknown = panel.get(PAGE, {"q": "nadie"})

    assert list(found) == [host]
    assert "No encontramos a nadie con «nadie»." in text_of(unknown)


@pytest.mark.parametrize("key", ["x", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_student_is_asked_for(panel, key):
    assert "¿Para quién es la clase?" in text_of(panel.get(PAGE, {"estudiante": key}))


def test_staff_who_may_only_look_book_nothing(sign_in, host):
    client = sign_in(UserFactory(is_staff=True))

    assert client.post(f"{PAGE}?estudiante={host.pk}", {}).status_code == 403


def test_the_list_of_students_costs_two_queries(panel, django_assert_num_queries):
    UserFactory.create_batch(3)

    with django_assert_num_queries(2):
        panel.get(PAGE)


# --- Offers ---------------------------------------------------------------------------------------


def test_offers_are_there_too_also_those_behind_a_link(panel, host, price):
    make_trial()
    make_offer(name="Empresa", key="empresa23456", is_listed=False)
    make_offer(name="Vieja", key="vieja2345678", is_active=False)

    page = text_of(panel.get(f"{PAGE}?estudiante={host.pk}")).replace("\xa0", " ")

    assert "Clase de prueba 30 min Gratis" in page
    assert "Empresa 60 min · solo con enlace $ 18.000" in page
    assert "Vieja" not in page


def test_the_trial_class_is_free_and_is_booked_once(panel, send, host, price):
    trial = make_trial()

    send(kind=trial.prices.get().pk, payment="despues")
    form = panel.get(f"{PAGE}?estudiante={host.pk}")
    again = send(kind=trial.prices.get().pk, clock="15:00")

    booked = VirtualClass.objects.get()
    assert (booked.offer, booked.is_scheduled) == (trial, True)
    assert "ya la reservó: Clase de prueba." in text_of(form)
    assert "Qué clase" in text_of(again)


# --- A person without an account ------------------------------------------------------------------

LUCIA = {"who": "Lucía Lagos", "phone": "0341 15 555-0199", "email": ""}
FORM = {"day": f"{TOMORROW}", "clock": "10:00", "payment": "despues"}


def test_a_new_person_is_asked_for_and_then_the_class(panel, price):
    form = panel.post(f"{PAGE}?inicio={TOMORROW}T10:00", LUCIA)

    page = form.content.decode()
    assert "Reservar para Lucía Lagos" in text_of(form)
    assert 'name="who" value="Lucía Lagos"' in page
    assert "le mandás vos el enlace" in text_of(form)
    assert not User.objects.filter(status="placeholder").exists()


def test_the_class_is_booked_and_its_link_is_ready_to_send(panel, price):
    done = panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk}, follow=True)

    booked = VirtualClass.objects.get()
    lucia, page = booked.booked_by, done.content.decode()
    assert (lucia.name, lucia.phone, lucia.is_placeholder) == (
        "Lucía Lagos",
        "+54 9 341 555-0199",
        True,
    )
    assert "https://wa.me/5493415550199?text=Hola%20Luc%C3%ADa" in page
    assert quote(booked.link.token) in page
    assert f'data-copy="{settings.BASE_URL}/clase/{booked.link.token}"' in page
    assert "no le llega nada hasta que se lo mandes" in text_of(done)
    assert "sin-cuenta.invalid" not in page


def test_a_known_address_gets_the_mail(panel, price, teacher):
    given = {**LUCIA, "phone": "", "email": "Lucia@Example.com"}
    done = panel.post(PAGE, {**given, **FORM, "kind": price.pk}, follow=True)
    booked = VirtualClass.objects.get()

    again = panel.post(
        reverse("admin:bookings_virtualclass_mail_link", args=[booked.pk]), follow=True
    )

    assert "https://wa.me/?text=" in done.content.decode()
    assert "Le mandamos el enlace a lucia@example.com." in text_of(again)
    kinds = Notice.objects.order_by("created_at").values_list("kind", flat=True)
    assert list(kinds) == [NoticeKind.BOOKED_FOR, NoticeKind.CLASS_LINK]
    assert booked.log.filter(event=ClassEvent.LINK_MAILED, actor=teacher).count() == 1


def test_without_an_address_no_mail_is_asked_for(panel, price):
    panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})
    booked = VirtualClass.objects.get()

    page = panel.post(
        reverse("admin:bookings_virtualclass_mail_link", args=[booked.pk]), follow=True
    )

    assert "mandale el enlace por WhatsApp" in text_of(page)
    assert not Notice.objects.filter(kind=NoticeKind.CLASS_LINK).exists()


def test_a_phone_in_another_spelling_is_recognised(panel, host, price):
    host.phone, phone = "0341 15 5550199", "+54 9 341 555-0199"
    host.save()

    asked = panel.post(PAGE, LUCIA | {"phone": phone})
    another = panel.post(PAGE, LUCIA | {"phone": phone, "is_another": "1"})

    assert "¿Es esta persona?" in text_of(asked)
    assert f"?estudiante={host.pk}" in asked.content.decode()
    assert "Reservar para Lucía Lagos" in text_of(another)


def test_an_address_is_one_person_s(panel, host, price):
    given = LUCIA | {"email": host.email, "is_another": "1"}
    asked = panel.post(PAGE, {**given, **FORM, "kind": price.pk})

    assert f"?estudiante={host.pk}" in asked.content.decode()
    assert "No, es otra persona" not in text_of(asked)
    assert not VirtualClass.objects.exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"who": ""}, "Nombre"),
        ({"who": "<b>x</b>"}, "Escribí tu nombre con letras"),
        ({"phone": ""}, "Poné su teléfono o su correo"),
        ({"phone": "555"}, "código de área"),
        ({"phone": "1" * 31}, "Teléfono"),
        ({"email": "x"}, "correo"),
        ({"email": "a@sin-cuenta.invalid"}, "Ese correo no existe."),
    ],
)
def test_a_person_who_cannot_be_is_refused(given, says):
    form = PersonForm(LUCIA | given)

    assert says in " ".join(f"{form[name].label}: {form[name].errors}" for name in form.errors)


@pytest.mark.parametrize("given", [{"phone": ""}, {"who": "\x00"}], ids=["no address", "NUL"])
def test_a_person_who_cannot_be_is_not_written_down(panel, price, given):
    page = panel.post(PAGE, {**LUCIA, **given, **FORM, "kind": price.pk})

    assert "Revisá estos datos" in text_of(page)
    assert not User.objects.filter(status="placeholder").exists()


def test_a_refused_class_leaves_nobody_behind(panel, student, price):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("10:30", TOMORROW))

    page = panel.post(PAGE, {**LUCIA, **FORM, "kind": price.pk})

    assert "A esa hora está la clase de Bruno Student" in text_of(page)
    assert not User.objects.filter(status="placeholder").exists()


def test_it_lists_people_only_for_staff_who_may_see_them(sign_in, host):
    staff = UserFactory(is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename="change_virtualclass"))

    assert sign_in(staff).get(PAGE).status_code == 403

    staff.user_permissions.add(Permission.objects.get(codename="view_user"))
    assert host.email in sign_in(User.objects.get(pk=staff.pk)).get(PAGE).content.decode()
