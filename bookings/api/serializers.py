"""The documented JSON. Spec: Endpoints."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers

from bookings.api.fields import (
    DayField,
    InstantField,
    is_printable,
)
from bookings.availability.slots import Period
from bookings.domain.people.own_classes import OwnClass
from bookings.models import ClassStatus, ClassType, Payment, Role, VirtualClass
from config.lib.api import JSONBooleanField, JSONCharField, JSONIntegerField

MAX_PRICE = 10**10


class PreferenceSerializer(serializers.Serializer[Any]):
    """The body of POST /api/payments/preference."""

    start = InstantField()
    end = InstantField()
    isGroupClass = JSONBooleanField(source="is_group_class")
    studentsCount = JSONIntegerField(
        source="students_count", min_value=0, max_value=settings.MAX_STUDENTS
    )


class BookingSerializer(PreferenceSerializer):
    text = JSONCharField(max_length=2000, required=False, allow_null=True, allow_blank=True)
    price = JSONIntegerField(min_value=0, max_value=MAX_PRICE, help_text="Centavos.")
    preferenceId = JSONCharField(source="preference_id", max_length=255, validators=[is_printable])


class BookedSerializer(serializers.Serializer[None]):
    success = serializers.BooleanField()
    status = serializers.IntegerField()


class BookingRefusalSerializer(serializers.Serializer[None]):
    """Both documented shapes in one."""

    success = serializers.BooleanField(help_text="Always false.")
    status = serializers.IntegerField(help_text="The status of the answer.")
    error = serializers.CharField()


class PaymentSerializer(serializers.Serializer[Payment]):
    """A preference, and the address to pay at."""

    preferenceId = serializers.CharField(source="preference_id")
    initPoint = serializers.CharField(source="checkout_url")
    price = serializers.IntegerField(source="amount")
    expiresAt = InstantField(source="expires_at")


class JoinedClassSerializer(serializers.Serializer[VirtualClass]):
    """Spec: POST /api/access-code, success response."""

    id = serializers.CharField()
    bookedById = serializers.CharField(source="booked_by_id")
    htmlLink = serializers.CharField(source="html_link")
    startTime = InstantField(source="start_time")
    endTime = InstantField(source="end_time")
    classType = serializers.CharField(source="class_type")
    currentParticipants = serializers.IntegerField(source="current_participants")
    maxParticipants = serializers.IntegerField(source="max_participants")


class JoinedSerializer(serializers.Serializer[Any]):
    response = JoinedClassSerializer()


class OwnClassSerializer(serializers.Serializer[OwnClass]):
    """A class as its host or guest may read it."""

    id = serializers.CharField(source="virtual_class.pk")
    rol = serializers.ChoiceField(Role.choices, source="role")
    startTime = InstantField(source="virtual_class.start_time")
    endTime = InstantField(source="virtual_class.end_time")
    classType = serializers.ChoiceField(ClassType.choices, source="virtual_class.class_type")
    status = serializers.ChoiceField(ClassStatus.choices, source="virtual_class.status")
    classPrice = serializers.IntegerField(
        source="price",
        allow_null=True,
        help_text=(
            "Centavos: of the class for its host, of the place for a student of an open class, "
            "null for a guest who joined by code."
        ),
    )
    paid = serializers.BooleanField(
        source="is_paid", allow_null=True, help_text="If `classPrice` is paid; null with it."
    )
    currentParticipants = serializers.IntegerField(source="virtual_class.current_participants")
    maxParticipants = serializers.IntegerField(source="virtual_class.max_participants")
    learningFocus = serializers.CharField(source="learning_focus", allow_null=True)
    accessCode = serializers.CharField(
        source="access_code",
        allow_null=True,
        help_text="For the host of a scheduled class that guests can join.",
    )
    preferenceId = serializers.CharField(
        source="preference_id", allow_null=True, help_text="For the host."
    )
    htmlLink = serializers.CharField(
        source="html_link", allow_null=True, help_text="From scheduling until the class ends."
    )
    moveUntil = InstantField(
        source="changes.move_until", allow_null=True, help_text="Null if it cannot be moved now."
    )
    cancelUntil = InstantField(
        source="changes.cancel_until",
        allow_null=True,
        help_text="Null if it cannot be cancelled now.",
    )
    refundIfCancelled = serializers.IntegerField(
        source="changes.refund",
        allow_null=True,
        help_text="Centavos that go back if it is cancelled now; null if it cannot be.",
    )


class OwnClassesSerializer(serializers.Serializer[Any]):
    classes = OwnClassSerializer(many=True)
    next = serializers.CharField(
        allow_null=True, help_text="The address of the next classes; null after the last one."
    )


class OwnClassesQuerySerializer(serializers.Serializer[Any]):
    before = serializers.UUIDField(
        required=False, help_text="The id of a class: only those that start earlier."
    )


class CancelSerializer(serializers.Serializer[Any]):
    refund = JSONIntegerField(
        min_value=0,
        max_value=MAX_PRICE,
        required=False,
        allow_null=True,
        help_text="The `refundIfCancelled` that the client showed.",
    )
    reason = JSONCharField(
        max_length=500,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="Only the teacher reads it.",
    )


class MoveSerializer(serializers.Serializer[Any]):
    start = InstantField(help_text="The new start; the length stays.")


class EventTimeSerializer(serializers.Serializer[None]):
    """Spec: Resources, Calendar event."""

    dateTime = serializers.DateTimeField()
    timeZone = serializers.CharField(required=False, help_text="May be absent.")


class EventSerializer(serializers.Serializer[None]):
    """An occupied time, without its subject."""

    start = EventTimeSerializer()
    end = EventTimeSerializer()
    status = serializers.CharField(help_text="For example `confirmed`.")


class TriggerSerializer(serializers.Serializer[None]):
    preferenceId = JSONCharField(help_text="Of the class that is to be scheduled.")


class ScheduledSerializer(serializers.Serializer[None]):
    success = serializers.BooleanField()
    message = serializers.CharField()


class PriceSerializer(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="`individual`, `grupal`, or the key of an offer.")
    classType = serializers.ChoiceField(choices=ClassType.values)
    title = serializers.CharField()
    minutes = serializers.IntegerField()
    students = serializers.IntegerField(help_text="Of the largest class that has this price.")
    price = serializers.IntegerField(help_text="Centavos.")


class PricesSerializer(serializers.Serializer[Any]):
    prices = PriceSerializer(many=True)


class DaysQuerySerializer(serializers.Serializer[Any]):
    """Two days. ``from`` is a word of Python."""

    MAX_DAYS, USUAL_DAYS = 92, 30
    DAYS = {
        "from": "The first day in Buenos Aires; by default today.",
        "to": (f"The last day, {MAX_DAYS} days after the first at most; by default {USUAL_DAYS}."),
    }

    def get_fields(self) -> dict[str, Any]:
        days = {name: DayField(required=False, help_text=text) for name, text in self.DAYS.items()}
        return {**super().get_fields(), **days}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first = attrs.setdefault("from", timezone.localdate())
        last = attrs.setdefault("to", first + timedelta(days=self.USUAL_DAYS))
        if not 0 <= (last - first).days <= self.MAX_DAYS:
            text = f"Tiene que ser entre 0 y {self.MAX_DAYS} días después del primero."
            raise serializers.ValidationError({"to": text})
        return attrs


class SlotsQuerySerializer(DaysQuerySerializer):
    type = serializers.CharField()
    minutes = serializers.IntegerField(
        error_messages={"invalid": "Tiene que ser un número entero."},
        help_text="A length that `GET /api/prices` lists for the type.",
    )


class SlotSerializer(serializers.Serializer[Period]):
    start = InstantField()
    end = InstantField()


class SlotsSerializer(serializers.Serializer[Any]):
    slots = SlotSerializer(many=True)
