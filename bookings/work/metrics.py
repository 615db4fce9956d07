"""Queues and other metrics, read from the database at each scrape. Every query uses an index."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from django.conf import settings
from django.db import Error
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bookings.domain.calendar.grant import CONNECTED, describe_access
from bookings.domain.money.takings import count_payments_to_review
from bookings.models import (
    ClassLog,
    ClassStatus,
    ClassType,
    Hold,
    Notice,
    Payment,
    PaymentNotification,
    Refund,
    RefundStatus,
    VirtualClass,
    WebhookDelivery,
)
from bookings.notices.delivery import LONGEST_DELAY
from bookings.work.health import check_work

# Counting all classes would take longer each year.
LOOK_BACK = timedelta(days=7)

Gauges = Iterator[GaugeMetricFamily]


class ServiceCollector(Collector):
    """Yields only ``classes_database_up`` if the database fails."""

    def collect(self) -> Gauges:
        now = timezone.now()
        try:
            figures = [*_queues(now), *_classes(now), *_holds(now), *_work(now)]
        except Error:
            figures = []
        yield _gauge("classes_database_up", "Whether the database answers.", bool(figures))
        yield from figures


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=float(value))


def _gauges(name: str, text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _queues(now: datetime) -> Gauges:
    found = {name: measure(rows, since, now) for name, (rows, since) in list_queues(now).items()}
    counts = {name: count for name, (count, _) in found.items()}
    ages = {name: age for name, (_, age) in found.items()}
    yield _gauges("classes_queue_length", "What waits to be done, by queue.", "queue", counts)
    text = "How long the oldest of what waits has been waiting, by queue; 0 when nothing does."
    yield _gauges("classes_queue_oldest_seconds", text, "queue", ages)


def _classes(now: datetime) -> Gauges:
    # Naming the states makes the query use the index on state and start.
    near = VirtualClass.objects.filter(
        status__in=ClassStatus.values, start_time__gte=now - LOOK_BACK
    )
    rows = near.order_by().values("status", "class_type")
    rows = rows.annotate(number=Count("pk"), drifted=Count("pk", filter=~Q(calendar_drift="")))
    numbers = {(row["status"], row["class_type"]): row["number"] for row in rows}
    classes = GaugeMetricFamily(
        "classes_by_state",
        "Classes that are ahead or began in the last seven days, by state and type.",
        labels=["state", "type"],
    )
    for state in product(ClassStatus.values, ClassType.values):
        classes.add_metric(state, numbers.get(state, 0))
    yield classes
    drifted = sum(row["drifted"] for row in rows)
    yield _gauge("classes_with_drift", "Classes whose event differs in the calendar.", drifted)


def _holds(now: datetime) -> Gauges:
    live = Hold.objects.live(now)
    counted = live.aggregate(booked=Count("purchase__virtual_class"), all=Count("pk"))
    holds = {"choosing": counted["all"] - counted["booked"], "paying": counted["booked"]}
    yield _gauges("classes_holds", "Times that are kept now.", "state", holds)


def _work(now: datetime) -> Gauges:
    count = count_payments_to_review()
    yield _gauge("classes_payments_to_review", "Payments that need a person.", count)
    work = check_work()
    ages = {
        sweep.name: (now - sweep.beat_at).total_seconds() for sweep in work.sweeps if sweep.beat_at
    }
    text = "How long ago each sweep last ended well; none for one that never did."
    yield _gauges("classes_sweep_age_seconds", text, "sweep", ages)
    late = {sweep.name: float(sweep in work.late) for sweep in work.sweeps}
    text = "1 for a sweep that ended well too long ago."
    yield _gauges("classes_sweep_late", text, "sweep", late)
    text = "1 while the calendar is left alone because it fails."
    yield _gauge("classes_calendar_down", text, work.calendar_down_since is not None)
    text = "1 while a grant or the service account opens the calendar."
    is_connected = describe_access(is_down=False) in CONNECTED
    yield _gauge("classes_calendar_connected", text, is_connected)


def list_queues(now: datetime) -> dict[str, tuple[QuerySet[Any], str]]:
    """Return the rows of each queue, and the column with their due time."""
    scheduled = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, start_time__gt=now - settings.MAX_CLASS_LENGTH
    )
    updates = scheduled.filter(event_update_requested_at__isnull=False)
    guest_lists = scheduled.filter(guests_changed_at__isnull=False)
    notifications = PaymentNotification.objects.filter(next_attempt_at__isnull=False)
    refunds = Refund.objects.filter(next_attempt_at__isnull=False, status=RefundStatus.REQUESTED)
    # A failed notice is retried within LONGEST_DELAY, a reminder may be months ahead.
    notices = Notice.objects.filter(next_attempt_at__lte=now + 2 * LONGEST_DELAY, due_at__lte=now)
    deliveries = WebhookDelivery.objects.filter(
        endpoint__is_active=True, next_attempt_at__isnull=False, due_at__lte=now
    )
    return {
        "schedulings": (VirtualClass.objects.awaiting_scheduling(now), "scheduling_requested_at"),
        "event_updates": (updates, "event_update_requested_at"),
        "guest_lists": (guest_lists, "guests_changed_at"),
        "notifications": (notifications, "received_at"),
        "settlements": (Payment.objects.filter(next_check_at__lte=now), "next_check_at"),
        "refunds": (refunds, "created_at"),
        "notices": (notices, "due_at"),
        "announcements": (ClassLog.objects.filter(announcement__isnull=False), "at"),
        "webhooks": (deliveries, "due_at"),
    }


def measure(rows: QuerySet[Any], since: str, now: datetime) -> tuple[int, float]:
    """Return the number of rows, and the age of the oldest in seconds."""
    found = rows.order_by().aggregate(count=Count("pk"), oldest=Min(since))
    oldest = found["oldest"] or now
    return found["count"], max((now - oldest).total_seconds(), 0)
