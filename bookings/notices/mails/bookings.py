"""Mails to the teacher about what students book: one each, or one a day."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from bookings.models import Notice, NoticeKind
from bookings.notices import facts, links, money_facts
from bookings.notices import skip_rules as skip
from bookings.notices.mails.mail import Mail, Row, untracked
from bookings.notices.skip_rules import SkipRule

ONE_BY_ONE: dict[NoticeKind, Mail] = {
    NoticeKind.NEW_BOOKING: untracked(
        subject=_("%(host)s reservó una clase: %(day)s, %(clock)s"),
        opening=_("%(host)s reservó una clase."),
        facts=(
            facts.host,
            facts.offer,
            facts.when,
            facts.class_kind,
            facts.purpose,
            money_facts.price,
            money_facts.how_paid,
        ),
        link=links.see_class_in_panel,
        skip_if=(skip.cancelled,),
    ),
    NoticeKind.SEAT_SOLD: untracked(
        subject=_("Reservaron un lugar de tu clase abierta: %(day)s, %(clock)s"),
        opening=_("Alguien reservó un lugar de tu clase abierta."),
        facts=(
            facts.place_holder,
            facts.open_class,
            facts.when,
            facts.places_taken,
            money_facts.price,
            money_facts.how_paid,
        ),
        link=links.see_class_in_panel,
        skip_if=(skip.cancelled, skip.place_given_up),
    ),
}
# What a day's mail tells of each, below the name.
IN_SHORT = (facts.offer, facts.open_class, facts.when, money_facts.price, money_facts.how_paid)


def _list_rows(notice: Notice) -> list[Row]:
    return [row for part in _list_parts(notice) for row in _write_rows(part)]


def _list_parts(notice: Notice) -> list[Notice]:
    """List the bookings of a day's mail, whose occasion is their common time."""
    parts = Notice.objects.filter(
        user=notice.user, kind__in=ONE_BY_ONE, due_at=datetime.fromisoformat(notice.occasion)
    )
    parts = facts.with_subjects(parts).order_by("created_at", "pk")
    return [part for part in parts if not _is_obsolete(part)]


def _is_obsolete(part: Notice) -> bool:
    return any(rule.is_obsolete(part) for rule in ONE_BY_ONE[NoticeKind(part.kind)].skip_if)


def _write_rows(part: Notice) -> list[Row]:
    mail = ONE_BY_ONE[NoticeKind(part.kind)]
    who, *_others = mail.facts
    texts = [text for line in IN_SHORT if (text := line.find_text(part))]
    return [
        (who.find_text(part), " · ".join(texts), False),
        (mail.link.label, mail.link.find_text(part), True),
    ]


BOOKINGS_TO_TEACHER = {
    **ONE_BY_ONE,
    NoticeKind.DAILY_BOOKINGS: untracked(
        subject=_("Tus reservas nuevas"),
        opening=_("Estas son tus reservas nuevas."),
        rows=_list_rows,
        link=links.see_week,
        skip_if=(
            SkipRule(
                "Todo lo reservado se canceló antes de que saliera.",
                lambda one: not _list_parts(one),
            ),
        ),
    ),
}
