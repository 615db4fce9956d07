"""Phone numbers as people in Argentina write them."""

from urllib.parse import quote

import phonenumbers
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from phonenumbers import PhoneNumber, PhoneNumberFormat, PhoneNumberType

REGION = "AR"  # for numbers without a country
MOBILE_MARK = "9"  # between +54 and the area code
NOT_A_PHONE = _("Escribí el teléfono con su código de área, como 341 555 0199.")


def check_phone(text: str) -> str:
    """Return the international spelling, such as +54 9 341 555-0199, or an empty text.

    An Argentine mobile may have the 15, the 9, both or neither; with neither it stays without the
    9. An extension is dropped. Raises ValidationError.
    """
    if not text.strip():
        return ""
    number = _parse(text)
    if number is None:
        raise ValidationError(NOT_A_PHONE, code="phone")
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def whatsapp_url(phone: str, text: str = "") -> str:
    """Return the address of a chat, empty if the phone is not a number.

    https://faq.whatsapp.com/1294841057948784
    """
    number = normalize_phone(phone)
    if not number:
        return ""
    address = f"https://wa.me/{number.removeprefix('+')}"
    return f"{address}?text={quote(text)}" if text else address


def whatsapp_share_url(text: str) -> str:
    """Return an address that lets the person choose the chat."""
    return f"https://wa.me/?text={quote(text, safe='')}"


def normalize_phone(text: str) -> str:
    """Return the E.164 number, such as +5493415550199, or an empty text.

    WhatsApp needs the 9 of Argentine mobiles, which people leave out: a number that may be a
    landline counts as a mobile.
    """
    number = _parse(text)
    if number is None:
        return ""
    national = phonenumbers.national_significant_number(number)
    if _is_argentine(number) and phonenumbers.number_type(number) == PhoneNumberType.FIXED_LINE:
        national = f"{MOBILE_MARK}{national}"
    return f"+{number.country_code}{national}"


def _parse(text: str) -> PhoneNumber | None:
    number = _read(text)
    if number and not phonenumbers.is_valid_number(number) and _is_argentine(number):
        # With 9 and 15 the library removes neither.
        national = phonenumbers.national_significant_number(number)
        number = _read(national.removeprefix(MOBILE_MARK))
    if number is None or not phonenumbers.is_valid_number(number):
        return None
    number.extension = None
    return number


def _read(text: str) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(text, REGION)
    except phonenumbers.NumberParseException:
        return None


def _is_argentine(number: PhoneNumber) -> bool:
    return number.country_code == phonenumbers.country_code_for_region(REGION)
