"""What a class lives through: moves, completion, reminders, waiting lists, signs of life."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0007_mails_about_payments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                (
                    "name",
                    models.CharField(
                        max_length=50, primary_key=True, serialize=False, verbose_name="trabajo"
                    ),
                ),
                ("beat_at", models.DateTimeField(blank=True, null=True, verbose_name="última vez")),
                ("count", models.PositiveIntegerField(default=0, verbose_name="hizo")),
                (
                    "failed_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="última falla"),
                ),
                ("failure", models.CharField(blank=True, max_length=200, verbose_name="qué falló")),
            ],
            options={
                "verbose_name": "trabajo en segundo plano",
                "verbose_name_plural": "trabajo en segundo plano",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="WaitingListEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "En espera"),
                            ("offered", "Con un lugar ofrecido"),
                            ("claimed", "Tomó el lugar"),
                            ("expired", "Dejó pasar el lugar"),
                            ("left", "Salió de la lista"),
                        ],
                        default="waiting",
                        max_length=20,
                        verbose_name="estado",
                    ),
                ),
                (
                    "offered_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="ofrecido"),
                ),
                (
                    "offer_expires_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="se ofrece hasta"),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        verbose_name="en la lista desde",
                    ),
                ),
            ],
            options={
                "verbose_name": "persona en espera",
                "verbose_name_plural": "lista de espera",
                "ordering": ["created_at", "id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="one_notice_per_class_user_and_kind",
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="known_notice_kind",
        ),
        migrations.AddField(
            model_name="bookingrules",
            name="change_cutoff_minutes",
            field=models.PositiveIntegerField(
                default=1440,
                help_text="Después de ese momento solo vos podés cancelar o mover una clase.",
                validators=[django.core.validators.MaxValueValidator(43200)],
                verbose_name="se cancela o se cambia hasta (minutos antes)",
            ),
        ),
        migrations.AddField(
            model_name="classlog",
            name="details",
            field=models.JSONField(blank=True, default=dict, verbose_name="detalles"),
        ),
        migrations.AddField(
            model_name="classlog",
            name="from_status",
            field=models.CharField(
                blank=True,
                choices=[
                    ("pending", "Pendiente"),
                    ("scheduled", "Agendada"),
                    ("completed", "Completada"),
                    ("cancelled", "Cancelada"),
                ],
                max_length=20,
                verbose_name="de",
            ),
        ),
        migrations.AddField(
            model_name="classlog",
            name="to_status",
            field=models.CharField(
                blank=True,
                choices=[
                    ("pending", "Pendiente"),
                    ("scheduled", "Agendada"),
                    ("completed", "Completada"),
                    ("cancelled", "Cancelada"),
                ],
                max_length=20,
                verbose_name="a",
            ),
        ),
        migrations.AddField(
            model_name="notice",
            name="occasion",
            field=models.CharField(
                blank=True, editable=False, max_length=64, verbose_name="ocasión"
            ),
        ),
        migrations.AddField(
            model_name="useractivity",
            name="no_show",
            field=models.BooleanField(default=False, verbose_name="faltó"),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="calendar_drift",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "—"),
                    ("moved", "El evento tiene otro horario"),
                    ("deleted", "El evento fue borrado"),
                    ("link_removed", "El evento perdió su videollamada"),
                    ("duplicated", "Hay otro evento de la misma clase"),
                ],
                editable=False,
                max_length=20,
                verbose_name="diferencia con el calendario",
            ),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="event_update_requested_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                null=True,
                verbose_name="por actualizar en el calendario",
            ),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="next_scheduling_at",
            field=models.DateTimeField(
                blank=True, editable=False, null=True, verbose_name="próximo intento de agendarla"
            ),
        ),
        migrations.AddField(
            model_name="virtualclass",
            name="scheduling_attempts",
            field=models.PositiveIntegerField(
                default=0, editable=False, verbose_name="intentos de agendarla"
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
                    ("left", "Lugar dejado"),
                    ("reminder_day", "Recordatorio de 24 horas"),
                    ("reminder_hour", "Recordatorio de 60 minutos"),
                    ("place_offered", "Se liberó un lugar"),
                    ("to_review", "Pago a revisar"),
                    ("money_back", "Pago devuelto"),
                    ("grant_revoked", "Calendario desconectado"),
                    ("grant_at_risk", "Calendario por desconectarse"),
                    ("calendar_changed", "Cambio en el calendario"),
                ],
                max_length=20,
                verbose_name="asunto",
            ),
        ),
        migrations.AlterField(
            model_name="notice",
            name="virtual_class",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="bookings.virtualclass",
                verbose_name="clase",
            ),
        ),
        migrations.AddIndex(
            model_name="virtualclass",
            index=models.Index(
                condition=models.Q(("status", "scheduled")),
                fields=["end_time"],
                name="class_to_complete",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                fields=("virtual_class", "user", "kind", "occasion"),
                name="one_notice_per_class_user_kind_and_occasion",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                condition=models.Q(("virtual_class__isnull", True)),
                fields=("user", "kind", "occasion"),
                name="one_notice_per_user_kind_and_occasion",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("virtual_class__isnull", False),
                    ("kind__in", ["grant_revoked", "grant_at_risk"]),
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
                            "left",
                            "reminder_day",
                            "reminder_hour",
                            "place_offered",
                            "to_review",
                            "money_back",
                            "grant_revoked",
                            "grant_at_risk",
                            "calendar_changed",
                        ],
                    )
                ),
                name="known_notice_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="virtualclass",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("calendar_drift__in", ["", "moved", "deleted", "link_removed", "duplicated"])
                ),
                name="known_calendar_drift",
            ),
        ),
        migrations.AddField(
            model_name="waitinglistentry",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="waiting_list_entries",
                to=settings.AUTH_USER_MODEL,
                verbose_name="quién",
            ),
        ),
        migrations.AddField(
            model_name="waitinglistentry",
            name="virtual_class",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="waiting_list",
                to="bookings.virtualclass",
                verbose_name="clase",
            ),
        ),
        migrations.AddIndex(
            model_name="waitinglistentry",
            index=models.Index(
                condition=models.Q(("state", "offered")),
                fields=["offer_expires_at"],
                name="offer_by_expiry",
            ),
        ),
        migrations.AddConstraint(
            model_name="waitinglistentry",
            constraint=models.UniqueConstraint(
                fields=("virtual_class", "user"), name="one_waiting_per_class_and_user"
            ),
        ),
        migrations.AddConstraint(
            model_name="waitinglistentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "offered")),
                fields=("virtual_class",),
                name="one_offer_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="waitinglistentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["waiting", "offered", "claimed", "expired", "left"])
                ),
                name="known_waiting_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="waitinglistentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "offered"), _negated=True),
                    models.Q(("offer_expires_at__isnull", False), ("offered_at__isnull", False)),
                    _connector="OR",
                ),
                name="offer_has_an_end",
            ),
        ),
    ]
