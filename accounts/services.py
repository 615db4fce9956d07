"""Writes about people."""

from datetime import datetime

from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.dispatch import Signal
from django.utils import timezone

from accounts.models import Session, User, UserStatus
from accounts.selectors import GOOGLE


def save_profile(*, user: User, location: str, level: str, phone: str, newsletter: str) -> User:
    """Spec: Endpoints, POST /api/user-data."""
    user.location = location
    user.level = level
    user.phone = phone
    user.newsletter = newsletter
    user.save(update_fields=["location", "level", "phone", "newsletter", "updated_at"])
    return user


# Reserved by RFC 2606: no mail server has it, and no identity provider verifies it.
PLACEHOLDER_DOMAIN = "sin-cuenta.invalid"


def write_down(*, name: str, phone: str = "", email: str = "") -> User:
    """Store a person without an account, for whom the teacher books.

    phone: as ``check_phone`` returns it. email: for mails; a sign-in with it makes another account.
    """
    if not name.strip() or not (phone or email):
        raise ValueError("A person without an account has a name, and a phone or an address.")
    person = User(
        name=" ".join(name.split()),
        phone=phone,
        contact_email=email.lower(),
        status=UserStatus.PLACEHOLDER,
    )
    person.email = f"{person.pk.hex}@{PLACEHOLDER_DOMAIN}"
    person.set_unusable_password()
    person.save(force_insert=True)
    return person


def strike_out(*, person: User) -> bool:
    """Delete a placeholder; return False if a row refers to it."""
    try:
        with transaction.atomic():
            User.objects.get(pk=person.pk, status=UserStatus.PLACEHOLDER).delete()
    except (ProtectedError, User.DoesNotExist):
        return False
    return True


def lock_person(user: User) -> None:
    """Lock the row before counting what the person has; inserts that refer to it go on."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def save_private_notes(*, user: User, notes: str) -> None:
    user.private_notes = notes
    user.save(update_fields=["private_notes", "updated_at"])


def choose_language(*, user: User, language: str) -> None:
    if user.language != language:
        user.language = language
        user.save(update_fields=["language", "updated_at"])


def revoke_sessions(*, user: User) -> None:
    Session.objects.filter(user=user).delete()


# Sent robustly, with ``user``: a failing receiver does not undo the change.
account_suspended = Signal()
account_reactivated = Signal()


def suspend(*, user: User) -> None:
    with transaction.atomic():
        _set_status(user, UserStatus.SUSPENDED)
        revoke_sessions(user=user)
    account_suspended.send_robust(sender=User, user=user)


def reactivate(*, user: User) -> None:
    _set_status(user, UserStatus.ACTIVE)
    account_reactivated.send_robust(sender=User, user=user)


def may_open_panel(*, user: User, provider: str, subject: str) -> bool:
    """True for the bound identity; for any of Google's if none is bound."""
    return provider == GOOGLE and user.provider_subject in {"", subject}


def bind_identity(*, user: User, subject: str) -> None:
    if User.objects.filter(pk=user.pk, provider_subject="").update(provider_subject=subject):
        user.provider_subject = subject


@transaction.atomic
def admit_administrator(*, user: User, subject: str) -> bool:
    """Give the account the panel; return False if another identity is bound to it.

    subject: the provider's id. An earlier administrator loses panel and grant.
    """
    known = User.objects.filter(pk=user.pk, provider_subject__in=["", subject])
    if not known.update(provider_subject=subject, is_staff=True, is_superuser=True):
        return False
    user.provider_subject = subject
    user.is_staff = user.is_superuser = True
    earlier = User.objects.exclude(pk=user.pk).filter(is_superuser=True)
    earlier.update(provider_refresh_token="")
    _take_panel(earlier)
    return True


def dismiss_administrator(*, user: User) -> None:
    _take_panel(User.objects.filter(pk=user.pk))
    user.is_staff = user.is_superuser = False


# Sent when the administrator's calendar becomes usable; robustly, so that no sign-in fails.
calendar_granted = Signal()


def remember_refresh_token(*, user: User, refresh_token: str) -> None:
    """Spec: Resources, User, providerRefreshToken."""
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


def mark_grant_revoked(*, user: User) -> bool:
    """Return False if that is known or another grant replaced it."""
    return _mark_grant(user, timezone.now())


def mark_grant_alive(*, user: User) -> None:
    if _mark_grant(user, None):
        calendar_granted.send_robust(sender=User)


def _mark_grant(user: User, revoked_at: datetime | None) -> bool:
    same_grant = User.objects.filter(
        pk=user.pk,
        provider_token_saved_at=user.provider_token_saved_at,
        provider_token_revoked_at__isnull=revoked_at is not None,
    )
    if not same_grant.update(provider_token_revoked_at=revoked_at):
        return False
    user.provider_token_revoked_at = revoked_at
    return True


def _take_panel(people: QuerySet[User]) -> None:
    """Keep staff whom an administrator admitted."""
    people.filter(is_superuser=True).update(is_staff=False, is_superuser=False)


def _set_status(user: User, status: UserStatus) -> None:
    user.status = status
    user.save(update_fields=["status", "updated_at"])
