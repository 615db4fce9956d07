"""Export and erase account data."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import ManyToOneRel, Q, QuerySet, Value
from django.db.models.functions import Left, Replace
from django.utils import timezone

from accounts.models import Newsletter, User, UserStatus
from accounts.selectors import list_identities
from accounts.services import revoke_sessions
from accounts.sessions.open_sessions import list_sessions

# Reserved by RFC 2606: no mail server has it.
ERASED_DOMAIN = "borrada.invalid"
# The length of the log's column.
LOG_LENGTH = 200


def describe_account(user: User) -> dict[str, Any]:
    return {
        "exportedAt": timezone.now(),
        "profile": {
            "id": user.pk,
            "email": user.mail_address,
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
    """Empty the person's row, which classes and payments refer to, and end the sessions."""
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
    )
    erased.set_unusable_password()
    erased.save(force_update=True)
    erase_from_log(user=user)


def erase_from_log(*, user: User) -> None:
    """Remove the name from the panel's log. Call it before the person's rows are deleted."""
    _list_log_entries(user).update(object_repr=str(User(status=UserStatus.ERASED)))


def merge_account(placeholder: User, *, into: User) -> None:
    """Move a placeholder's rows to an account, and delete the placeholder.

    Call it in a transaction, after dropping rows that an account can have only once.
    """
    for relation in User._meta.get_fields(include_hidden=True):
        if isinstance(relation, ManyToOneRel):
            name = relation.field.name
            rows = relation.related_model._base_manager.filter(**{name: placeholder})
            rows.update(**{name: into})
    LogEntry.objects.filter(object_id=str(placeholder.pk)).update(object_id=str(into.pk))
    stored = User.objects.select_for_update(no_key=True).get(pk=into.pk)
    stored.total_classes += placeholder.total_classes
    stored.phone = stored.phone or placeholder.phone
    notes = [stored.private_notes, placeholder.private_notes]
    stored.private_notes = "\n".join(filter(None, notes))
    stored.save(update_fields=["total_classes", "phone", "private_notes", "updated_at"])
    placeholder.delete()


@transaction.atomic
def rename(*, user: User, name: str) -> None:
    """Store the person's own spelling, also in the log, where ``erase_account`` finds it."""
    entries, old = _list_log_entries(user), str(user)
    user.name = name
    user.save(update_fields=["name", "updated_at"])
    renamed = Replace("object_repr", Value(old), Value(str(user)))
    entries.update(object_repr=Left(renamed, LOG_LENGTH))


def _list_log_entries(user: User) -> QuerySet[LogEntry]:
    """If another account has the name, list only entries about the person's rows."""
    name = str(user)
    named = Q(object_repr__startswith=f"{name} (") | Q(object_repr__endswith=f": {name}")
    if User.objects.filter(name=name).exclude(pk=user.pk).exists():
        named &= _about_rows_of(user)
    return LogEntry.objects.filter(Q(object_id=str(user.pk)) | named)


def _about_rows_of(user: User) -> Q:
    about = Q(pk__in=[])
    for relation in User._meta.related_objects:
        model = relation.related_model
        rows = model._base_manager.filter(**{relation.field.name: user}).values_list(
            "pk", flat=True
        )
        kind = ContentType.objects.get_for_model(model)
        about |= Q(content_type=kind, object_id__in=[str(pk) for pk in rows])
    return about
