"""The documented JSON: what comes in and what goes out. Spec: Endpoints."""

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
    """The body of POST /api/payments/preference. Checks shapes only; rules are the domain's."""

    start = InstantField()
    end = InstantField()
    isGroupClass = StrictBooleanField()
    studentsCount = StrictIntegerField(min_value=0, max_value=settings.MAX_STUDENTS)


class BookingSerializer(PreferenceSerializer):
    """The body of POST /api/booking: the same, and what was paid for it."""

    text = StrictStringField(max_length=2000, required=False, allow_null=True)
    price = StrictIntegerField(min_value=0, max_value=MAX_PRICE, help_text="Centavos.")
    preferenceId = StrictStringField(max_length=255, printable=True)


class PaymentSerializer(serializers.Serializer[Payment]):
    """What a client needs to have a class paid, and to book it afterwards."""

    preferenceId = serializers.CharField(source="preference_id")
    initPoint = serializers.CharField(source="checkout_url")
    price = serializers.IntegerField(source="amount")
    expiresAt = InstantField(source="expires_at")


class JoinedClassSerializer(serializers.Serializer[VirtualClass]):
    """What a guest gets to see. Spec: POST /api/access-code, success response."""

    id = serializers.CharField()
    bookedById = serializers.CharField(source="booked_by_id")
    htmlLink = serializers.CharField(source="html_link")
    startTime = InstantField(source="start_time")
    endTime = InstantField(source="end_time")
    classType = serializers.CharField(source="class_type")
    currentParticipants = serializers.IntegerField(source="current_participants")
    maxParticipants = serializers.IntegerField(source="max_participants")
