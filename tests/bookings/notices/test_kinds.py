"""Every kind of mail can be written, in both languages."""

import pytest
from django.utils import timezone

from accounts.models import Language
from bookings.models import (
    ABOUT_NO_CLASS,
    ChargeStatus,
    Notice,
    NoticeKind,
    Payment,
    PaymentCharge,
    Refund,
)
from bookings.notices.rendering import render_mail
from bookings.notices.returned_money import name_refund
from tests.factories import VirtualClassFactory

ABOUT_REFUNDS = [NoticeKind.MONEY_RETURNED, NoticeKind.REFUND_FAILED]


def make_refund(user):
    charge = PaymentCharge.objects.create(
        payment=Payment.objects.create(user=user, amount=100),
        charge_id="140000000001",
        status=ChargeStatus.APPROVED,
        amount=100,
        currency="ARS",
        provider_updated_at=timezone.now(),
    )
    return Refund.objects.create(charge=charge, amount=100, key="key", reason="cancelled")


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", NoticeKind)
def test_each_kind_has_its_words(kind, language, student):
    student.language = language
    virtual_class = None if kind in ABOUT_NO_CLASS else VirtualClassFactory(scheduled=True)

    occasion = name_refund(make_refund(student)) if kind in ABOUT_REFUNDS else ""

    letter = render_mail(
        Notice(kind=kind, user=student, virtual_class=virtual_class, occasion=occasion)
    )

    assert letter.subject
    assert "Bruno" in letter.body
