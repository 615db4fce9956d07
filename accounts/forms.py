"""The profile form."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Language, Level, Newsletter
from accounts.validators import MAX_LOCATION, MAX_PHONE, validate_one_line


class ProfileForm(forms.Form):
    """Spec: User profile settings."""

    location = forms.CharField(
        label=_("Localidad"),
        max_length=MAX_LOCATION,
        required=False,
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"autocomplete": "address-level2"}),
    )
    level = forms.ChoiceField(label=_("Nivel"), choices=[("", _("Elegí tu nivel")), *Level.choices])
    phone = forms.CharField(
        label=_("Teléfono"),
        max_length=MAX_PHONE,
        required=False,
        validators=[validate_one_line],
        widget=forms.TextInput(attrs={"type": "tel", "autocomplete": "tel"}),
    )
    newsletter = forms.ChoiceField(
        label=_("Novedades por correo"), choices=Newsletter.choices, widget=forms.RadioSelect
    )
    language = forms.ChoiceField(label=_("Idioma"), choices=Language.choices)
