"""domain/calendar/writing.py: making an event and taking it away may run side by side."""

from functools import partial

import pytest
from django.db import connection

from bookings.domain.calendar import writing
from bookings.domain.calendar.writing import request_withdrawal, withdraw_event, withdraw_events
from bookings.domain.classes import scheduling
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import ClassCancelledError
from bookings.models import ClassStatus, Notice, NoticeKind, VirtualClass
from calendar_sync import CalendarUnavailableError
from tests.factories import VirtualClassFactory
from tests.standins import Fault

PENDING_FOR_EVER = [Fault.status(503)] * 20


@pytest.fixture
def pending(host, teacher):
    return VirtualClassFactory(booked_by=host)


def after(monkeypatch, module, name, act):
    """Have something happen right after a function of the module did its work."""
    original = getattr(module, name)

    def and_then(*args, **kwargs):
        result = original(*args, **kwargs)
        monkeypatch.setattr(module, name, original)
        act()
        return result

    monkeypatch.setattr(module, name, and_then)


def before(monkeypatch, module, name, act):
    """Have something happen right before a function of the module does its work."""
    original = getattr(module, name)

    def act_first(*args, **kwargs):
        monkeypatch.setattr(module, name, original)
        act()
        return original(*args, **kwargs)

    monkeypatch.setattr(module, name, act_first)


def test_cancelling_before_the_wish_is_noted_makes_no_event(pending, google, teacher):
    wishes = iter([partial(cancel_class, class_id=pending.pk, actor=teacher)])

    def cancel_first(execute, sql, *args):
        if sql.startswith("UPDATE"):
            for cancel in wishes:
                cancel()
        return execute(sql, *args)

    with connection.execute_wrapper(cancel_first), pytest.raises(ClassCancelledError):
        schedule_class(preference_id=pending.preference_id)

    assert google.events() == []


def test_a_request_made_during_a_deletion_is_not_answered_by_it(
    pending, google, teacher, monkeypatch
):
    """Its event may have been made after that deletion, so it has to be deleted once more."""
    cancel_class(class_id=pending.pk, actor=teacher)
    request_withdrawal(pending)

    delete = writing.delete_event_of

    def delete_while_another_attempt_makes_it_again(virtual_class):
        is_removed = delete(virtual_class)
        writing.create_event(pending)
        request_withdrawal(pending)
        return is_removed

    with monkeypatch.context() as patch:
        patch.setattr(writing, "delete_event_of", delete_while_another_attempt_makes_it_again)
        withdraw_event(pending)
    assert len(google.live_events()) == 1

    withdraw_event(pending)

    assert google.live_events() == []
    assert VirtualClass.objects.get().withdrawal_requested_at is None


def test_an_event_that_lands_after_the_cancellation_is_withdrawn_by_the_sweep(
    pending, google, teacher, monkeypatch, settings
):
    def cancel_while_the_calendar_fails():
        cancel_class(class_id=pending.pk, actor=teacher)
        google.fault("events.delete", *PENDING_FOR_EVER)

    before(monkeypatch, scheduling, "create_event", cancel_while_the_calendar_fails)
    with pytest.raises(ClassCancelledError):
        schedule_class(preference_id=pending.preference_id)
    assert len(google.live_events()) == 1
    google.heal()

    assert withdraw_events() == 1

    assert google.live_events() == []
    assert VirtualClass.objects.get().withdrawal_requested_at is None


@pytest.fixture
def withdrawn(pending, google):
    """A class whose event is there, with its answer lost, and is to go."""
    google.fault("events.insert", Fault.lost(), Fault.lost(), *PENDING_FOR_EVER)
    google.fault("events.get", *PENDING_FOR_EVER)
    with pytest.raises(CalendarUnavailableError):
        schedule_class(preference_id=pending.preference_id)
    google.heal()
    request_withdrawal(pending)
    return pending


def schedule_before(monkeypatch, step, virtual_class):
    """Have a class scheduled right before a step of withdrawing its event."""
    before(
        monkeypatch,
        writing,
        step,
        lambda: schedule_class(preference_id=virtual_class.preference_id),
    )


def test_an_event_deleted_under_a_class_that_was_scheduled_meanwhile_is_restored(
    withdrawn, google, host, monkeypatch
):
    schedule_before(monkeypatch, "delete_event_of", withdrawn)

    withdraw_event(withdrawn)

    [event] = google.live_events()
    stored = VirtualClass.objects.get()
    assert (stored.status, stored.ics_sequence) == (ClassStatus.SCHEDULED, 1)
    assert stored.html_link == event["conferenceData"]["entryPoints"][0]["uri"]
    assert Notice.objects.get(kind=NoticeKind.LINK_CHANGED).user == host
