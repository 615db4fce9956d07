"""Writes about people: profile, status, sessions and the administrator's calendar grant."""

from django.db import transaction
from django.db.models import F, QuerySet
from django.dispatch import Signal
from django.utils import timezone

from accounts.models import Session, User, UserStatus
from accounts.selectors import GOOGLE


def save_profile(*, user: User, location: str, level: str, phone: str, newsletter: str) -> User:
    """Store the four settings, whole: of two writers at once the last one wins.

    Spec: Endpoints, POST /api/user-data.
    """
    user.location = location
    user.level = level
    user.phone = phone
    user.newsletter = newsletter
    user.save(update_fields=["location", "level", "phone", "newsletter", "updated_at"])
    return user


def choose_language(*, user: User, language: str) -> None:
    """Keep the language of a person's pages and mails. language: one of ``Language``."""
    if user.language != language:
        user.language = language
        user.save(update_fields=["language", "updated_at"])


def revoke_sessions(*, user: User) -> None:
    """Sign the person out everywhere."""
    Session.objects.filter(user=user).delete()


# Sent with the person once their account is closed; robustly, for closed it is.
account_suspended = Signal()


def suspend(*, user: User) -> None:
    """Close the account for now: its sessions end and signing in is refused."""
    with transaction.atomic():
        _set_status(user, UserStatus.SUSPENDED)
        revoke_sessions(user=user)
    account_suspended.send_robust(sender=User, user=user)


def reactivate(*, user: User) -> None:
    """Open a suspended account again."""
    _set_status(user, UserStatus.ACTIVE)


def may_open_panel(*, user: User, provider: str, subject: str) -> bool:
    """True for the identity that is bound to a staff account, or for Google's where none is yet."""
    return provider == GOOGLE and user.provider_subject in {"", subject}


def bind_identity(*, user: User, subject: str) -> None:
    """Bind staff without an identity to the one they signed in with; the first one stays."""
    if User.objects.filter(pk=user.pk, provider_subject="").update(provider_subject=subject):
        user.provider_subject = subject


@transaction.atomic
def admit_administrator(*, user: User, subject: str) -> bool:
    """Give the administrator's account the panel; False, and nothing given, to a false one.

    subject: the identity provider's id of who signed in. The first one seen is kept, so whoever
    gets hold of the address later, with another account at the provider, is not the administrator.
    There is one administrator: an earlier one loses the panel, and the grant is to be revoked.
    """
    known = User.objects.filter(pk=user.pk, provider_subject__in=["", subject])
    if not known.update(provider_subject=subject, is_staff=True, is_superuser=True):
        return False
    user.provider_subject = subject
    user.is_staff = user.is_superuser = True
    earlier = User.objects.exclude(pk=user.pk).filter(is_superuser=True)
    earlier.exclude(provider_refresh_token="").update(
        grant_to_revoke=F("provider_refresh_token"), provider_refresh_token=""
    )
    _take_panel(earlier)
    return True


def dismiss_administrator(*, user: User) -> None:
    """Take the panel from an earlier administrator."""
    _take_panel(User.objects.filter(pk=user.pk))
    user.is_staff = user.is_superuser = False


# Sent when the administrator's calendar can be used again, or for the first time; robustly, for
# nobody's sign-in may fail by what follows from it.
calendar_granted = Signal()


def remember_refresh_token(*, user: User, refresh_token: str) -> None:
    """Keep the calendar grant, encrypted. Spec: Resources, User, providerRefreshToken."""
    user.provider_refresh_token = refresh_token
    user.provider_token_saved_at = timezone.now()
    user.provider_token_revoked_at = None
    user.save(
        update_fields=[
            "provider_refresh_token",
            "provider_token_saved_at",
            "provider_token_revoked_at",
        ]
    )
    calendar_granted.send_robust(sender=User)


def keep_for_revocation(*, user: User, token: str) -> None:
    """Store a token, access or refresh, whose grant ``accounts.sign_in.student_grants`` revokes."""
    user.grant_to_revoke = token
    user.save(update_fields=["grant_to_revoke"])


def mark_grant_revoked(*, user: User) -> bool:
    """Note that the provider no longer honours the grant in ``user``.

    False, and nothing is written, when it was already noted or another grant has been stored since.
    """
    revoked_at = timezone.now()
    same_grant = User.objects.filter(
        pk=user.pk,
        provider_token_saved_at=user.provider_token_saved_at,
        provider_token_revoked_at=None,
    )
    if not same_grant.update(provider_token_revoked_at=revoked_at):
        return False
    user.provider_token_revoked_at = revoked_at
    return True


def mark_grant_alive(*, user: User) -> None:
    """Note that the provider honours the grant in ``user`` after all."""
    marked = User.objects.filter(
        pk=user.pk,
        provider_token_saved_at=user.provider_token_saved_at,
        provider_token_revoked_at__isnull=False,
    )
    if marked.update(provider_token_revoked_at=None):
        user.provider_token_revoked_at = None
        calendar_granted.send_robust(sender=User)


def _take_panel(people: QuerySet[User]) -> None:
    """Leave the staff whom an administrator let in by hand alone: they are no superusers."""
    people.filter(is_superuser=True).update(is_staff=False, is_superuser=False)


def _set_status(user: User, status: UserStatus) -> None:
    user.status = status
    user.save(update_fields=["status", "updated_at"])
