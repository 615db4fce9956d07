"""Shapes of the profile's input and output in JSON."""

from typing import Any

from rest_framework import serializers

from accounts.models import Level, Newsletter, User
from accounts.validators import MAX_LOCATION, MAX_PHONE, validate_one_line


class TextField(serializers.CharField):
    """Text that may be empty, without the spaces around it.

    A number is refused, where DRF would turn it into text. The rules are for the text as it came,
    spaces included: JSON Schema knows nothing of trimming.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            allow_blank=True, trim_whitespace=False, validators=[validate_one_line], **options
        )

    def to_internal_value(self, data: Any) -> str:
        """Take text and nothing else."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)

    def run_validation(self, data: Any = serializers.empty) -> str:
        """Check the text, then trim it."""
        text: str = super().run_validation(data)
        return text.strip()


class ProfileSerializer(serializers.Serializer[User]):
    """The four settings: all of them each time, other keys ignored. Spec: User profile settings.

    ``level`` is empty until the person chooses one, and may be sent back so.
    """

    location = TextField(max_length=MAX_LOCATION)
    level = serializers.ChoiceField(choices=Level.choices, allow_blank=True)
    phone = TextField(max_length=MAX_PHONE)
    newsletter = serializers.ChoiceField(choices=Newsletter.choices)


class UserSerializer(serializers.Serializer[User]):
    """A person as they see themselves: no grant, no privileges. Spec: Resources, User."""

    id = serializers.CharField()
    email = serializers.CharField()
    name = serializers.CharField()
    location = serializers.CharField()
    level = serializers.CharField()
    phone = serializers.CharField()
    newsletter = serializers.CharField()
    totalClasses = serializers.IntegerField(source="total_classes")
    status = serializers.CharField()
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")
