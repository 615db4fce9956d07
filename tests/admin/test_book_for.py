"""The page on which the teacher books for a student."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from bookings.models import ClassType, Notice, NoticeKind, Price, VirtualClass
from tests.admin.moments import at, days_later
from tests.admin.test_week import text_of
from tests.factories import HoldFactory, UserFactory, VirtualClassFactory

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
    assert "Grupal, 60 min, hasta 3 personas · $ 24.000" in text_of(form).replace("\xa0", " ")
    assert "hasta el mar 17 nov, 10:00" in text_of(form)


@pytest.mark.parametrize("start", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00", "x"])
def test_a_time_outside_the_calendar_proposes_none(panel, host, price, start):
    form = panel.get(PAGE, {"estudiante": host.pk, "inicio": start}).context["form"]

    assert "day" not in form.initial


def test_the_class_that_the_student_booked_last_is_proposed(panel, host, price):
    shorter = Price.objects.create(
        class_type=ClassType.INDIVIDUAL, minutes=30, amount=1, valid_from="2026-01-01"
    )
    new = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["offer"]
    VirtualClassFactory(booked_by=host, max_participants=2)

    known = panel.get(PAGE, {"estudiante": host.pk}).context["form"].initial["offer"]

    assert (new, known) == (str(shorter.pk), str(price.pk))


def test_the_price_of_the_list_counts_unless_she_names_another(send, price):
    send(offer=price.pk)
    send(offer=price.pk, clock="12:00", price="20.000")

    amounts = VirtualClass.objects.order_by("start_time").values_list("class_price", flat=True)
    assert list(amounts) == [2_400_000, 2_000_000]


def test_a_paid_class_leads_to_its_sheet(send, price, host, teacher):
    done = send(offer=price.pk, text="Viajes")

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
    done = send(offer=price.pk, payment="despues", day=f"{days_later(7)}")

    assert "le guardamos la hora hasta el mié 18 nov, 12:00." in text_of(done)
    assert Notice.objects.get(kind=NoticeKind.BOOKED_FOR).user == host


def test_a_class_outside_the_list_takes_what_she_types(send):
    send(offer="otra", minutes="45", students="1", price="9.000,50")

    booked = VirtualClass.objects.get()
    assert (booked.class_type, booked.class_price) == (ClassType.INDIVIDUAL, 900_050)
    assert booked.end_time == at("10:45", TOMORROW)
    assert booked.is_scheduled


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"offer": "otra", "minutes": "45", "students": "1"}, "poné su precio"),
        ({"offer": "otra", "price": "1.000"}, "Decí cuántos minutos dura"),
        ({"offer": "otra", "minutes": "45", "students": "1", "price": "1,5"}, "Escribí los pesos"),
        ({"offer": "nada"}, "Qué clase"),
        ({"day": "2026-11-16", "clock": "11:00"}, "Ese horario ya pasó."),
        ({"day": "x"}, "Día"),
        ({"payment": "no"}, "El pago"),
    ],
)
def test_what_cannot_be_is_said_and_books_nothing(send, price, given, says):
    page = send(**{"offer": price.pk, **given})

    assert "Revisá estos datos" in text_of(page)
    assert says in text_of(page)
    assert not VirtualClass.objects.exists()


def test_a_taken_hour_names_who_has_it(send, price, student):
    VirtualClassFactory(scheduled=True, booked_by=student, start_time=at("10:30", TOMORROW))

    assert "A esa hora está la clase de Bruno Student (10:30 a 11:30)." in text_of(
        send(offer=price.pk)
    )


def test_an_hour_that_a_student_holds_says_until_when(send, price, student):
    HoldFactory(
        user=student,
        start_time=at("10:00", TOMORROW),
        end_time=at("11:00", TOMORROW),
        class_type="individual",
        expires_at=at("12:15"),
    )

    page = text_of(send(offer=price.pk))

    assert "Bruno Student está eligiendo una clase a esa hora (10:00 a 11:00)." in page
    assert "Se la guardamos hasta el lun 16 nov, 12:15." in page


def test_a_second_tap_books_nothing_more(send, price):
    send(offer=price.pk)

    page = send(offer=price.pk)

    assert "A esa hora está la clase de Ana Host" in text_of(page)
    assert VirtualClass.objects.count() == 1


def test_students_are_found_by_words_and_staff_and_closed_accounts_are_not(panel, host, teacher):
    UserFactory(name="Ana Closed", status="suspended")

    found = panel.get(PAGE, {"q": "ana exam"}).context["people"]
    unknown = panel.get(PAGE, {"q": "nadie"})

    assert list(found) == [host]
    assert "No encontramos a nadie con «nadie»." in text_of(unknown)


@pytest.mark.parametrize("key", ["x", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_student_is_asked_for(panel, key):
    assert "¿Para quién es la clase?" in text_of(panel.get(PAGE, {"estudiante": key}))


@pytest.mark.parametrize("start", ["0001-01-01T00:00Z", "9999-12-31T23:59-12:00", "2026-11-17T10"])
@pytest.mark.parametrize("chosen", [False, True])
def test_a_start_beyond_all_calendars_breaks_nothing(panel, host, price, start, chosen):
    asked = {"inicio": start} | ({"estudiante": host.pk} if chosen else {})

    assert panel.get(PAGE, asked).status_code == 200


def test_a_thousand_words_break_no_search(panel, host):
    assert panel.get(PAGE, {"q": "a " * 2_000}).status_code == 200


def test_staff_who_may_only_look_book_nothing(sign_in, host):
    client = sign_in(UserFactory(is_staff=True))

    assert client.post(f"{PAGE}?estudiante={host.pk}", {}).status_code == 403


def test_the_list_of_students_costs_two_queries(panel, django_assert_num_queries):
    UserFactory.create_batch(3)

    with django_assert_num_queries(2):
        panel.get(PAGE)
