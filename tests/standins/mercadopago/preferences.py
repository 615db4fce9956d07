"""Preferences: what the API demands of one, and how it completes it.

https://www.mercadopago.com.ar/developers/es/reference/online-payments/checkout-pro/create-preference/post
"""

import copy
import re
from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn
from urllib.parse import urlsplit

from tests.standins.mercadopago.rows import Json, is_number, parse_moment, pesos, refuse

REFERENCE = re.compile(r"[A-Za-z0-9_-]{0,64}")
NOTIFICATION_URL_LENGTH = 248
# auto_return needs an address that Mercado Pago could call; the message blames another cause.
PRIVATE_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
BARE_PREFERENCE: Json = {
    "additional_info": "",
    "auto_return": "",
    "back_urls": {"success": "", "pending": "", "failure": ""},
    "binary_mode": False,
    "date_of_expiration": None,
    "expires": False,
    "expiration_date_from": None,
    "expiration_date_to": None,
    "external_reference": "",
    "last_updated": None,
    "metadata": {},
    "notification_url": None,
    "operation_type": "regular_payment",
    "payer": {"name": "", "surname": "", "email": "", "date_created": ""},
    "payment_methods": {
        "excluded_payment_methods": [{"id": ""}],
        "excluded_payment_types": [{"id": ""}],
        "installments": None,
    },
    "site_id": "MLA",
    "statement_descriptor": "",
}
BARE_ITEM: Json = {"id": "", "picture_url": "", "title": "", "description": "", "category_id": ""}


def complete(body: Json, currency: str) -> Json:
    """Check a preference's fields and give all of them, those left out by their defaults."""
    _check(body, currency)
    known = {name: body[name] for name in BARE_PREFERENCE if body.get(name) is not None}
    preference = copy.deepcopy({**BARE_PREFERENCE, **known})
    for name in ("back_urls", "payer", "payment_methods"):
        preference[name] = {**BARE_PREFERENCE[name], **preference[name]}
    preference["items"] = [{**BARE_ITEM, "currency_id": currency, **one} for one in body["items"]]
    return preference


def has_expired(preference: Json, now: datetime) -> bool:
    end = parse_moment(preference["expiration_date_to"])
    return bool(preference["expires"] and end and now >= end)


def excludes(preference: Json, payment_type: str) -> bool:
    """Tell whether a kind of payment, such as ``ticket`` (cash), is not offered."""
    excluded = preference["payment_methods"]["excluded_payment_types"]
    return any(one["id"] == payment_type for one in excluded)


def _check(body: Any, currency: str) -> None:
    if not isinstance(body, dict):
        refuse(400, message="invalid JSON")
    _check_items(body.get("items"), currency)
    _check_addresses(body)
    _check_moments(body)
    _check_methods(body.get("payment_methods") or {})
    if not REFERENCE.fullmatch(str(body.get("external_reference") or "")):
        _refuse("external_reference", "external_reference invalid")


def _check_items(items: Any, currency: str) -> None:
    if not items:
        _refuse("items", "items needed")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        _refuse("items", "items must be a array")
    for index, item in enumerate(items):
        if not item.get("title"):
            _refuse("items", "title needed")
        if type(item.get("quantity")) is not int or item["quantity"] < 1:
            _refuse("items", f"items.{index}.quantity must be a integer.")
        if not is_number(item.get("unit_price")):
            _refuse("items", "unit_price must be a number.")
        if not _is_price(pesos(item["unit_price"])):
            _refuse("items", "unit_price invalid")
        if item.get("currency_id", currency) != currency:
            _refuse("items", "currency_id invalid")


def _is_price(price: Decimal) -> bool:
    return price > 0 and price == round(price, 2)


def _check_addresses(body: Json) -> None:
    back_urls = body.get("back_urls") or {}
    if not isinstance(back_urls, dict) or not all(_is_url(url) for url in back_urls.values()):
        _refuse("back_urls", "back_urls invalid. Wrong format")
    if body.get("auto_return") and not _is_public(back_urls.get("success") or ""):
        _refuse("auto_return", "auto_return invalid. back_url.success must be defined")
    url = body.get("notification_url")
    if url is not None and not (_is_url(url) and 0 < len(url) <= NOTIFICATION_URL_LENGTH):
        # The API's own spelling.
        refuse(400, message="notificaction_url attribute must be url valid")


def _is_url(url: Any) -> bool:
    """Accept an address, or nothing."""
    if not isinstance(url, str):
        return False
    parts = urlsplit(url)
    return not url or (parts.scheme in {"http", "https"} and bool(parts.netloc))


def _is_public(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" and parts.hostname not in PRIVATE_HOSTS


def _check_moments(body: Json) -> None:
    for name in ("expiration_date_from", "expiration_date_to"):
        if body.get(name) is not None and parse_moment(body[name]) is None:
            _refuse(name, f"{name} invalid.")
    start, end = (parse_moment(body.get(f"expiration_date_{side}")) for side in ("from", "to"))
    if start and end and start >= end:
        _refuse("expiration_date_to", "expiration_date_to invalid.")
    moment = body.get("date_of_expiration")
    if moment is not None and parse_moment(moment) is None:
        _refuse("date", "invalid date of expiration.")


def _check_methods(methods: Json) -> None:
    for one in methods.get("excluded_payment_types") or []:
        if one["id"] == "account_money":
            _refuse("payment_methods", "account_money cannot be excluded.")


def _refuse(field: str, message: str) -> NoReturn:
    refuse(400, f"invalid_{field}", message)
