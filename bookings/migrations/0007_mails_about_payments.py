"""Mails that tell the teacher about money."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0006_payments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                    ("to_review", "Pago a revisar"),
                    ("money_back", "Pago devuelto"),
                ],
                max_length=20,
                verbose_name="asunto",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["confirmation", "joined", "cancelled", "to_review", "money_back"])
                ),
                name="known_notice_kind",
            ),
        ),
    ]
