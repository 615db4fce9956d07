"""The form of a class that the teacher books for a student."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, cast

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from bookings.domain.money.prices import find_used_offers, list_current_prices
from bookings.models import ClassType, Offer, Price, VirtualClass
from bookings.panel.classes.class_forms import HourForm
from bookings.panel.inputs import PesosField
from bookings.templatetags.class_times import cost

OTHER = "otra"
USUAL_MINUTES = 60
SHORTEST, LONGEST = 10, 480  # minutes


class Chosen(NamedTuple):
    """price: centavos. offer: None for a class of no offer."""

    class_type: ClassType
    minutes: int
    students: int
    price: int
    offer: Offer | None = None


class KindSelect(forms.RadioSelect):
    free: Collection[str] = ()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if str(value) in self.free:
            option["attrs"]["data-free"] = True
        return option


class BookForm(HourForm):
    """A class of the price list or of an offer, perhaps at another price; or any other class."""

    kind = forms.ChoiceField(label="Qué clase", widget=KindSelect)
    minutes = forms.IntegerField(
        label="Minutos", min_value=SHORTEST, max_value=LONGEST, required=False
    )
    students = forms.IntegerField(label="Personas", min_value=1, max_value=100, required=False)
    price = PesosField(
        label="Otro precio en pesos",
        required=False,
        help_text="Vacío: el de tu lista o el de la oferta.",
    )
    text = forms.CharField(label="Qué quiere practicar", max_length=2000, required=False)
    is_paid = forms.BooleanField(label="Ya me la pagó: se agenda ahora", required=False)
    # Once the form is valid.
    chosen: Chosen
    # Names of the once-per-person offers that the student has used.
    used: list[str]

    def __init__(self, data: Any, *, asked: Mapping[str, str], student: User) -> None:
        """asked: a kind, its minutes and an hour to begin with."""
        super().__init__(data)
        self.prices = self._list_prices(student)
        kinds = [*((key, _name_price(one)) for key, one in self.prices.items()), (OTHER, "Otra")]
        field = cast(forms.ChoiceField, self.fields["kind"])
        field.choices = kinds
        field.widget.free = {key for key, one in self.prices.items() if one.amount == 0}
        named = asked.get("kind", "")
        kind = named if named in dict(kinds) else self._find_usual(student)
        minutes = asked.get("minutes", "")
        self.initial = {
            "kind": kind,
            "minutes": minutes if minutes.isdecimal() else USUAL_MINUTES,
            "students": 1,
            "slot": asked.get("slot") or asked.get("inicio", ""),
        }

    @property
    def kind_name(self) -> SafeString | str:
        """Of the one that is chosen or proposed."""
        price = self.prices.get(str(self["kind"].value()))
        return _name_price(price) if price else "Otra"

    @property
    def length(self) -> timedelta:
        """Of the class that is chosen or proposed."""
        price, typed = self.prices.get(str(self["kind"].value())), str(self["minutes"].value())
        minutes = price.minutes if price else USUAL_MINUTES
        if price is None and typed.isdecimal() and len(typed) <= len(str(LONGEST)):
            minutes = min(max(int(typed), SHORTEST), LONGEST)
        return timedelta(minutes=minutes)

    def clean(self) -> None:
        super().clean()
        kind, amount = self.cleaned_data.get("kind", ""), self.cleaned_data.get("price")
        if price := self.prices.get(kind):
            amount = price.amount if amount is None else amount
            class_type = ClassType(price.class_type)
            self.chosen = Chosen(
                class_type, price.minutes, price.students_up_to, amount, price.offer
            )
        elif kind == OTHER:
            self._choose_other(amount)

    def _list_prices(self, student: User) -> dict[str, Price]:
        """Return the prices that the student can pay, unlisted offers' too, by their keys."""
        prices = list_current_prices()
        used = find_used_offers(student, prices)
        offers = {one.offer for one in prices if one.offer and one.offer.pk in used}
        self.used = sorted(offer.name for offer in offers)
        return {str(one.pk): one for one in prices if one.offer not in offers}

    def _find_usual(self, student: User) -> str:
        """Return the key of the student's last class, or of the usual one."""
        last = student.booked_classes.order_by("-start_time", "-id").first()
        alike = [key for key, one in self.prices.items() if last and _is_for(one, last)]
        usual = sorted(self.prices, key=lambda key: _differ_from_usual(self.prices[key]))
        return next(iter([*alike, *usual]), OTHER)

    def _choose_other(self, amount: int | None) -> None:
        minutes, students = (self.cleaned_data.get(name) for name in ("minutes", "students"))
        if not minutes or not students:
            self.add_error("kind", "Decí cuántos minutos dura y para cuántas personas es.")
        elif amount is None:
            self.add_error("price", "Esa clase no está en tu lista: poné su precio.")
        else:
            class_type = ClassType.GROUP if students > 1 else ClassType.INDIVIDUAL
            self.chosen = Chosen(class_type, minutes, students, amount)


def _is_for(price: Price, one: VirtualClass) -> bool:
    is_alike = (price.class_type, price.minutes) == (one.class_type, one.minutes)
    return is_alike and price.offer_id == one.offer_id and price.students_up_to >= one.capacity


def _differ_from_usual(price: Price) -> tuple[bool, bool, int]:
    is_group = price.class_type != ClassType.INDIVIDUAL
    return price.offer_id is not None, is_group, abs(price.minutes - USUAL_MINUTES)


def _name_price(price: Price) -> SafeString:
    minutes = f"{price.minutes} min"
    people = f"hasta {price.students_up_to} personas" if price.students_up_to > 1 else ""
    hidden = "solo con enlace" if price.offer and not price.offer.is_listed else ""
    if price.offer:
        name, more = price.offer.name, [minutes, people, hidden]
    else:
        name, more = f"{price.get_class_type_display()}, {minutes}", [people]
    parts = name, " · ".join(filter(None, more)), cost(price.amount)
    return format_html("{} <small>{}</small> <b>{}</b>", *parts)
