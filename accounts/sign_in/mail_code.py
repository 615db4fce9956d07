"""Sign-in by a code in a mail. The session of the browser that asked keeps its digest.

No account is looked up before the code is proven, so all addresses get the same answer.
"""

import logging
import secrets
from datetime import timedelta
from functools import partial
from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.core.mail import EmailMultiAlternatives
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from accounts.selectors import MAIL
from accounts.sign_in.authorization import Purpose, finish
from config.lib.addresses import client_address
from config.lib.throttling import is_too_often

logger = logging.getLogger(__name__)

SESSION_ENTRY = "mail_code"
DIGITS, TRIES = 8, 5
LASTS = timedelta(minutes=10)
RESEND_AFTER = timedelta(minutes=1)
WINDOW = timedelta(hours=1)


class MailCodeError(Exception):
    """Its text is for the person."""


def send_code(request: HttpRequest, *, address: str, purpose: Purpose, next_path: str) -> None:
    """Mail a code, which replaces an earlier one. Raises MailCodeError."""
    now = timezone.now().timestamp()
    _refuse_too_many(request, address, now)
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    try:
        _write_mail(address, code).send()
    except OSError as error:
        # Its text may hold the address.
        logger.warning("A sign-in code was not mailed: %s", type(error).__name__)
        raise MailCodeError(
            _("No pudimos mandarte el correo. Fijate en la dirección, y probá de nuevo.")
        ) from error
    request.session[SESSION_ENTRY] = {
        "address": address,
        "digest": _digest(address, code),
        "sent": now,
        "tries": 0,
        "purpose": purpose,
        "next": next_path,
        "must_be": str(request.user.pk) if purpose == Purpose.CONFIRM else None,
    }


def find_asked(session: SessionBase) -> dict[str, Any] | None:
    asked: dict[str, Any] | None = session.get(SESSION_ENTRY)
    return asked


def has_code(session: SessionBase, address: str) -> bool:
    """Return True if a code for the address may still be good."""
    asked = find_asked(session)
    return asked is not None and asked["address"] == address and not _is_late(asked)


def check_code(session: SessionBase, typed: str) -> None:
    """Count a try. Raises MailCodeError for a wrong, late or worn-out code."""
    asked = session[SESSION_ENTRY]
    # Not in the session alone: a slower request that stores it takes tries back.
    is_worn_out = is_too_often("mail-code-tries", asked["digest"], limit=TRIES, window=WINDOW)
    if _is_late(asked) or is_worn_out or asked["tries"] >= TRIES:
        raise MailCodeError(_("Ese código ya no vale. Pedí otro."))
    asked["tries"] += 1
    session.modified = True
    code = "".join(filter(str.isdigit, typed))
    if not constant_time_compare(_digest(asked["address"], code), asked["digest"]):
        raise MailCodeError(_("Ese código no es. Fijate en el último correo que te mandamos."))


def sign_in(request: HttpRequest, *, name: str) -> HttpResponse:
    """Sign in the owner of the proven address, as after a provider's callback.

    name: of a new person; by default it is made from the address.
    """
    asked = request.session.pop(SESSION_ENTRY)
    address = asked["address"]
    provider = get_adapter().get_provider(request, MAIL)
    data = {"email": address, "name": name or _name_of(address)}
    sociallogin = provider.sociallogin_from_response(request, data)
    is_connection = asked["purpose"] == Purpose.CONNECT
    sociallogin.state = {
        "process": AuthProcess.CONNECT if is_connection else AuthProcess.LOGIN,
        "next": asked["next"],
        "must_be": asked["must_be"],
    }
    return finish(request, partial(complete_social_login, sociallogin=sociallogin))


def _refuse_too_many(request: HttpRequest, address: str, now: float) -> None:
    asked = find_asked(request.session)
    is_same = asked is not None and asked["address"] == address
    if asked and is_same and now < asked["sent"] + RESEND_AFTER.total_seconds():
        raise MailCodeError(
            _("Recién te lo mandamos. Si en un minuto no llega, mirá en «spam» o pedí otro.")
        )
    limits = {
        client_address(request): settings.MAX_CODES_OF_ADDRESS,
        _digest(address, ""): settings.MAX_CODES_TO_MAILBOX,
    }
    for who, limit in limits.items():
        if is_too_often("mail-codes", who, limit=limit, window=WINDOW):
            raise MailCodeError(_("Se pidieron demasiados códigos. Probá de nuevo en una hora."))


def _is_late(asked: dict[str, Any]) -> bool:
    return bool(timezone.now().timestamp() > asked["sent"] + LASTS.total_seconds())


def _digest(address: str, code: str) -> str:
    return salted_hmac(__name__, f"{address} {code}", algorithm="sha256").hexdigest()


def _name_of(address: str) -> str:
    """Return the words before the at sign, as ``read_name`` would take them."""
    letters = (sign if sign.isalpha() else " " for sign in address.partition("@")[0])
    return " ".join("".join(letters).split()).title()


def _write_mail(address: str, code: str) -> EmailMultiAlternatives:
    site_name = _(settings.SITE_NAME)
    subject = _("Tu código para ingresar a %(site)s") % {"site": site_name}
    context = {
        "site_name": site_name,
        "subject": subject,
        "opening": _("Con este código ingresás a %(site)s.") % {"site": site_name},
        "explanation": _(
            "Vale por %(minutes)s minutos, en la página donde lo pediste. No se lo digas a nadie. "
            "Si no lo pediste, no hagas nada."
        )
        % {"minutes": LASTS // timedelta(minutes=1)},
        "facts": [(_("Código"), code, False)],
    }
    mail = EmailMultiAlternatives(
        subject=subject,
        body=render_to_string("notices/mail.txt", context),
        to=[address],
        reply_to=[settings.ADMIN_EMAIL] if settings.ADMIN_EMAIL else None,
        headers={"Auto-Submitted": "auto-generated"},
    )
    mail.attach_alternative(render_to_string("notices/mail.html", context), "text/html")
    return mail
