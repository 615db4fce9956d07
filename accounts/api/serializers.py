"""JSON of people, profiles and sign-in."""

from typing import Any

from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from accounts.models import Level, Newsletter, User
from accounts.validators import MAX_LOCATION, MAX_PHONE, validate_one_line
from config.lib.api import JSONCharField


class TextField(JSONCharField):
    """Text stored without surrounding spaces, which ``max_length`` counts."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_blank=True, validators=[validate_one_line], **options)

    def run_validation(self, data: Any = serializers.empty) -> str:
        text: str = super().run_validation(data)
        return text.strip()


class ChoiceField(serializers.ChoiceField):
    """Half a surrogate pair is refused before a refusal repeats it, which JSON could not encode."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            ProhibitSurrogateCharactersValidator()(data)
        return super().to_internal_value(data)


class ProfileSerializer(serializers.Serializer[User]):
    """Spec: User profile settings."""

    location = TextField(max_length=MAX_LOCATION)
    level = ChoiceField(choices=Level.choices, allow_blank=True)
    phone = TextField(max_length=MAX_PHONE)
    newsletter = ChoiceField(choices=Newsletter.choices)


class UserSerializer(serializers.Serializer[User]):
    """Spec: Resources, User."""

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


class SavedProfileSerializer(serializers.Serializer[None]):
    message = serializers.CharField()
    user = UserSerializer()


class CsrfTokenSerializer(serializers.Serializer[None]):
    csrfToken = serializers.CharField()


class UrlSerializer(serializers.Serializer[None]):
    url = serializers.CharField(help_text="Where to go on, an address.")


def _optional(help_text: str) -> serializers.CharField:
    return serializers.CharField(required=False, allow_blank=True, help_text=help_text)


class SignOutFormSerializer(serializers.Serializer[None]):
    csrfToken = _optional("From `GET /api/auth/csrf`, with its cookie.")
    callbackUrl = _optional("A path of ours, or its address; what else there is, is ignored.")
    json = _optional("`true` asks for `{url}` instead of a redirect.")


class SignInFormSerializer(SignOutFormSerializer):
    process = _optional(
        "`connect` adds the identity to who is signed in; `confirm` makes their sign-in "
        "fresh; `calendar` asks the administrator for the calendar."
    )
