"""Metrics that are read from the database at each scrape. Every query uses an index."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.db import Error
from django.db.models import Count, Q
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bookings.domain.calendar.access import describe_access
from bookings.domain.money.reviews import count_payments_to_review
from bookings.models import ClassStatus, ClassType, Hold, VirtualClass
from bookings.work.health import check_work
from bookings.work.queues import QUEUES

# Counting all classes would take longer each year.
LOOK_BACK = timedelta(days=7)


class ServiceCollector(Collector):
    """Reads the metrics at each scrape; if the database fails, only ``classes_database_up``."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now, figures = timezone.now(), []
        try:
            for read in (_queues, _classes, _holds, _reviews, _sweeps, _calendar):
                figures += read(now)
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


def _queues(now: datetime) -> list[GaugeMetricFamily]:
    found = {name: queue.measure(now) for name, queue in QUEUES.items()}
    counts = {name: waiting.count for name, waiting in found.items()}
    ages = {name: waiting.age.total_seconds() for name, waiting in found.items()}
    text = "How long the oldest of what waits has been waiting, by queue; 0 when nothing does."
    return [
        _gauges("classes_queue_length", "What waits to be done, by queue.", "queue", counts),
        _gauges("classes_queue_oldest_seconds", text, "queue", ages),
    ]


def _classes(now: datetime) -> list[GaugeMetricFamily]:
    # Naming the states makes the query use the index on state and start.
    near = VirtualClass.objects.filter(
        status__in=ClassStatus.values, start_time__gte=now - LOOK_BACK
    )
    counts = near.order_by().values_list("status", "class_type")
    counted = {
        (status, kind): (number, drifted)
        for status, kind, number, drifted in counts.annotate(
            number=Count("pk"), drifted=Count("pk", filter=~Q(calendar_drift=""))
        )
    }
    classes = GaugeMetricFamily(
        "classes_by_state",
        "Classes that are ahead or began in the last seven days, by state and type.",
        labels=["state", "type"],
    )
    for status in ClassStatus.values:
        for kind in ClassType.values:
            classes.add_metric([status, kind], counted.get((status, kind), (0, 0))[0])
    drifted = sum(drifted for _, drifted in counted.values())
    text = "Classes whose event differs in the calendar."
    return [classes, _gauge("classes_with_drift", text, drifted)]


def _holds(now: datetime) -> list[GaugeMetricFamily]:
    live = Hold.objects.filter(expires_at__gt=now)
    counted = live.aggregate(booked=Count("virtual_class"), all=Count("pk"))
    holds = {"choosing": counted["all"] - counted["booked"], "paying": counted["booked"]}
    return [_gauges("classes_holds", "Times that are kept now.", "state", holds)]


def _reviews(now: datetime) -> list[GaugeMetricFamily]:
    count = count_payments_to_review()
    return [_gauge("classes_payments_to_review", "Payments that need a person.", count)]


def _sweeps(now: datetime) -> list[GaugeMetricFamily]:
    work = check_work()
    beats = {sweep.name: sweep.beat_at for sweep in work.sweeps if sweep.beat_at}
    ages = {name: (now - beat_at).total_seconds() for name, beat_at in beats.items()}
    late = {sweep.name: float(sweep.is_late) for sweep in work.sweeps}
    text = "How long ago each sweep last ended well; none for one that never did."
    late_text = "1 for a sweep that ended well too long ago."
    down_text = "1 while the calendar is left alone because it fails."
    return [
        _gauges("classes_sweep_age_seconds", text, "sweep", ages),
        _gauges("classes_sweep_late", late_text, "sweep", late),
        _gauge("classes_calendar_down", down_text, work.is_calendar_down),
    ]


def _calendar(now: datetime) -> list[GaugeMetricFamily]:
    grant = describe_access(is_down=False)
    text = "1 while a grant or the service account opens the calendar."
    return [_gauge("classes_calendar_connected", text, grant in {"ok", "at_risk", "stand_in"})]
