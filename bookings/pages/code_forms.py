"""The booking forms, with a discount code."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import TooManyAttemptsError
from bookings.domain.money.discounts import (
    DiscountCodeError,
    count_off,
    describe_off,
    find_discount,
    has_usable_codes,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.pages.forms import CODE_INPUT, DetailsForm, PlaceForm

CODE_REFUSALS = (DiscountCodeError, TooManyAttemptsError)


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Código de descuento"),
        max_length=40,
        required=False,
        widget=forms.TextInput(CODE_INPUT),
    )

    # The code whose discount the prices have.
    discount_code: DiscountCode | None = None

    @property
    def takes_codes(self) -> bool:
        """A class that costs nothing needs no code."""
        return self.has_prices() and (has_usable_codes() or bool(self["code"].value()))

    def shows_discount(self, user: User, *, listed: int, seen: int | None) -> bool:
        """Lower the prices by the typed code; return True if the student has to see them first."""
        typed = self.cleaned_data["code"]
        is_to_see = "apply" in self.data or (bool(typed and listed) and seen == listed)
        if typed and listed:
            try:
                self.use_code(find_discount(user=user, typed=typed, amount=listed).code)
            except CODE_REFUSALS as refusal:
                if is_to_see:  # otherwise a repeated booking is no error
                    self.add_error("code", refusal.text)
        return is_to_see

    def refuse_code(self, refusal: DiscountCodeError | TooManyAttemptsError) -> None:
        self.use_code(None)
        self.add_error("code", refusal.text)

    def use_code(self, code: DiscountCode | None) -> None:
        self.discount_code = code

    @property
    def off(self) -> str:
        return describe_off(self.discount_code) if self.discount_code else ""

    def lower(self, amount: int) -> int:
        return amount - (count_off(self.discount_code, amount) if self.discount_code else 0)

    def has_prices(self) -> bool:
        raise NotImplementedError


class DetailsWithCodeForm(DetailsForm, CodeForm):
    field_order = ["students_count", "text", "code"]

    def use_code(self, code: DiscountCode | None) -> None:
        super().use_code(code)
        self.prices = {number: self.lower(amount) for number, amount in self.list_prices.items()}

    def has_prices(self) -> bool:
        return any(self.list_prices.values())


class PlaceWithCodeForm(PlaceForm, CodeForm):
    def use_code(self, code: DiscountCode | None) -> None:
        super().use_code(code)
        self.price = self.lower(self.list_price)

    def has_prices(self) -> bool:
        return self.list_price > 0
