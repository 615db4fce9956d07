"""Classes and holds keep the offset of their hour, and people get a mail when the law changes it."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0021_refunds_share_no_number"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="notice",
            name="known_notice_kind",
        ),
        migrations.AddField(
            model_name="hold",
            name="utc_offset",
            field=models.SmallIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="utc_offset",
            field=models.SmallIntegerField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="classlog",
            name="event",
            field=models.CharField(
                choices=[
                    ("booked", "Reservada"),
                    ("paid", "Pago confirmado"),
                    ("scheduled", "Agendada"),
                    ("joined", "Se sumó alguien"),
                    ("left", "Alguien dejó su lugar"),
                    ("rescheduled", "Cambió de horario"),
                    ("zone_changed", "Cambió la hora oficial"),
                    ("cancelled", "Cancelada"),
                    ("completed", "Completada"),
                    ("reopened", "Abierta de nuevo"),
                    ("no_show", "Alguien faltó"),
                    ("showed_up", "Se corrigió una falta"),
                    ("offered", "Lugar ofrecido a la lista de espera"),
                    ("event_removed", "Evento quitado del calendario"),
                    ("event_drifted", "El calendario dice otra cosa"),
                    ("event_repaired", "Evento del calendario reparado"),
                    ("rebuilt", "Recuperada del calendario"),
                    ("capacity_changed", "Cambiaron los lugares"),
                ],
                max_length=20,
                verbose_name="qué",
            ),
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
                    ("zone_changed", "Cambio de la hora oficial"),
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
                ],
                max_length=20,
                verbose_name="asunto",
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
                            "zone_changed",
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
                        ],
                    )
                ),
                name="known_notice_kind",
            ),
        ),
    ]
