"""Transfers in the panel: the account, one answer, and many."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from bookings.domain.exceptions import TooManyTransfersError
from bookings.domain.sales.buying import release_place
from bookings.domain.sales.transfers import GATHER, announce_transfer, refuse_transfer
from bookings.models import BankTransfer, BookingRules, Notice, TransferState
from bookings.notices.delivery import deliver_due
from bookings.panel.sales.transfer_account import read_bank_account
from tests.factories import BankTransferFactory, UserFactory
from tests.pages.texts import text_of
from tests.panel.steps import confirm_several
from tests.sales.open_classes import hold, in_days
from tests.sales.open_classes import store as publish
from tests.sales.transfers import ALIAS, START, announce, store, take_transfers

pytestmark = pytest.mark.django_db

LIST, NUMBER = "/admin/transferencias/", "12345678"


@pytest.fixture
def panel(teacher, sign_in):
    return sign_in(teacher)


@pytest.fixture(autouse=True)
def _rules(db, mercadopago, google):
    take_transfers()


@pytest.fixture
def transfer(host):
    return BankTransferFactory(purchase=store(host).purchase, operation_number=NUMBER)


# --- The rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (" clases.con.paula ", "clases.con.paula"),
        ("0720000720000001234566", None),
        ("2850590940090418135201", "2850590940090418135201"),
        ("2850590 9-4009041813520.1", "2850590940090418135201"),
        ("2850590940090418135202", None),
        ("2850590940090418135", None),
        ("corto", None),
        ("con espacio", None),
        ("x" * 21, None),
        ("ñandú.alias", None),
    ],
)
def test_an_account_is_an_alias_or_a_cbu_with_its_check_digits(typed, stored):
    if stored is None:
        with pytest.raises(ValidationError):
            read_bank_account(typed)
    else:
        assert read_bank_account(typed) == stored


def save_account(panel, **changes):
    address = reverse("admin:transfer_account")
    form = panel.get(address).context["form"]
    return panel.post(address, {name: form[name].value() for name in form.fields} | changes)


def test_an_account_needs_its_holder(panel):
    answer = save_account(panel, transfer_alias="otra.cuenta", transfer_holder="")

    assert "Tus estudiantes lo comparan antes de transferir." in text_of(answer)
    assert BookingRules.load().transfer_alias == ALIAS


def announce_place(user, teacher, day=7):
    place = hold(publish(teacher, start=in_days(day)), user)
    transfer = announce_transfer(user=user, purchase=place, operation_number="12345678")
    release_place(user=user, purchase_id=place.pk)
    return transfer


def test_a_person_has_three_announcements_to_decide_at_most(teacher, student, stranger):
    for day in range(3):
        announce_place(student, teacher, 7 + day)

    with pytest.raises(TooManyTransfersError, match="todavía no confirmó"):
        announce_place(student, teacher, 10)

    assert BankTransfer.objects.filter(purchase__person=student).count() == 3
    assert announce_place(stranger, teacher, 11)


def test_a_person_announces_five_times_a_day_at_most(teacher, student):
    booked = [store(student, start=START + timedelta(days=day)) for day in range(6)]
    for one in booked[:5]:
        refuse_transfer(transfer_id=announce(one).pk, actor=teacher)

    with pytest.raises(TooManyTransfersError, match="Mañana"):
        announce(booked[5])

    BankTransfer.objects.update(announced_at=timezone.now() - timedelta(days=1))
    assert announce(booked[5])


def test_several_that_wait_are_one_mail(teacher, time_machine):
    now = timezone.now()
    people = UserFactory.create_batch(4)
    for minute, person in enumerate(people):
        time_machine.move_to(now + timedelta(minutes=2 * minute), tick=False)
        announce(store(person, start=START + timedelta(hours=2 * minute)))
        deliver_due()
    [first] = mail.outbox

    time_machine.move_to(now + GATHER + timedelta(minutes=10), tick=False)
    deliver_due()

    _, together = mail.outbox
    assert str(people[0]) in first.body
    assert "También esperan" not in first.body
    assert all(str(person) in together.body for person in people)
    assert LIST in together.body
    assert not Notice.objects.filter(kind="transfer_announced", next_attempt_at__isnull=False)


def announced(count):
    return [
        BankTransferFactory(
            purchase=store(UserFactory(), start=START + timedelta(hours=2 * number)).purchase,
            operation_number=f"1234{number}",
        )
        for number in range(count)
    ]


def test_several_are_refused_at_once(teacher, sign_in):
    one, two, _ = announced(3)
    panel = sign_in(teacher)
    assert f'value="{two.pk}" form="no-llego"' in panel.get(LIST).content.decode()

    confirm_several(panel, [one, two], "no-llego")

    refused = BankTransfer.objects.filter(state=TransferState.REFUSED)
    assert set(refused) == {one, two}
    assert Notice.objects.filter(kind="transfer_refused").count() == 2
