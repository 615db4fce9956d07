"""A hold of a preference, a decision about a price, and the mails about both."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from bookings.online_indexes import AddConstraintOnline


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0017_own_names_for_mails_and_reviews"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="hold",
            name="one_unbooked_hold_per_person",
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="notice_is_about_a_class",
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="known_notice_kind",
        ),
        migrations.AddField(
            model_name="hold",
            name="payment",
            field=models.OneToOneField(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="hold",
                to="bookings.payment",
                verbose_name="pago",
            ),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="price_decision",
            field=models.CharField(
                blank=True,
                choices=[("", "—"), ("waiting", "Espera tu sí"), ("agreed", "Aceptada")],
                db_default="",
                default="",
                editable=False,
                max_length=10,
                verbose_name="fuera de la lista",
            ),
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
                    ("price_agreed", "Precio aceptado"),
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
                    ("hold_lost", "Horario que se ocupó"),
                    ("guest_left", "Alguien dejó su lugar"),
                    ("student_moved", "Un estudiante cambió el horario"),
                    ("student_cancelled", "Un estudiante canceló"),
                    ("to_review", "Pago a revisar"),
                    ("money_back", "Pago devuelto"),
                    ("unbooked_to_review", "Pago sin reserva a revisar"),
                    ("price_to_decide", "Clase fuera de la lista de precios"),
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
            model_name="hold",
            constraint=models.UniqueConstraint(
                condition=models.Q(("payment__isnull", True), ("virtual_class__isnull", True)),
                fields=("user",),
                name="one_chosen_hold_per_person",
            ),
        ),
        AddConstraintOnline(
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
                            "hold_lost",
                        ],
                    ),
                    _connector="OR",
                ),
                name="notice_is_about_a_class",
            ),
        ),
        AddConstraintOnline(
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
                            "hold_lost",
                            "guest_left",
                            "student_moved",
                            "student_cancelled",
                            "to_review",
                            "money_back",
                            "unbooked_to_review",
                            "price_to_decide",
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
        AddConstraintOnline(
            model_name="virtualclass",
            constraint=models.CheckConstraint(
                condition=models.Q(("price_decision__in", ["", "waiting", "agreed"])),
                name="known_price_decision",
            ),
        ),
    ]
