"""Mails to people in line and about a service account, and money above a price, get own names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0016_announcing_locks_no_class"),
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
        migrations.RemoveConstraint(
            model_name="payment",
            name="known_review_reason",
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
                    ("cancelled", "Cancelada"),
                    ("completed", "Completada"),
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
        migrations.AlterField(
            model_name="payment",
            name="review",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "—"),
                    ("short", "Pagaron de menos"),
                    ("overpaid", "Pagaron de más"),
                    ("currency", "Otra moneda"),
                    ("collector", "Otra cuenta cobradora"),
                    ("reference", "Otra referencia"),
                    ("refund_failed", "No se pudo devolver"),
                    ("dispute", "Disputa o contracargo"),
                    ("refunded_elsewhere", "Devuelto fuera del sistema"),
                ],
                max_length=20,
                verbose_name="a revisar",
            ),
        ),
        migrations.AlterField(
            model_name="paymentcharge",
            name="problem",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "—"),
                    ("short", "Pagaron de menos"),
                    ("overpaid", "Pagaron de más"),
                    ("currency", "Otra moneda"),
                    ("collector", "Otra cuenta cobradora"),
                    ("reference", "Otra referencia"),
                    ("refund_failed", "No se pudo devolver"),
                    ("dispute", "Disputa o contracargo"),
                    ("refunded_elsewhere", "Devuelto fuera del sistema"),
                ],
                max_length=20,
                verbose_name="problema",
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
                        ],
                    )
                ),
                name="known_notice_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "review__in",
                        [
                            "",
                            "short",
                            "overpaid",
                            "currency",
                            "collector",
                            "reference",
                            "refund_failed",
                            "dispute",
                            "refunded_elsewhere",
                        ],
                    )
                ),
                name="known_review_reason",
            ),
        ),
    ]
