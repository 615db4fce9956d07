"""Accounts that are nobody's any more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_what_a_session_shows"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="user",
            name="known_user_status",
        ),
        migrations.AlterField(
            model_name="user",
            name="status",
            field=models.CharField(
                choices=[("active", "Activa"), ("suspended", "Suspendida"), ("erased", "Borrada")],
                default="active",
                max_length=20,
                verbose_name="estado",
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["active", "suspended", "erased"])),
                name="known_user_status",
            ),
        ),
    ]
