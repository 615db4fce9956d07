"""The referee: reads rows, providers and mails after a drill, and names every promise that broke.

It only reads. What it looks for are the invariants of docs/drills.md, by the same numbers.
"""

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bookings.models import (
    ClassEvent,
    ClassStatus,
    HostType,
    NoticeKind,
    Role,
    VirtualClass,
    WaitingState,
)
from tests.drills.evidence import Kind, Outside, Promises, Rows, Violation
from tests.drills.ledger import IN_THE_CALENDAR, judge_money

CODE = re.compile(r"[0-9A-Z]{8}")
REMINDERS = {NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR}


def judge(rows: Rows, outside: Outside, promises: Promises, *, now: datetime) -> list[Violation]:
    """Name every broken promise, in the order of the invariants. now: by the drill's clock."""
    return [
        *_answers_hold(rows, promises),
        *_one_event_for_each_class(rows, outside),
        *_scheduled_whole_or_not_at_all(rows),
        *_counters_agree(rows),
        *judge_money(rows, outside),
        *_codes_stay(rows, promises),
        *_one_mail_for_each_occasion(rows, outside, now),
        *_completed_counts_once(rows),
        *_free_places_are_offered(rows, now),
    ]


def _answers_hold(rows: Rows, promises: Promises) -> Iterator[Violation]:
    """I1: what was answered with success is stored, once."""
    bookings = Counter(one.preference_id for one in rows.classes)
    for preference_id in sorted(promises.bookings):
        if bookings[preference_id] == 0:
            yield Violation("I1", "lost", "booking", preference_id)
    for preference_id, number in bookings.items():
        if number > 1:
            yield Violation("I1", "doubled", "booking", preference_id)
    stored = Counter((one.virtual_class_id, one.user_id) for one in rows.activities)
    for place in sorted(promises.places - promises.left):
        if stored[place] == 0:
            yield Violation("I1", "lost", "activity", str(place[0]))
    for place in sorted(promises.left):
        if stored[place]:
            yield Violation("I1", "wrong", "activity", f"of a guest who left {place[0]}")


def _one_event_for_each_class(rows: Rows, outside: Outside) -> Iterator[Violation]:
    """I2: a class in the calendar has one live event, under its id; nothing else of ours lives.

    One that was made twice is doubled even when one of the two has been removed since: people were
    invited twice.
    """
    made: defaultdict[str, set[str]] = defaultdict(set)
    live: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in outside.events:
        reference = event.get("extendedProperties", {}).get("private", {}).get("reference")
        if not reference:
            continue
        made[reference].add(event["id"])
        if event["status"] != "cancelled":
            live[reference].append(event)
    for one in rows.classes:
        events = live.pop(str(one.pk), [])
        if len(made[str(one.pk)]) > 1:
            yield Violation("I2", "doubled", "event", str(one.pk))
        if one.status not in IN_THE_CALENDAR:
            for event in events:
                yield Violation("I2", "wrong", "event", f"{event['id']} of a {one.status} class")
        elif not events:
            yield Violation("I2", "lost", "event", str(one.pk))
        elif events[0]["id"] != one.provider_event_id:
            yield Violation("I2", "wrong", "event", f"{one.pk} names another event")
        elif datetime.fromisoformat(events[0]["start"]["dateTime"]) != one.start_time:
            yield Violation("I2", "wrong", "event time", str(one.pk))
    for reference in live:
        yield Violation("I2", "wrong", "event", f"of no class: {reference}")


def _scheduled_whole_or_not_at_all(rows: Rows) -> Iterator[Violation]:
    """I3: a class in the calendar has everything that belongs to it, a pending one nothing."""
    hosts = Counter(one.virtual_class_id for one in rows.activities if one.rol == Role.HOST)
    lines = Counter(one.virtual_class_id for one in rows.log if one.event == ClassEvent.SCHEDULED)
    people = {one.virtual_class_id for one in rows.activities}
    for one in rows.classes:
        if one.status in IN_THE_CALENDAR:
            yield from _once("I3", "host", hosts[one.pk], one)
            yield from _once("I3", "log entry", lines[one.pk], one)
            parts = (one.access_code, one.provider_event_id, one.html_link, one.summary)
            if not all(parts) or one.host_type != HostType.HOST:
                yield Violation("I3", "wrong", "class", f"{one.pk} is not whole")
        if one.status == ClassStatus.PENDING and (
            one.access_code or one.provider_event_id or one.pk in people
        ):
            yield Violation("I3", "wrong", "class", f"{one.pk} is pending and half written")


def _counters_agree(rows: Rows) -> Iterator[Violation]:
    """I4: counter, list and rows name the same people, each once, and no more than fit."""
    people: defaultdict[uuid.UUID, list[str]] = defaultdict(list)
    for activity in rows.activities:
        people[activity.virtual_class_id].append(str(activity.user_id))
    for one in rows.classes:
        inside = people[one.pk]
        if len(inside) != len(set(inside)):
            yield Violation("I4", "doubled", "activity", str(one.pk))
        if len(inside) > one.capacity:
            yield Violation("I4", "doubled", "place", f"{len(inside)} in {one.pk}")
        was_scheduled = one.status in IN_THE_CALENDAR or bool(inside)
        agree = one.current_participants == len(inside) and sorted(inside) == sorted(
            one.participants_ids
        )
        if was_scheduled and not agree:
            counted = f"{one.current_participants} counted, {len(inside)} rows"
            yield Violation("I4", "wrong", "counter", f"{one.pk}: {counted}")


def _codes_stay(rows: Rows, promises: Promises) -> Iterator[Violation]:
    """I6: codes are unique, well formed, and stay what they were."""
    codes = Counter(one.access_code for one in rows.classes if one.access_code)
    for one in rows.classes:
        if one.access_code and not CODE.fullmatch(one.access_code):
            yield Violation("I6", "wrong", "code", str(one.pk))
        if one.pk in promises.codes and one.access_code != promises.codes[one.pk]:
            yield Violation("I6", "wrong", "code", f"of {one.pk} is another")
    for number in codes.values():
        if number > 1:
            yield Violation("I6", "doubled", "code", f"{number} classes share one")


def _one_mail_for_each_occasion(rows: Rows, outside: Outside, now: datetime) -> Iterator[Violation]:
    """I7: who is due a mail gets it, once; a crash may repeat it under the same Message-ID."""
    sent: defaultdict[str, set[str]] = defaultdict(set)
    for mail in outside.mails:
        # A notice's Message-ID begins with its own id.
        sent[mail.message_id.strip("<>").partition(".")[0]].add(mail.message_id)
    for notice in rows.notices:
        left = sent.pop(str(notice.pk), set())
        about = f"{notice.kind} to {notice.user.email}"
        if notice.sent_at is not None and not left:
            yield Violation("I7", "lost", "mail", f"{about}: said to be sent")
        if notice.next_attempt_at is not None and notice.due_at <= now:
            yield Violation("I7", "lost", "mail", f"{about}: still due")
        if notice.kind in REMINDERS and notice.failure and notice.sent_at is None:
            yield Violation("I7", "lost", "reminder", f"{about}: {notice.failure}")
        if len(left) > 1:
            yield Violation("I7", "doubled", "mail", about)
    for message_ids in sent.values():
        yield Violation("I7", "doubled", "mail", f"of no notice: {sorted(message_ids)}")
    yield from _everybody_was_told(rows)


def _everybody_was_told(rows: Rows) -> Iterator[Violation]:
    due = Counter(
        (one.virtual_class_id, one.user_id, one.kind, one.occasion) for one in rows.notices
    )
    for occasion, number in due.items():
        if number > 1:
            yield Violation("I7", "doubled", "notice", str(occasion[2]))
    told = {(class_id, user_id, kind) for class_id, user_id, kind, _ in due}
    classes = {one.pk: one for one in rows.classes}
    moved = {(one.virtual_class_id, one.event) for one in rows.log}
    for activity in rows.activities:
        one = classes[activity.virtual_class_id]
        is_host = activity.rol == Role.HOST
        if is_host and (one.pk, ClassEvent.PUBLISHED) in moved:
            continue  # the teacher, who gets no mails to people about it
        wanted = {NoticeKind.CONFIRMATION if is_host else NoticeKind.JOINED}
        if (one.pk, ClassEvent.RESCHEDULED) in moved:
            wanted.add(NoticeKind.RESCHEDULED)
        if (one.pk, ClassEvent.ZONE_CHANGED) in moved:
            wanted.add(NoticeKind.ZONE_CHANGED)
        if one.status == ClassStatus.CANCELLED:
            wanted.add(NoticeKind.CANCELLED)
        for kind in sorted(wanted):
            if (one.pk, activity.user_id, kind) not in told:
                yield Violation("I7", "lost", "notice", f"{kind} of {one.pk}")


def _free_places_are_offered(rows: Rows, now: datetime) -> Iterator[Violation]:
    """I9: nobody waits while a place is free and not offered; whoever took one is in the class."""
    inside = {(one.virtual_class_id, one.user_id) for one in rows.activities}
    offered = Counter(one.virtual_class_id for one in rows.line if one.is_live(now))
    waiting = {one.virtual_class_id for one in rows.line if one.state == WaitingState.WAITING}
    for one in rows.classes:
        free = one.capacity - one.current_participants
        if one.pk in waiting and one.status == ClassStatus.SCHEDULED and free > offered[one.pk]:
            yield Violation("I9", "lost", "offer", str(one.pk))
        if offered[one.pk] > max(free, 0):
            yield Violation("I9", "doubled", "offer", str(one.pk))
    for entry in rows.line:
        is_inside = (entry.virtual_class_id, entry.user_id) in inside
        if entry.state == WaitingState.CLAIMED and not is_inside:
            yield Violation("I9", "lost", "claimed place", str(entry.virtual_class_id))


def _completed_counts_once(rows: Rows) -> Iterator[Violation]:
    """I8: each completed class counts once for each person in it."""
    completed = {one.pk for one in rows.classes if one.status == ClassStatus.COMPLETED}
    counted = Counter(
        one.user_id
        for one in rows.activities
        if one.virtual_class_id in completed and one.completed
    )
    for activity in rows.activities:
        if activity.completed and activity.virtual_class_id not in completed:
            yield Violation("I8", "wrong", "activity", f"{activity.pk} is completed, its class not")
    for person in rows.people:
        if person.total_classes > counted[person.pk]:
            yield Violation("I8", "doubled", "total", person.email)
        elif person.total_classes < counted[person.pk]:
            yield Violation("I8", "lost", "total", person.email)


def _once(invariant: str, subject: str, number: int, one: VirtualClass) -> Iterator[Violation]:
    if number != 1:
        kind: Kind = "lost" if number == 0 else "doubled"
        yield Violation(invariant, kind, subject, str(one.pk))
