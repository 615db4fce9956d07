"""The teacher's students: found, and seen in one file."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.people import students
from bookings.domain.people.personal_data import erase_person
from bookings.domain.people.students import find_students, list_bookable
from bookings.domain.places.joining import join_class
from bookings.domain.sales.settling import settle
from bookings.models import ClassStatus, UserActivity, VirtualClass
from tests.factories import UserFactory, VirtualClassFactory
from tests.pages.texts import plain_text_of
from tests.panel.moments import NOW, at, days_later
from tests.payments import make_payment
from tests.sales.money_rows import charged_back

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST = reverse("admin:students")
SECRET = "Le cuesta el pasado. Paga la abuela."


def file_of(person):
    return reverse("admin:student", args=[person.pk])


def names(words=""):
    return [card.person.name for card in find_students(words=words).cards]


# --- The list -------------------------------------------------------------------------------------


@pytest.fixture
def jose():
    return UserFactory(name="José Núñez", email="jo@correo.ar", phone="0341 15 555-0199")


def test_people_of_the_latest_classes_come_first_guests_too(host, student, stranger):
    VirtualClassFactory(scheduled=True, booked_by=host, start_time=at("10:00", days_later(1)))
    later = VirtualClassFactory(
        scheduled=True,
        booked_by=stranger,
        start_time=at("10:00", days_later(2)),
        access_code="ABCD2345",
        max_participants=2,
    )
    join_class(user=student, access_code=later.access_code)

    assert list(list_bookable()) == [student, stranger, host]


def test_a_student_is_found_by_name_mail_and_phone(jose, host):
    by_name = ["José", "jose", "JOSÉ", "nun jos", "Nuñez"]
    by_mail = ["correo.ar", "JO@CORREO.AR"]
    by_phone = ["0199", "555 0199", "+54 9 341 555-0199", "3415550199"]

    found = {words: names(words) for words in by_name + by_mail + by_phone}

    assert {words: who for words, who in found.items() if who != ["José Núñez"]} == {}


def test_a_name_in_another_alphabet_is_found(host):
    UserFactory(name="민준 Йорк")

    assert [names(words) for words in ("민준", "Йорк", "йорк")] == [["민준 Йорк"]] * 3


def test_neither_the_teacher_nor_an_erased_person_is_a_student(jose, teacher, host):
    erase_person(user=host, by=teacher, fresh_sign_in=True)

    assert names() == ["José Núñez"]


def test_the_pages_hold_each_student_once_by_name(monkeypatch):
    monkeypatch.setattr(students, "STUDENTS_A_PAGE", 2)
    people = {"a": "Zoe", "b": "ana", "c": "Ana", "beto": "", "d": "Eva"}
    for email, name in people.items():
        UserFactory(name=name, email=f"{email}@x.ar")

    pages = [find_students()]
    while pages[-1].last:
        pages.append(find_students(after=pages[-1].last))

    shown = [[card.person.email[:-5] for card in page.cards] for page in pages]
    assert [len(page) for page in shown] == [2, 2, 1]
    assert sorted(shown[0]) == ["b", "c"]
    assert shown[1:] == [["beto", "d"], ["a"]]


def test_a_card_shows_the_nearest_class_that_still_counts(panel, host, student):
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=at("18:00", days_later(3)))
    near = VirtualClassFactory(scheduled=True, start_time=at("15:00", days_later(1)))
    join_class(user=host, access_code=near.access_code)
    VirtualClassFactory(booked_by=host, status=ClassStatus.CANCELLED, start_time=at("13:00"))
    VirtualClassFactory(booked_by=host, start_time=at("14:00"), kept_until=NOW)

    page = plain_text_of(panel.get(LIST, {"q": "ana"}))

    assert "Ana Host Mar 17 nov, 15:00 Agendada" in page


@pytest.mark.parametrize("count", [1, 12])
def test_the_list_costs_the_same_for_more_students(panel, count, django_assert_max_num_queries):
    for _ in range(count):
        VirtualClassFactory(scheduled=True)
        VirtualClassFactory()

    with django_assert_max_num_queries(9):  # two of them find who asks
        panel.get(LIST)


# --- The file -------------------------------------------------------------------------------------


def test_the_file_tells_of_classes_purposes_and_absences(panel, host, student):
    host.phone, host.level = "0341 15 555-0199", "intermedio"
    host.save()
    VirtualClassFactory(booked_by=host, scheduled=True, start_time=at("15:00", days_later(1)))
    for days, focus in ((7, "Phrasal verbs"), (14, "Entrevista de trabajo")):
        given = VirtualClassFactory(
            booked_by=host,
            scheduled=True,
            start_time=at("15:00", days_later(-days)),
            learning_focus=focus,
        )
        VirtualClass.objects.filter(pk=given.pk).update(status=ClassStatus.COMPLETED)
    UserActivity.objects.filter(virtual_class=given).update(no_show=True)

    page = panel.get(file_of(host))

    said = plain_text_of(page)
    assert "Nivel intermedio" in said
    assert "Faltó 1 vez" in said
    assert "Mar 17 nov, 15:00 Grupal Agendada" in said
    assert "Lun 9 nov, 15:00 Grupal: Phrasal verbs Completada" in said
    assert "Lun 2 nov, 15:00 Grupal: Entrevista de trabajo Faltó" in said
    assert 'href="https://wa.me/5493415550199"' in page.content.decode()
    assert f'href="mailto:{host.email}"' in page.content.decode()


def test_a_guest_s_file_keeps_the_host_s_purpose_to_the_host(panel, host, student):
    group = VirtualClassFactory(booked_by=host, scheduled=True, learning_focus="Mi divorcio")
    join_class(user=student, access_code=group.access_code)

    page = plain_text_of(panel.get(file_of(student)))

    assert "Grupal de Ana Host" in page
    assert "Mi divorcio" not in page


def test_the_balance_names_what_was_paid_returned_and_is_owed(panel, teacher, host, mercadopago):
    payment = make_payment(host)
    mercadopago.pay(payment.preference_id)
    settle(payment.preference_id)
    cancel_class(
        class_id=payment.purchase.virtual_class_id, actor=teacher, fresh_sign_in=True, reason=""
    )
    settle(payment.preference_id)
    VirtualClassFactory(booked_by=host, scheduled=True, in_cash=timezone.now(), class_price=500_000)
    VirtualClassFactory(booked_by=host, scheduled=True, class_price=700_000)
    VirtualClassFactory(booked_by=host, class_price=900_000)  # asks for no money yet
    by_hand = VirtualClassFactory(
        booked_by=host, scheduled=True, in_cash=timezone.now(), class_price=100_000
    )
    cancel_class(class_id=by_hand.pk, actor=teacher, reason="")

    page = plain_text_of(panel.get(file_of(host)))

    assert "Pagó $ 30.000" in page
    assert "por Mercado Pago $ 24.000 anotado a mano $ 6.000" in page
    assert "Se le devolvió $ 24.000" in page
    assert "Sin pagar, 1 clase agendada o dada $ 7.000" in page
    assert "Para devolver a mano $ 1.000" in page
    assert "nadie debe nada" not in page


def test_a_chargeback_is_not_said_to_be_returned(panel):
    person = charged_back().person

    page = plain_text_of(panel.get(file_of(person)))

    assert "Pagó $ 15.000 Contracargos $ 15.000" in page
    assert "Se le devolvió" not in page


@pytest.mark.parametrize("person", ["teacher", "erased"])
def test_only_students_have_a_file(panel, teacher, host, person):
    erase_person(user=host, by=teacher, fresh_sign_in=True)

    assert panel.get(file_of(teacher if person == "teacher" else host)).status_code == 404


# --- The private notes ----------------------------------------------------------------------------


@pytest.fixture
def noted(panel, host):
    panel.post(file_of(host), {"notes": SECRET})
    host.refresh_from_db()
    return host


def test_notes_are_kept_and_logged_without_their_words(panel, noted, teacher):
    assert SECRET in panel.get(file_of(noted)).content.decode()
    [line] = LogEntry.objects.filter(object_id=str(noted.pk), user=teacher)
    assert line.get_change_message() == "Cambió sus notas privadas."


def test_notes_are_on_no_page_of_the_person_s_nor_of_others(noted, student, sign_in):
    group = VirtualClassFactory(booked_by=noted, scheduled=True)
    join_class(user=student, access_code=group.access_code)

    for person in (noted, student):
        client = sign_in(person)
        for path in (
            "/inicio",
            "/inicio/perfil",
            f"/inicio/clases/{group.pk}",
            "/api/user-data",
            "/api/auth/session",
        ):
            answer = client.get(path)
            assert answer.status_code == 200
            assert "abuela" not in answer.content.decode()


def test_too_long_notes_are_refused(panel, host):
    page = panel.post(file_of(host), {"notes": "x" * 4001})

    host.refresh_from_db()
    assert page.status_code == 200
    assert host.private_notes == ""


def test_staff_who_may_only_look_neither_reads_nor_keeps_notes(host, student, sign_in):
    student.private_notes = "Le cuesta el futuro."
    student.save()
    host.is_staff = True
    host.save()
    host.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client = sign_in(host)

    assert "Le cuesta" not in client.get(file_of(student)).content.decode()
    assert client.post(file_of(student), {"notes": SECRET}).status_code == 403
    student.refresh_from_db()
    assert student.private_notes == "Le cuesta el futuro."


def test_staff_who_see_neither_classes_nor_money_see_none_in_a_file(host, student, sign_in):
    VirtualClassFactory(booked_by=student, scheduled=True, learning_focus="Mi divorcio")
    host.is_staff = True
    host.save()
    host.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client = sign_in(host)

    assert "Sin clases por delante" not in plain_text_of(client.get(LIST))
    assert "Agendada" not in plain_text_of(client.get(LIST))
    file = plain_text_of(client.get(file_of(student)))
    assert student.name in file
    for secret in ("Mi divorcio", "Próximas clases", "Cuentas", "Sin pagar"):
        assert secret not in file
