from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="private_notes",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                max_length=4000,
                verbose_name="notas privadas",
            ),
        ),
    ]
