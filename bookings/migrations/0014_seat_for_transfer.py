from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("bookings", "0013_validate_webhook_kinds"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="for_transfer",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
