"""The identities of an account."""

from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.selectors import list_accounts
from accounts.services import lock_person
from accounts.sessions.open_sessions import end_other_sessions
from accounts.sign_in.fresh_sign_in import confirm_address, is_fresh, is_panel_identity
from accounts.sign_in.redirects import error_redirect

# Sent with ``user`` and ``account``, a SocialAccount.
identity_connected = Signal()
identity_disconnected = Signal()


class NeededIdentityError(Exception):
    """The person could not sign in without it."""


def find_obstacle(request: HttpRequest) -> str:
    """Return the page to show instead of connecting, or an empty text."""
    if request.user.is_staff:
        return error_redirect("PanelIdentity", page=reverse("profile")).url
    return "" if is_fresh(request) else confirm_address(reverse("profile"))


@transaction.atomic
def disconnect_identity(*, user: User, account_id: int, current_session: str | None) -> None:
    """Delete an identity, and all sessions except the row key ``current_session``.

    Raises NeededIdentityError without writing.
    """
    # Two concurrent requests would each see the other's identity as the remaining one.
    lock_person(user)
    accounts = {account.pk: account for account in list_accounts(user)}
    account = accounts.get(account_id)
    if account is None:
        return
    if len(accounts) == 1:
        raise NeededIdentityError(_("Es tu única forma de ingresar: no se puede desconectar."))
    if user.is_staff and is_panel_identity(user, provider=account.provider, uid=account.uid):
        raise NeededIdentityError(_("Con esa cuenta entrás al panel: no se puede desconectar."))
    SocialAccount.objects.filter(pk=account.pk).delete()
    end_other_sessions(user=user, current=current_session)
    identity_disconnected.send(sender=User, user=user, account=account)
