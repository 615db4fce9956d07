"""The mails in the teacher's panel."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from bookings.models import Notice, NoticeKind, NoticeState
from tests.factories import UserFactory, VirtualClassFactory
from tests.panel.steps import confirm_several

LIST = "admin:bookings_notice_changelist"


@pytest.fixture
def notices(host):
    """A mail in each state."""
    now, later = timezone.now(), timezone.now() + timedelta(hours=1)
    virtual_class = VirtualClassFactory(booked_by=host)
    changes = {
        NoticeState.PLANNED: {"due_at": later, "next_attempt_at": later},
        NoticeState.DUE: {},
        NoticeState.SENT: {"sent_at": now, "next_attempt_at": None},
        NoticeState.FAILED: {"failure": "SMTPDataError 554", "next_attempt_at": None},
    }
    return {
        state: Notice.objects.create(
            virtual_class=virtual_class, user=UserFactory(), kind=NoticeKind.JOINED, **values
        )
        for state, values in changes.items()
    }


@pytest.mark.parametrize("state", NoticeState)
def test_the_list_is_parted_by_state(notices, teacher, sign_in, state):
    response = sign_in(teacher).get(reverse(LIST), {"estado": state.value})

    assert list(response.context["cl"].queryset) == [notices[state]]
    assert notices[state].state == state


def test_the_list_leaves_out_what_is_planned_until_asked(notices, teacher, sign_in):
    response = sign_in(teacher).get(reverse(LIST))

    shown = set(response.context["cl"].queryset)
    assert shown == {notice for state, notice in notices.items() if state != NoticeState.PLANNED}
    assert "Hasta ahora" in response.content.decode()


def test_the_teacher_sends_mails_again(notices, teacher, sign_in):
    confirm_several(sign_in(teacher), list(notices.values()), "enviar")

    # One that is planned is not on the list, and keeps its time.
    assert [notices[NoticeState.PLANNED].pk] == [
        notice.pk for notice in Notice.objects.all() if notice.state != NoticeState.DUE
    ]


def test_the_list_costs_the_same_for_more_mails(
    notices, teacher, sign_in, django_assert_max_num_queries
):
    client = sign_in(teacher)

    with django_assert_max_num_queries(5):
        client.get(reverse(LIST))
