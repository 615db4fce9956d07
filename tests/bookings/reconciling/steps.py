"""What the tests of reconciling do and look at."""

from bookings.models import Notice


def kinds_of(report):
    return [str(finding.kind) for finding in report.findings]


def is_clean(report):
    return all(finding.is_repaired for finding in report.findings)


def told(kind):
    return Notice.objects.filter(kind=kind)


def repeat(google, virtual_class):
    google.edit_event(virtual_class.provider_event_id, recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])
