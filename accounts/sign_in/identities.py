"""The identities of an account: which may be connected, and how one is disconnected again."""

from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User
from accounts.selectors import list_accounts
from accounts.sessions.open_sessions import end_other_sessions
from accounts.sign_in.fresh_sign_in import confirm_address, is_fresh, is_panel_identity
from accounts.sign_in.redirects import error_redirect

# Sent with ``user`` and ``account``, a SocialAccount, when one is added or taken away.
identity_connected = Signal()
identity_disconnected = Signal()


class LastIdentityError(Exception):
    """The person could not sign in any more."""


class PanelIdentityError(Exception):
    """The identity opens the panel, which nothing else does."""


def find_obstacle(request: HttpRequest) -> str:
    """Return the path of the page that says why no identity can be connected now; empty if it can.

    Staff connect none: the panel belongs to one identity. Others need a fresh sign-in first.
    """
    if request.user.is_staff:
        return error_redirect("PanelIdentity", page=reverse("profile")).url
    return "" if is_fresh(request) else confirm_address(reverse("profile"))


@transaction.atomic
def disconnect_identity(*, user: User, account_id: int, current_session: str | None) -> None:
    """Take an identity away from the person, and end their other sessions.

    current_session: the key of the session row that stays. An identity that is not the person's, or
    is gone, is ignored. Raises, without writing: LastIdentityError, PanelIdentityError.
    """
    # Two of these at once would each see the other's identity as the one that is left.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    accounts = {account.pk: account for account in list_accounts(user)}
    account = accounts.get(account_id)
    if account is None:
        return
    if len(accounts) == 1:
        raise LastIdentityError
    if user.is_staff and is_panel_identity(user, provider=account.provider, uid=account.uid):
        raise PanelIdentityError
    SocialAccount.objects.filter(pk=account.pk).delete()
    end_other_sessions(user=user, current=current_session)
    identity_disconnected.send(sender=User, user=user, account=account)
