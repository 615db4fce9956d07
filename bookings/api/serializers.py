"""The documented JSON. Spec: Endpoints."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from bookings.api.fields import (
    InstantField,
    StrictBooleanField,
    StrictIntegerField,
    StrictStringField,
)
from bookings.models import Payment, VirtualClass

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
