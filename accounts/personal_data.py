"""Export and erase account data."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Newsletter, User, UserStatus
from accounts.selectors import list_identities
from accounts.services import revoke_sessions
from accounts.sessions.open_sessions import list_sessions

# Reserved by RFC 2606: no mail server has it.
ERASED_DOMAIN = "borrada.invalid"


def describe_account(user: User) -> dict[str, Any]:
    return {
        "exportedAt": timezone.now(),
        "profile": {
            "id": user.pk,
            "email": user.email,
            "name": user.name,
            "image": user.image,
            "location": user.location,
            "level": user.level,
            "phone": user.phone,
            "newsletter": user.newsletter,
            "language": user.language,
            "totalClasses": user.total_classes,
            "status": user.status,
            "createdAt": user.created_at,
            "updatedAt": user.updated_at,
            "lastSignInAt": user.last_login,
        },
        "teacherNotes": user.private_notes,
        "identities": [
            {"provider": identity.provider_name, "label": identity.label}
            for identity in list_identities(user)
        ],
        "sessions": [
            {"browser": one.browser, "beganAt": one.began_at, "usedAt": one.used_at}
            for one in list_sessions(user=user, current=None)
        ],
    }


@transaction.atomic
def erase_account(*, user: User) -> None:
    """Empty the person's row, which classes and payments name, and end the sessions."""
    # Locked, because completing a class counts it here.
    stored = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    revoke_sessions(user=user)
    SocialAccount.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    erased = User(
        pk=user.pk,
        email=f"{user.pk.hex}@{ERASED_DOMAIN}",
        newsletter=Newsletter.NO,
        status=UserStatus.ERASED,
        # The number of classes is not personal.
        total_classes=stored.total_classes,
        created_at=stored.created_at,
        # accounts.sign_in.student_grants revokes the grant at Google, then forgets the token.
        grant_to_revoke=stored.grant_to_revoke,
    )
    erased.set_unusable_password()
    erased.save(force_update=True)
    # The panel's log entries.
    name = str(user)
    about_them = Q(object_id=str(user.pk)) | Q(object_repr__startswith=f"{name} (")
    about_them |= Q(object_repr__endswith=f": {name}")
    LogEntry.objects.filter(about_them).update(object_repr=str(erased))
