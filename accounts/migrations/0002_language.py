"""The language of a person's pages and mails."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                choices=[("es-ar", "Español"), ("en", "English")],
                default="es-ar",
                max_length=10,
                verbose_name="idioma",
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ["es-ar", "en"])), name="known_language"
            ),
        ),
    ]
