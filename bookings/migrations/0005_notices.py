"""Mails that people are due, and the revision of a class in their calendars."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0004_one_hold_at_a_time"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="virtualclass",
            name="ics_sequence",
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name="revisión"),
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("confirmation", "Clase confirmada"),
                            ("joined", "Lugar en una clase"),
                            ("cancelled", "Clase cancelada"),
                        ],
                        max_length=20,
                        verbose_name="asunto",
                    ),
                ),
                (
                    "due_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="corresponde desde"
                    ),
                ),
                ("sent_at", models.DateTimeField(blank=True, null=True, verbose_name="enviado")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="intentos")),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        blank=True,
                        default=django.utils.timezone.now,
                        null=True,
                        verbose_name="próximo intento",
                    ),
                ),
                ("failure", models.CharField(blank=True, max_length=200, verbose_name="qué falló")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="anotado"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="para quién",
                    ),
                ),
                (
                    "virtual_class",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="bookings.virtualclass",
                        verbose_name="clase",
                    ),
                ),
            ],
            options={
                "verbose_name": "correo",
                "verbose_name_plural": "correos",
                "indexes": [
                    models.Index(
                        condition=models.Q(("next_attempt_at__isnull", False)),
                        fields=["next_attempt_at"],
                        name="notice_by_next_attempt",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("virtual_class", "user", "kind"),
                        name="one_notice_per_class_user_and_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["confirmation", "joined", "cancelled"])),
                        name="known_notice_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("sent_at__isnull", True),
                            ("next_attempt_at__isnull", True),
                            _connector="OR",
                        ),
                        name="sent_notice_has_no_plan",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("sent_at__isnull", False),
                            ("next_attempt_at__isnull", False),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="unsent_notice_has_plan_or_reason",
                    ),
                ],
            },
        ),
    ]
