"""People and their sessions."""

import uuid
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from config.lib.encryption import EncryptedTextField

# Enough to tell browsers apart; some send a kilobyte.
USER_AGENT_LENGTH = 300


class Level(models.TextChoices):
    """Spec: User profile settings."""

    BEGINNER = "inicial", _("Inicial")
    BASIC = "basico", _("Básico")
    INTERMEDIATE = "intermedio", _("Intermedio")
    ADVANCED = "avanzado", _("Avanzado")


class Newsletter(models.TextChoices):
    """Spec: User profile settings."""

    YES = "si", _("Sí")
    NO = "no", _("No")


class Language(models.TextChoices):
    SPANISH = "es-ar", "Español"
    ENGLISH = "en", "English"


class UserStatus(models.TextChoices):
    ACTIVE = "active", "Activa"
    SUSPENDED = "suspended", "Suspendida"
    # A name that the teacher wrote down, with a phone or an address; it cannot sign in.
    PLACEHOLDER = "placeholder", "Sin cuenta"
    # Only this row is left, because classes and payments refer to it.
    ERASED = "erased", "Borrada"


class User(AbstractBaseUser, PermissionsMixin):
    """Spec: Resources, User."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField("correo", max_length=254)
    # A placeholder's address: its ``email`` is a technical one. Not unique, so that its owner may
    # sign up with it.
    contact_email = models.EmailField(
        "correo para avisos", max_length=254, blank=True, default="", db_default="", editable=False
    )
    name = models.CharField("nombre", max_length=255, blank=True)
    image = models.URLField("foto", max_length=500, blank=True)

    location = models.CharField("localidad", max_length=255, blank=True)
    level = models.CharField("nivel", max_length=20, choices=Level, blank=True)
    phone = models.CharField("teléfono", max_length=30, blank=True)
    newsletter = models.CharField(
        "novedades", max_length=2, choices=Newsletter, default=Newsletter.NO
    )
    language = models.CharField("idioma", max_length=10, choices=Language, default=Language.SPANISH)

    provider_refresh_token = EncryptedTextField(
        blank=True,
        default="",
        editable=False,
        help_text="The administrator's calendar grant; encrypted.",
    )
    provider_subject = models.CharField(
        max_length=255,
        blank=True,
        editable=False,
        help_text="The identity provider's id of the account the grant belongs to.",
    )
    provider_token_saved_at = models.DateTimeField(null=True, blank=True, editable=False)
    provider_token_revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    # The teacher's notes about the person, who sees them only in the data export.
    private_notes = models.TextField(
        "notas privadas", max_length=4000, blank=True, default="", db_default="", editable=False
    )
    total_classes = models.PositiveIntegerField("clases completadas", default=0, editable=False)
    status = models.CharField(
        "estado", max_length=20, choices=UserStatus, default=UserStatus.ACTIVE
    )
    is_staff = models.BooleanField("entra al panel", default=False)
    created_at = models.DateTimeField("alta", default=timezone.now, editable=False)
    updated_at = models.DateTimeField("última modificación", auto_now=True)

    objects = BaseUserManager["User"]()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = "persona"
        verbose_name_plural = "personas"
        indexes = [
            models.Index(
                fields=["contact_email"],
                condition=~models.Q(contact_email=""),
                name="user_by_contact_email",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["email"], name="unique_email"),
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="lower_case_email"
            ),
            models.CheckConstraint(
                condition=models.Q(level__in=["", *Level.values]), name="known_level"
            ),
            models.CheckConstraint(
                condition=models.Q(newsletter__in=Newsletter.values), name="known_newsletter"
            ),
            models.CheckConstraint(
                condition=models.Q(language__in=Language.values), name="known_language"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=UserStatus.values), name="known_user_status"
            ),
            models.CheckConstraint(
                condition=models.Q(contact_email="")
                | models.Q(status=UserStatus.PLACEHOLDER, contact_email=Lower("contact_email")),
                name="only_placeholders_have_a_contact",
            ),
        ]

    def __str__(self) -> str:
        if self.status == UserStatus.ERASED:
            return gettext("Cuenta borrada")
        return self.name or self.email

    @property
    def is_active(self) -> bool:  # type: ignore[override]  # Django's is a class attribute
        return self.status == UserStatus.ACTIVE

    @property
    def is_placeholder(self) -> bool:
        return self.status == UserStatus.PLACEHOLDER

    @property
    def mail_address(self) -> str:
        if self.status == UserStatus.ERASED:
            return ""
        return self.contact_email if self.is_placeholder else self.email

    @property
    def first_name(self) -> str:
        if self.status == UserStatus.ERASED:
            return str(self)
        return self.name.split()[0] if self.name.strip() else self.email.split("@")[0]


class Session(AbstractBaseSession):
    """``session_key`` is the token's ``sid``."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    user_agent = models.CharField(max_length=USER_AGENT_LENGTH, blank=True, db_default="")
    began_at = models.DateTimeField(default=timezone.now, db_default=Now())
    used_at = models.DateTimeField(
        default=timezone.now,
        db_default=Now(),
        help_text="When it was last renewed, so up to half a day too early.",
    )

    class Meta(AbstractBaseSession.Meta):
        abstract = False
        verbose_name = "sesión"
        verbose_name_plural = "sesiones"
