"""The documented JSON. Spec: Endpoints."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers

from bookings.api.fields import (
    DayField,
    InstantField,
    StrictBooleanField,
    StrictIntegerField,
    StrictStringField,
)
from bookings.availability.periods import Period
from bookings.models import ClassType, Payment, VirtualClass

MAX_PRICE = 10**10


class PreferenceSerializer(serializers.Serializer[Any]):
    """The body of POST /api/payments/preference."""

    start = InstantField()
    end = InstantField()
    isGroupClass = StrictBooleanField(source="is_group_class")
    studentsCount = StrictIntegerField(
        source="students_count", min_value=0, max_value=settings.MAX_STUDENTS
    )


class BookingSerializer(PreferenceSerializer):
    text = StrictStringField(max_length=2000, required=False, allow_null=True)
    price = StrictIntegerField(min_value=0, max_value=MAX_PRICE, help_text="Centavos.")
    preferenceId = StrictStringField(source="preference_id", max_length=255, printable=True)


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


class JoinedSerializer(serializers.Serializer[None]):
    response = JoinedClassSerializer()


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
    preferenceId = serializers.CharField(help_text="Of the class that is to be scheduled.")


class ScheduledSerializer(serializers.Serializer[None]):
    success = serializers.BooleanField()
    message = serializers.CharField()


class PriceSerializer(serializers.Serializer[None]):
    type = serializers.CharField(help_text="`individual`, `grupal`, or the key of an offer.")
    classType = serializers.ChoiceField(choices=ClassType.values)
    title = serializers.CharField()
    minutes = serializers.IntegerField()
    students = serializers.IntegerField(help_text="Of the largest class that has this price.")
    price = serializers.IntegerField(help_text="Centavos.")


class PricesSerializer(serializers.Serializer[None]):
    prices = PriceSerializer(many=True)


class SlotsQuerySerializer(serializers.Serializer[Any]):
    """The query of GET /api/slots. ``from`` is a word of Python."""

    MAX_DAYS, USUAL_DAYS = 92, 30

    type = serializers.CharField()
    minutes = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        days = {name: DayField(required=False) for name in ("from", "to")}
        return {**super().get_fields(), **days}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        first = attrs.setdefault("from", timezone.localdate())
        last = attrs.setdefault("to", first + timedelta(days=self.USUAL_DAYS))
        if not 0 <= (last - first).days <= self.MAX_DAYS:
            text = f"Tiene que ser entre 0 y {self.MAX_DAYS} días después del primero."
            raise serializers.ValidationError({"to": text})
        return attrs


class SlotSerializer(serializers.Serializer[Period]):
    start = InstantField()
    end = InstantField()


class SlotsSerializer(serializers.Serializer[None]):
    slots = SlotSerializer(many=True)
