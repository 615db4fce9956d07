"""A booked class."""

import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import User
from bookings.models.constraints import known

if TYPE_CHECKING:
    from bookings.models.sales.purchase import Purchase

DOORS_OPEN_BEFORE = timedelta(minutes=15)


class ClassType(models.TextChoices):
    INDIVIDUAL = "individual", _("Individual")
    GROUP = "grupal", _("Grupal")


class ClassStatus(models.TextChoices):
    """Spec: States and transitions."""

    PENDING = "pending", _("Pendiente")
    SCHEDULED = "scheduled", _("Agendada")
    COMPLETED = "completed", _("Completada")
    CANCELLED = "cancelled", _("Cancelada")


class HostType(models.TextChoices):
    HOST = "anfitrion", "Anfitrión"
    GUEST = "invitado", "Invitado"


class CalendarDrift(models.TextChoices):
    NONE = "", "—"
    MOVED = "moved", "El evento tiene otro horario"
    DELETED = "deleted", "El evento fue borrado"
    LINK_REMOVED = "link_removed", "El evento perdió su videollamada"
    DUPLICATED = "duplicated", "Hay otro evento de la misma clase"


class PriceDecision(models.TextChoices):
    """About a class that the teacher's price list lacks."""

    NONE = "", "—"
    WAITING = "waiting", "Espera tu sí"
    AGREED = "agreed", "Aceptada"


class VirtualClassQuerySet(models.QuerySet["VirtualClass"]):
    def ahead(self, now: datetime) -> "VirtualClassQuerySet":
        """Match classes that are not over, without cancelled, lapsed and lost ones."""
        ahead = self.filter(end_time__gt=now).exclude(status=ClassStatus.CANCELLED)
        return ahead.without_lapsed(now)

    def overlapping(self, start: datetime, end: datetime) -> "VirtualClassQuerySet":
        """Match classes that share time with a period."""
        return self.not_over(start).filter(start_time__lt=end)

    def not_over(self, now: datetime) -> "VirtualClassQuerySet":
        """Match classes that end after a moment."""
        # No class lasts longer, and so the index on start skips the past.
        return self.filter(start_time__gt=now - settings.MAX_CLASS_LENGTH, end_time__gt=now)

    def undecided(self) -> "VirtualClassQuerySet":
        """Match ``VirtualClass.is_undecided``."""
        return self.filter(status=ClassStatus.PENDING, price_decision=PriceDecision.WAITING)

    def without_lapsed(self, now: datetime) -> "VirtualClassQuerySet":
        """Leave out ``VirtualClass.has_lapsed``."""
        from bookings.models import Purchase  # purchases import this module

        purchases = Purchase.objects.classes().lapsed(now).filter(virtual_class=OuterRef("pk"))
        return self.exclude(Q(Exists(purchases), status=ClassStatus.PENDING))

    def awaiting_scheduling(self, now: datetime) -> "VirtualClassQuerySet":
        """Match classes whose requested scheduling is still possible."""
        requested = self.filter(status=ClassStatus.PENDING, scheduling_requested_at__isnull=False)
        return requested.not_over(now)

    def awaiting_calendar(self) -> "VirtualClassQuerySet":
        """Match classes that are paid, or published, and about to be scheduled."""
        return self.filter(_awaits_calendar())

    def owning_time(self) -> "VirtualClassQuerySet":
        """Match scheduled classes, and those that are about to be."""
        return self.filter(
            Q(status=ClassStatus.SCHEDULED) | _awaits_calendar(),
            # Follows from the line before, and lets the index on status work.
            status__in=[ClassStatus.SCHEDULED, ClassStatus.PENDING],
        )


def _awaits_calendar() -> Q:
    from bookings.models import Purchase  # purchases import this module

    paid = Purchase.objects.classes().paid().filter(virtual_class=OuterRef("pk"))
    is_pending = Q(status=ClassStatus.PENDING, scheduling_requested_at__isnull=False)
    return is_pending & (Exists(paid) | Q(open_class__isnull=False))


class VirtualClass(models.Model):
    """``UserActivity`` decides who takes part, not the counter and the list of ids.

    Both are written by domain/places/participants.py.

    Spec: Resources, VirtualClass.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    booked_by = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="booked_classes", verbose_name="reservada por"
    )
    preference_id = models.CharField(
        "preferencia de pago", max_length=255, help_text="Une la reserva, el pago y la clase."
    )
    # False if no payment system made the preference: the class was booked in the pages, to be paid
    # by hand or for nothing, and lapses with its purchase.
    has_preference = models.BooleanField(default=True, editable=False)
    start_time = models.DateTimeField("empieza")
    end_time = models.DateTimeField("termina")
    # Minutes from UTC at ``start_time`` when that was stored. They keep the agreed hour when the
    # zone's law changes; see domain/classes/times.py.
    utc_offset = models.SmallIntegerField(editable=False)
    class_type = models.CharField("tipo", max_length=20, choices=ClassType)
    class_price = models.BigIntegerField("precio", help_text="En centavos.")
    offer = models.ForeignKey(
        "bookings.Offer",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        db_index=False,  # most classes have none: a partial index below
        related_name="classes",
        verbose_name="oferta",
    )
    max_participants = models.PositiveIntegerField(
        "cupo", help_text="El cupo 0 se presenta como 1."
    )
    current_participants = models.PositiveIntegerField("anotados", default=0)
    participants_ids = models.JSONField("ids de participantes", default=list)
    learning_focus = models.TextField("qué quiere practicar", max_length=2000, blank=True)
    status = models.CharField(
        "estado", max_length=20, choices=ClassStatus, default=ClassStatus.PENDING
    )

    host_type = models.CharField("rol", max_length=20, choices=HostType, blank=True)
    access_code = models.CharField(  # noqa: DJ001 - unique where present, so absence is NULL
        "código de acceso", max_length=8, null=True, blank=True
    )
    provider_event_id = models.CharField(  # noqa: DJ001 - as above
        "evento del calendario", max_length=1024, null=True, blank=True
    )
    html_link = models.URLField("enlace de la videollamada", max_length=500, blank=True)
    summary = models.TextField("resumen", blank=True)

    # Set when a class is booked that the price list lacks; see domain/sales/her_bookings.py.
    price_decision = models.CharField(
        "fuera de la lista",
        max_length=10,
        choices=PriceDecision,
        blank=True,
        default="",
        db_default="",
        editable=False,
    )
    # Committed before the calendar is called, so that the sweep finishes after a crash.
    scheduling_requested_at = models.DateTimeField(
        "pedida al calendario", null=True, blank=True, editable=False
    )
    # The code of the refusal of a requested or paid class.
    scheduling_refusal = models.CharField(
        "no se pudo agendar", max_length=30, blank=True, editable=False
    )
    # Failures of the calendar in a row, and the next attempt.
    scheduling_attempts = models.PositiveIntegerField(
        "intentos de agendarla", default=0, editable=False
    )
    next_scheduling_at = models.DateTimeField(
        "próximo intento de agendarla", null=True, blank=True, editable=False
    )
    # Set before the event is deleted and cleared once it is gone; the sweep retries.
    withdrawal_requested_at = models.DateTimeField(
        "por quitar del calendario", null=True, blank=True, editable=False
    )
    # How often an event of this class was deleted; see domain/calendar/writing.py.
    event_withdrawals = models.PositiveIntegerField(default=0, editable=False)
    # The revision of the class in people's calendars; each mailed change increases it.
    ics_sequence = models.PositiveIntegerField("revisión", default=0, editable=False)
    # Set before the event gets another time or capacity, cleared once it has; the sweep retries.
    event_update_requested_at = models.DateTimeField(
        "por actualizar en el calendario", null=True, blank=True, editable=False
    )
    # Set when the participants change, cleared once the event invites exactly them.
    guests_changed_at = models.DateTimeField(
        "invitados por actualizar en el calendario", null=True, blank=True, editable=False
    )
    # How the event differs from the class after a change in the calendar.
    calendar_drift = models.CharField(
        "diferencia con el calendario",
        max_length=20,
        choices=CalendarDrift,
        blank=True,
        editable=False,
    )
    # Scheduled classes with this mark may not overlap: an exclusion constraint on PostgreSQL. Only
    # classes that an earlier release scheduled with PREVENT_OVERLAPS=false lack it.
    owns_time = models.BooleanField("dueña de su horario", default=False, editable=False)
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)
    updated_at = models.DateTimeField("modificada", auto_now=True)

    objects = VirtualClassQuerySet.as_manager()

    class Meta:
        verbose_name = "clase"
        verbose_name_plural = "clases"
        ordering = ["start_time", "id"]
        indexes = [
            models.Index(fields=["status", "start_time", "id"], name="class_by_status_and_start"),
            models.Index(fields=["booked_by", "-start_time", "-id"], name="class_by_host"),
            models.Index(
                fields=["end_time"],
                condition=Q(status=ClassStatus.SCHEDULED),
                name="class_to_complete",
            ),
            models.Index(fields=["offer"], condition=Q(offer__isnull=False), name="class_of_offer"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["preference_id"], name="unique_preference_id"),
            models.UniqueConstraint(fields=["access_code"], name="unique_access_code"),
            models.UniqueConstraint(fields=["provider_event_id"], name="unique_provider_event_id"),
            models.CheckConstraint(
                condition=Q(end_time__gt=F("start_time")), name="class_ends_after_it_starts"
            ),
            models.CheckConstraint(
                condition=Q(class_price__gte=0), name="class_price_not_negative"
            ),
            known("status", ClassStatus, "known_class_status"),
            known("class_type", ClassType, "known_class_type"),
            known("calendar_drift", CalendarDrift, "known_calendar_drift"),
            models.CheckConstraint(
                condition=Q(host_type__in=["", *HostType.values]), name="known_host_type"
            ),
            known("price_decision", PriceDecision, "known_price_decision"),
            models.CheckConstraint(
                condition=Q(current_participants__lte=F("max_participants"))
                | Q(max_participants=0, current_participants__lte=1),
                name="participants_within_capacity",
            ),
            models.CheckConstraint(
                condition=~Q(status=ClassStatus.SCHEDULED)
                | Q(
                    access_code__isnull=False,
                    provider_event_id__isnull=False,
                    current_participants__gte=1,
                    host_type=HostType.HOST,
                )
                & ~Q(html_link="")
                & ~Q(summary=""),
                name="scheduled_class_is_complete",
            ),
            models.CheckConstraint(
                condition=Q(access_code__isnull=True) | Q(access_code__regex=r"^[0-9A-Z]{8}$"),
                name="access_code_is_eight_capitals_or_digits",
            ),
        ]

    # Texts that a person types, with their labels: shown, exported and erased by this table.
    TYPED: ClassVar[dict[str, str | Promise]] = {"learning_focus": _("Para practicar")}

    def __str__(self) -> str:
        start = timezone.localtime(self.start_time)
        return f"Clase {self.get_class_type_display().lower()} del {start:%d/%m/%Y %H:%M}"

    @property
    def kind_label(self) -> str:
        return self.offer.shown_name if self.offer else self.get_class_type_display()

    @property
    def doors_open(self) -> datetime:
        """From when people enter the video call."""
        return self.start_time - DOORS_OPEN_BEFORE

    @property
    def capacity(self) -> int:
        return max(self.max_participants, 1)

    @property
    def words(self) -> list[tuple[str | Promise, str]]:
        """The typed texts, each with its label."""
        texts = [(label, getattr(self, name)) for name, label in self.TYPED.items()]
        return [(label, text) for label, text in texts if text]

    @property
    def shows_words(self) -> bool:
        """Return True if students may read the typed texts.

        False for a class with a link until the teacher confirms the account that claimed it: the
        texts may be another person's.
        """
        link = getattr(self, "link", None)
        if link is None or link.is_confirmed:
            return True
        return not (link.claimed_by_id or self.booked_by.is_placeholder)

    @property
    def minutes(self) -> int:
        return int((self.end_time - self.start_time).total_seconds() // 60)

    @property
    def free_places(self) -> int:
        return self.capacity - self.current_participants

    @property
    def guest_count(self) -> int:
        """The participants besides the host."""
        return max(self.current_participants - 1, 0)

    @property
    def is_full(self) -> bool:
        return self.free_places <= 0

    @property
    def takes_guests(self) -> bool:
        return self.capacity > 1

    @property
    def purchase(self) -> "Purchase | None":
        """Its sale; None if the teacher published it. Prefetch ``purchases`` for lists."""
        return next((one for one in self.purchases.all() if not one.is_place), None)

    @property
    def is_paid(self) -> bool:
        """True also for a published class, whose places are paid."""
        purchase = self.purchase
        return purchase is None or purchase.is_paid

    @property
    def goes_first(self) -> bool:
        """True if money was paid, so that no unpaid hold blocks the class's time."""
        purchase = self.purchase
        return purchase is not None and purchase.is_paid and not purchase.is_free

    @property
    def is_scheduled(self) -> bool:
        return self.status == ClassStatus.SCHEDULED

    @property
    def is_being_scheduled(self) -> bool:
        return self.status == ClassStatus.PENDING and self.scheduling_requested_at is not None

    @property
    def is_undecided(self) -> bool:
        """True if the teacher must still accept the price."""
        is_waiting = self.price_decision == PriceDecision.WAITING
        return is_waiting and self.status == ClassStatus.PENDING

    def describe(self) -> str:
        """Spec: External calendar event, description."""
        return ngettext(
            "La clase será %(type)s, para %(people)d participante.",
            "La clase será %(type)s, para %(people)d participantes.",
            self.capacity,
        ) % {"type": self.get_class_type_display().lower(), "people": self.capacity}

    @property
    def has_lapsed(self) -> bool:
        """True if it is pending, and its payment can no longer come."""
        purchase = self.purchase
        is_pending = self.status == ClassStatus.PENDING
        return is_pending and purchase is not None and purchase.has_lapsed()

    @property
    def has_lost_its_hold(self) -> bool:
        """True if a paid class took the time of this unpaid one."""
        purchase = self.purchase
        is_pending = self.status == ClassStatus.PENDING
        return is_pending and purchase is not None and purchase.is_let_go

    def has_ended(self, now: datetime | None = None) -> bool:
        """True from ``end_time`` on."""
        return self.end_time <= (now or timezone.now())

    def is_hosted_by(self, user: User) -> bool:
        return self.booked_by_id == user.pk
