"""Mails tell the owner of an account that an identity was connected or disconnected."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0017_own_names_for_mails_and_reviews"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="notice",
            name="notice_is_about_a_class",
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="known_notice_kind",
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("confirmation", "Clase confirmada"),
                    ("joined", "Lugar en una clase"),
                    ("cancelled", "Clase cancelada"),
                    ("rescheduled", "Clase en otro horario"),
                    ("waiting_class_moved", "Clase esperada en otro horario"),
                    ("link_changed", "Videollamada con otro enlace"),
                    ("left", "Lugar dejado"),
                    ("reminder_day", "Recordatorio de 24 horas"),
                    ("reminder_hour", "Recordatorio de 60 minutos"),
                    ("place_offered", "Se liberó un lugar"),
                    ("guest_left", "Alguien dejó su lugar"),
                    ("student_moved", "Un estudiante cambió el horario"),
                    ("student_cancelled", "Un estudiante canceló"),
                    ("to_review", "Pago a revisar"),
                    ("money_back", "Pago devuelto"),
                    ("unbooked_to_review", "Pago sin reserva a revisar"),
                    ("grant_revoked", "Calendario desconectado"),
                    ("account_refused", "Cuenta de servicio rechazada"),
                    ("grant_at_risk", "Calendario por desconectarse"),
                    ("calendar_changed", "Cambio en el calendario"),
                    ("guessing", "Códigos probados al azar"),
                    ("webhook_disabled", "Avisos a otro sistema, cortados"),
                    ("identity_added", "Otra forma de ingresar"),
                    ("identity_removed", "Una forma de ingresar menos"),
                ],
                max_length=20,
                verbose_name="asunto",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("virtual_class__isnull", False),
                    (
                        "kind__in",
                        [
                            "grant_revoked",
                            "account_refused",
                            "grant_at_risk",
                            "guessing",
                            "unbooked_to_review",
                            "webhook_disabled",
                            "identity_added",
                            "identity_removed",
                        ],
                    ),
                    _connector="OR",
                ),
                name="notice_is_about_a_class",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "confirmation",
                            "joined",
                            "cancelled",
                            "rescheduled",
                            "waiting_class_moved",
                            "link_changed",
                            "left",
                            "reminder_day",
                            "reminder_hour",
                            "place_offered",
                            "guest_left",
                            "student_moved",
                            "student_cancelled",
                            "to_review",
                            "money_back",
                            "unbooked_to_review",
                            "grant_revoked",
                            "account_refused",
                            "grant_at_risk",
                            "calendar_changed",
                            "guessing",
                            "webhook_disabled",
                            "identity_added",
                            "identity_removed",
                        ],
                    )
                ),
                name="known_notice_kind",
            ),
        ),
    ]
