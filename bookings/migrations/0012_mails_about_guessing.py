"""A mail to the teacher when somebody tries access codes."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0011_pauses_of_the_calendar"),
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
                    ("link_changed", "Videollamada con otro enlace"),
                    ("left", "Lugar dejado"),
                    ("reminder_day", "Recordatorio de 24 horas"),
                    ("reminder_hour", "Recordatorio de 60 minutos"),
                    ("place_offered", "Se liberó un lugar"),
                    ("to_review", "Pago a revisar"),
                    ("money_back", "Pago devuelto"),
                    ("grant_revoked", "Calendario desconectado"),
                    ("grant_at_risk", "Calendario por desconectarse"),
                    ("calendar_changed", "Cambio en el calendario"),
                    ("guessing", "Códigos probados al azar"),
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
                    ("kind__in", ["grant_revoked", "grant_at_risk", "guessing"]),
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
                            "link_changed",
                            "left",
                            "reminder_day",
                            "reminder_hour",
                            "place_offered",
                            "to_review",
                            "money_back",
                            "grant_revoked",
                            "grant_at_risk",
                            "calendar_changed",
                            "guessing",
                        ],
                    )
                ),
                name="known_notice_kind",
            ),
        ),
    ]
