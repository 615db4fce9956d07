"""The students' forms. They check shapes; the domain checks rules."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from bookings.domain.places.joining import LENGTH, drop_separators, normalize_access_code

# For a code that people type.
CODE_INPUT = {"autocapitalize": "characters", "autocomplete": "off", "spellcheck": "false"}


class PhotoField(forms.FileField):
    """The domain reads the picture."""

    widget = forms.FileInput({"accept": "image/jpeg,image/png,image/webp"})

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)


def refuse_large_photo(request: HttpRequest, form: forms.BaseForm, field: str) -> None:
    """Add an error if Django dropped the photo because of its size."""
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if request.method == "POST" and length > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
        form.add_error(field, _("La foto pesa más de 15 MB. Achicala un poco."))


class DetailsForm(forms.Form):
    """prices: centavos for each number of students.

    The form sends back the prices that it showed, so that the student pays those.
    """

    students_count = forms.TypedChoiceField(
        label=_("¿Cuántas personas van a estar?"),
        coerce=int,
        help_text=_("Contándote a vos."),
        widget=forms.RadioSelect,
    )
    text = forms.CharField(
        label=_("¿Qué te gustaría practicar?"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    # The prices on the page that was sent.
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=2000)

    def __init__(self, *args: Any, prices: dict[int, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.prices = self.list_prices = prices
        count = cast(forms.TypedChoiceField, self.fields["students_count"])
        count.choices = [(number, _people(number)) for number in prices]
        count.initial = next(iter(prices), None)
        if len(prices) == 1:
            # An individual class is for one person.
            count.widget = forms.HiddenInput()

    @property
    def words(self) -> dict[str, str]:
        """The fields of ``VirtualClass.TYPED``."""
        return {"learning_focus": self.cleaned_data["text"]}

    @property
    def price(self) -> int:
        """Centavos for the chosen number of students."""
        return self._choose(self.prices)

    @property
    def list_price(self) -> int:
        return self._choose(self.list_prices)

    @property
    def shown(self) -> str:
        """The prices as ``seen`` sends them back."""
        return " ".join(f"{number}:{amount}" for number, amount in self.prices.items())

    @property
    def is_free(self) -> bool:
        return not any(self.prices.values())

    @property
    def may_be_free(self) -> bool:
        """True if the number of students decides whether there is something to pay."""
        return any(self.prices.values()) and not all(self.prices.values())

    @property
    def price_seen(self) -> int:
        """Centavos that the sent page showed for the number of students; -1 if none."""
        seen = dict(part.split(":", 1) for part in self.cleaned_data["seen"].split() if ":" in part)
        amount = seen.get(str(self.cleaned_data["students_count"]), "")
        return int(amount) if amount.isdecimal() else -1

    @property
    def priced_counts(self) -> list[tuple[BoundWidget, int, int]]:
        counts = [(radio, int(radio.data["value"])) for radio in self["students_count"]]
        return [(radio, self.prices[count], self.list_prices[count]) for radio, count in counts]

    def _choose(self, prices: dict[int, int]) -> int:
        chosen = str(self["students_count"].value())
        amounts = {str(number): amount for number, amount in prices.items()}
        return amounts[chosen] if chosen in amounts else min(amounts.values())


def _people(number: int) -> str:
    return ngettext("%(number)d persona", "%(number)d personas", number) % {"number": number}


class PlaceForm(forms.Form):
    """A place in an open class. price: centavos. seen: those that the page showed."""

    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, price: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.price = self.list_price = price


class CancelForm(forms.Form):
    reason = forms.CharField(
        label=_("¿Por qué la cancelás?"),
        help_text=_("Solo lo lee tu profe."),
        max_length=500,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class JoinForm(forms.Form):
    """An access code; ``cleaned_data`` has it in capitals, without spaces and dashes."""

    access_code = forms.CharField(
        label=_("Código de acceso"),
        max_length=40,
        widget=forms.TextInput(CODE_INPUT | {"placeholder": "ABCD2345"}),
    )

    def clean_access_code(self) -> str:
        typed = drop_separators(self.cleaned_data["access_code"])
        if problem := _count_difference(LENGTH - len(typed)):
            raise forms.ValidationError(problem)
        code = normalize_access_code(typed)
        if code is None:
            raise forms.ValidationError(_("El código tiene solo letras sin tilde y números."))
        return code


def _count_difference(missing: int) -> str:
    if missing > 0:
        text = ngettext(
            "Falta %(number)d carácter: el código tiene ocho.",
            "Faltan %(number)d caracteres: el código tiene ocho.",
            missing,
        )
    elif missing < 0:
        text = ngettext(
            "Sobra %(number)d carácter: el código tiene ocho.",
            "Sobran %(number)d caracteres: el código tiene ocho.",
            -missing,
        )
    else:
        return ""
    return text % {"number": abs(missing)}


class DeleteAccountForm(forms.Form):
    address = forms.CharField(
        label=_("Escribí tu correo para confirmar"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "email"}),
    )

    def __init__(self, *args: Any, address: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._own_address = address

    def clean_address(self) -> str:
        typed: str = self.cleaned_data["address"]
        if typed.lower() != self._own_address.lower():
            raise forms.ValidationError(_("No es el correo de esta cuenta."))
        return typed
