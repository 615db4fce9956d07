"""Following a calendar by sync token."""

import pytest

from calendar_sync import CalendarError
from calendar_sync.models import SyncState
from calendar_sync.push.following import pull_changes, remember
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def test_the_first_pull_is_blind(google, token):
    pull = pull_changes(refresh_token=token)

    assert pull.is_blind
    assert not SyncState.objects.exists()
    remember(pull)
    state = SyncState.objects.get()
    assert state.sync_token == pull.changes.sync_token
    assert state.synced_at is not None


def test_later_pulls_tell_what_changed_until_it_is_remembered(google, token):
    remember(pull_changes(refresh_token=token))
    google.add_event(id="abcde")

    first, again = (pull_changes(refresh_token=token) for _ in range(2))
    remember(first)
    after = pull_changes(refresh_token=token)

    assert first.changes.event_ids == again.changes.event_ids == {"abcde"}
    assert not first.is_blind
    assert after.changes.event_ids == frozenset()


def test_an_expired_token_begins_again(google, token):
    remember(pull_changes(refresh_token=token))
    google.expire_sync_tokens()

    pull = pull_changes(refresh_token=token)

    assert pull.is_blind
    remember(pull)
    assert not pull_changes(refresh_token=token).is_blind


def test_a_slower_process_does_not_throw_a_faster_one_back(google, token):
    remember(pull_changes(refresh_token=token))
    google.add_event(id="abcde")
    slow = pull_changes(refresh_token=token)
    google.add_event(id="fghij")
    fast = pull_changes(refresh_token=token)
    remember(fast)

    remember(slow)

    assert SyncState.objects.get().sync_token == fast.changes.sync_token


@pytest.mark.parametrize("fault", [Fault.status(500), Fault.status(401), Fault.reset()])
def test_a_failing_calendar_leaves_the_state_as_it_was(google, token, fault):
    remember(pull_changes(refresh_token=token))
    before = SyncState.objects.values().get()
    google.fault("events.list", *[fault] * 6)

    with pytest.raises(CalendarError):
        pull_changes(refresh_token=token)

    assert SyncState.objects.values().get() == before
