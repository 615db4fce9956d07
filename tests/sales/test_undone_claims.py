"""domain/people/claiming.py: a claim by a forwarded link destroys nothing."""

from datetime import timedelta

import pytest
import time_machine

from accounts.models import User
from bookings.domain.calendar.drafts import list_guests
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.money.takings import find_balance
from bookings.domain.people.claiming import (
    LinkState,
    claim_class,
    confirm_claim,
    find_link,
    return_claim,
)
from bookings.domain.people.personal_data import (
    CLAIM_KEPT,
    erase_person,
    export_person,
    forget_claims,
)
from bookings.models import ClassEvent, ClassLink, ClassStatus, Notice, NoticeKind, VirtualClass
from tests.sales.transfers import announce, take_transfers
from tests.sales.written_down import ADDRESS, PHONE, book_class_for, write_lucia

pytestmark = pytest.mark.django_db

WORDS = {"learning_focus": "Mi divorcio, en pasado."}


@pytest.fixture
def lucia(db):
    lucia = write_lucia(email=ADDRESS)
    User.objects.filter(pk=lucia.pk).update(private_notes="Teme a los perros.")
    return lucia


@pytest.fixture
def group(lucia, teacher):
    """Her class with an access code, paid to the teacher and scheduled."""
    group = book_class_for(lucia, teacher, is_paid=True, students=3)
    VirtualClass.objects.filter(pk=group.pk).update(**WORDS)
    return group


@pytest.fixture
def unpaid(lucia, teacher, mercadopago):
    """Her class with a preference, and an announced transfer besides."""
    take_transfers()
    unpaid = book_class_for(lucia, teacher, days=1)
    VirtualClass.objects.filter(pk=unpaid.pk).update(**WORDS)
    announce(VirtualClass.objects.get(pk=unpaid.pk))
    return unpaid


def claim(user, virtual_class):
    return claim_class(user=user, token=ClassLink.objects.get(pk=virtual_class.pk).token)


def describe(person):
    """Everything that the service knows of a person, as it was before any claim."""
    person = User.objects.get(pk=person.pk)
    about_claims = NoticeKind.LINK_CLAIMED, NoticeKind.OWN_LINK_CLAIMED
    not_stored = "updated_at", "guests_changed_at"
    sale = "pk", "virtual_class", "price", "state", "kept_until", "paid_at"
    classes = {one["id"]: one for one in person.booked_classes.values()}
    return {
        "person": (person.phone, person.private_notes, person.total_classes),
        "classes": [
            {name: value for name, value in one.items() if name not in not_stored}
            for _, one in sorted(classes.items())
        ],
        "parts": list(person.activities.order_by("pk").values("virtual_class", "rol", "completed")),
        "purchases": list(
            person.purchases.order_by("pk").values(*sale, "payment", "transfers__state")
        ),
        "kept": list(person.holds.order_by("pk").values("pk", "purchase")),
        "mails": list(
            person.notices.exclude(kind__in=about_claims).order_by("pk").values("pk", "sent_at")
        ),
        "balance": find_balance(person),
    }


def rename(described, old, new):
    """The same as another person's."""
    for one in described["classes"]:
        one["booked_by_id"] = new.pk if one["booked_by_id"] == old.pk else one["booked_by_id"]
        one["participants_ids"] = [
            str(new.pk) if key == str(old.pk) else key for key in one["participants_ids"]
        ]
    return described


def test_a_wrong_claim_undone_and_a_right_one_lose_nothing(
    group, unpaid, lucia, student, host, teacher
):
    before, name = describe(lucia), (lucia.name, lucia.mail_address)
    for one in (group, unpaid):
        claim(student, one)

    for one in (group, unpaid):
        return_claim(class_id=one.pk, by=teacher, fresh_sign_in=True)

    lucia = User.objects.get(pk=lucia.pk)
    assert (describe(lucia), (lucia.name, lucia.mail_address)) == (before, name)
    nothing = {key: [] for key in ("classes", "parts", "purchases", "kept", "mails")}
    assert describe(student).items() >= nothing.items()

    claim(host, group)
    confirm_claim(class_id=group.pk, by=teacher, fresh_sign_in=True)

    assert describe(host) == rename(before, lucia, host)
    assert WORDS["learning_focus"] in export_person(host)


def test_the_way_back_ends_the_link_and_the_invitation(group, student, teacher):
    token = group.link.token
    claim(student, group)

    returned = return_claim(class_id=group.pk, by=teacher, fresh_sign_in=True)

    assert find_link(token).state == LinkState.REPLACED
    assert find_link(ClassLink.objects.get().token).state == LinkState.OPEN
    assert list_guests(returned) == ()
    line = group.log.get(event=ClassEvent.UNCLAIMED)
    assert (line.actor, line.details) == (teacher, {"person": str(student.pk)})


def test_cancelling_by_the_wrong_account_leaves_everything_but_the_time(
    group, lucia, student, teacher, google
):
    claim(student, group)
    cancel_class(class_id=group.pk, actor=student)

    returned = return_claim(class_id=group.pk, by=teacher, fresh_sign_in=True)

    assert (returned.booked_by, returned.status) == (lucia, ClassStatus.CANCELLED)
    assert returned.learning_focus == WORDS["learning_focus"]
    assert find_balance(lucia).to_return == group.class_price
    told = Notice.objects.filter(kind=NoticeKind.CANCELLED)
    assert {one.user for one in told} == {student, lucia}


# --- Erasing --------------------------------------------------------------------------------------


def test_erasing_the_account_gives_the_classes_back(group, unpaid, lucia, student):
    before, tokens = describe(lucia), [one.link.token for one in (group, unpaid)]
    for one in (group, unpaid):
        claim(student, one)

    erase_person(user=student, by=student)

    assert describe(lucia) == before
    assert {find_link(token).state for token in tokens} == {LinkState.OPEN}


def test_erasing_the_written_down_person_leaves_the_claimed_class(group, lucia, student):
    claim(student, group)

    erase_person(user=lucia, by=lucia)

    group.refresh_from_db()
    assert (group.booked_by, group.learning_focus) == (student, "")
    assert not ClassLink.objects.get().is_undecided
    assert not User.objects.filter(phone=PHONE).exists()


def test_a_claim_is_settled_two_weeks_after_the_class(group, lucia, student):
    claim(student, group)

    with time_machine.travel(group.end_time + CLAIM_KEPT - timedelta(minutes=1)):
        assert forget_claims() == 0
    with time_machine.travel(group.end_time + CLAIM_KEPT + timedelta(minutes=1)):
        assert forget_claims() == 1

    assert not User.objects.filter(pk=lucia.pk).exists()
    assert not Notice.objects.filter(user=lucia.pk).exists()
    assert "perros" in group.log.get(event=ClassEvent.CLAIMED).reason
    assert WORDS["learning_focus"] not in export_person(student)
