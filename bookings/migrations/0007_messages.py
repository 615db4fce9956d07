import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("bookings", "0006_hold_made_by_teacher"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("subject", models.CharField(max_length=120, verbose_name="asunto")),
                ("text", models.TextField(max_length=4000, verbose_name="mensaje")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="escrito")),
                (
                    "by",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="de quién",
                    ),
                ),
            ],
            options={
                "verbose_name": "mensaje",
                "verbose_name_plural": "mensajes",
            },
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
                    ("price_agreed", "Precio aceptado"),
                    ("message_sent", "Mensaje de la profe"),
                ],
                max_length=20,
                verbose_name="qué",
            ),
        ),
    ]
