from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.models import Level, Newsletter
from accounts.phones import check_phone
from accounts.sign_in.claims import MAX_SUBJECT, verified_addresses
from accounts.validators import (
    MAX_LOCATION,
    MAX_NAME,
    MAX_PHONE,
    read_name,
    validate_one_line,
)


class ProfileForm(forms.Form):
    """Spec: User profile settings."""

    name = forms.CharField(
        label=_("Nombre"),
        help_text=_("Así te ven tu profe y quienes comparten tus clases."),
        max_length=MAX_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    location = forms.CharField(
        label=_("Localidad"),
        max_length=MAX_LOCATION,
        required=False,
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"autocomplete": "address-level2"}),
    )
    level = forms.ChoiceField(
        label=_("Nivel"), choices=[("", _("Elegí tu nivel")), *Level.choices], required=False
    )
    phone = forms.CharField(
        label=_("Teléfono"),
        help_text=_("Con código de área. Lo ve solo tu profe, por si necesita avisarte algo."),
        max_length=MAX_PHONE,
        required=False,
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"type": "tel", "autocomplete": "tel"}),
    )
    newsletter = forms.ChoiceField(
        label=_("Novedades por correo"), choices=Newsletter.choices, widget=forms.RadioSelect
    )

    def clean_name(self) -> str:
        """Accept the provider's name unchanged."""
        typed: str = self.cleaned_data["name"]
        return typed if typed == self.initial.get("name") else read_name(typed)

    def clean_phone(self) -> str:
        """Accept an unchanged text: the API stores any."""
        typed: str = self.cleaned_data["phone"]
        return typed if typed == self.initial.get("phone") else check_phone(typed)


class MailForm(forms.Form):
    """The address that gets a code, and is the identity."""

    email = forms.CharField(max_length=MAX_SUBJECT)

    def clean_email(self) -> str:
        found = verified_addresses(self.cleaned_data["email"], is_verified=True)
        if not found:
            raise ValidationError("Not a plain address.")
        address: str = found[0].email
        host = address.rpartition("@")[2]
        if "." not in host or host.startswith("[") or host.endswith((".invalid", ".localhost")):
            raise ValidationError("Not an address of the internet.")
        return address


class MailCodeForm(forms.Form):
    code = forms.CharField(
        label=_("Código"),
        max_length=30,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "one-time-code", "autofocus": True}
        ),
    )
    name = forms.CharField(
        label=_("Tu nombre, si es la primera vez"),
        max_length=MAX_NAME,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )

    def clean_name(self) -> str:
        typed: str = self.cleaned_data["name"]
        return read_name(typed) if typed else ""
