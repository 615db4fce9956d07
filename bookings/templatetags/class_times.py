"""Dates, times and money in the Argentine format, in Spanish and English.

English writes ``ARS``, because ``$`` means another currency to most readers.
"""

from datetime import date, datetime, timedelta
from decimal import Decimal

from babel.dates import format_date, format_skeleton
from babel.numbers import format_currency
from babel.units import format_unit
from django import template
from django.conf import settings
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, to_locale

from bookings.models import Purchase

register = template.Library()

ONE_HOUR, ONE_DAY = timedelta(hours=1), timedelta(days=1)
LONG_DAY = {"es_AR": "EEEE d 'de' MMMM", "en": "EEEE d MMMM"}


@register.filter
def long_day(value: datetime | date) -> str:
    """``martes 24 de noviembre``; Django's own names lose their accents."""
    return _write_date(value, LONG_DAY[_active_locale()])


@register.filter
def short_day(value: datetime | date) -> str:
    """``mar 24 nov``."""
    return _write_date(value, "EEE d MMM").replace(".", "")


@register.filter
def near_day(value: datetime | date) -> str:
    """``mañana, martes 24 de noviembre`` for today and tomorrow."""
    days_ahead = (_local_date(value) - timezone.localdate()).days
    day = long_day(value)
    if days_ahead == 0:
        return gettext("hoy, %(day)s") % {"day": day}
    if days_ahead == 1:
        return gettext("mañana, %(day)s") % {"day": day}
    return day


@register.filter
def month_and_year(value: date) -> str:
    return format_skeleton("yMMMM", value, locale=_active_locale())


@register.filter
def month_name(value: date) -> str:
    return format_date(value, "LLLL", locale=_active_locale())


@register.filter
def weekday_name(value: datetime | date) -> str:
    return _write_date(value, "EEEE")


@register.filter
def weekday(value: datetime | date) -> str:
    return _write_date(value, "EEE").replace(".", "")


@register.filter
def month(value: datetime | date) -> str:
    return _write_date(value, "MMM").replace(".", "")


@register.filter
def clock(value: datetime) -> str:
    """``18:30``, in the service's zone."""
    return f"{timezone.localtime(value):%H:%M}"


@register.filter
def hour(value: datetime) -> SafeString:
    """``18:30``; your-time.js adds the visitor's hour if it differs."""
    moment = timezone.localtime(value).isoformat()
    element = '<span data-your-time><time datetime="{}">{}</time></span>'
    return format_html(element, moment, clock(value))


@register.filter
def minutes(count: int) -> str:
    return format_unit(count, "duration-minute", length="short", locale=_active_locale())


@register.filter
def duration(value: timedelta) -> str:
    """``30 días``, ``12 horas`` or ``10 minutos``: the largest exact unit."""
    units = (("day", ONE_DAY), ("hour", ONE_HOUR))
    name, size = next(
        (unit for unit in units if not value % unit[1]), ("minute", timedelta(minutes=1))
    )
    return format_unit(value // size, f"duration-{name}", length="long", locale=_active_locale())


@register.filter
def clock_near(value: datetime) -> SafeString:
    """``18:30`` for today, ``18:30 del mar 24 nov`` for another day."""
    if _local_date(value) == timezone.localdate():
        return hour(value)
    return format_html(gettext("{clock} del {day}"), clock=hour(value), day=short_day(value))


@register.filter
def lead_time(value: timedelta) -> str:
    """``24 horas`` where ``duration`` writes ``1 día``."""
    if value < 3 * ONE_DAY and not value % ONE_HOUR:
        return format_unit(
            value // ONE_HOUR, "duration-hour", length="long", locale=_active_locale()
        )
    return duration(value)


@register.filter
def until_before(value: timedelta) -> str:
    """``hasta 24 horas antes`` or ``antes de que empiece la clase``."""
    if not value:
        return gettext("antes de que empiece la clase")
    return gettext("hasta %(time)s antes") % {"time": lead_time(value)}


@register.filter
def seconds_until(value: datetime) -> int:
    return max(0, int((value - timezone.now()).total_seconds()))


@register.filter
def minutes_until(value: datetime) -> int:
    return -(-seconds_until(value) // 60)


@register.filter
def time_until(value: datetime) -> str:
    """``11 h 59 min``, ``12 h`` or ``59 min``, rounded up."""
    hours, rest = divmod(minutes_until(value), 60)
    if not hours:
        return minutes(rest)
    return f"{hours}\xa0h {minutes(rest)}" if rest else f"{hours}\xa0h"


@register.filter
def whole_hours(value: timedelta) -> str:
    """``26 h``, ``45 min`` or ``0 h``, rounded down."""
    whole, rest = divmod(value // timedelta(minutes=1), 60)
    return f"{whole}\xa0h" if whole or not rest else minutes(rest)


@register.filter
def pesos(centavos: int) -> str:
    """``$ 15.000`` for 1500000 centavos, with a no-break space; centavos only if needed."""
    amount = Decimal(centavos) / 100
    pattern = "¤\xa0#,##0.00" if centavos % 100 else "¤\xa0#,##0"
    return format_currency(amount, "ARS", pattern, locale=_active_locale(), currency_digits=False)


@register.filter
def cost(centavos: int) -> str:
    return pesos(centavos) if centavos else gettext("Gratis")


@register.filter
def price_note(purchase: Purchase | None) -> str:
    """Say why a price is below the list: ``$ 1.500 menos con AMIGOS``; empty if it is not."""
    if not purchase or not purchase.discount:
        return ""
    values = {"amount": pesos(purchase.discount), "code": purchase.discount_name}
    if not values["code"]:
        return gettext("%(amount)s menos") % values
    return gettext("%(amount)s menos con %(code)s") % values


def _write_date(value: datetime | date, pattern: str) -> str:
    return format_date(_local_date(value), pattern, locale=_active_locale())


def _active_locale() -> str:
    return to_locale(get_language() or settings.LANGUAGE_CODE)


def _local_date(value: datetime | date) -> date:
    return timezone.localdate(value) if isinstance(value, datetime) else value
