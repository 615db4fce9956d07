from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bookings", "0005_teacher_page")]

    operations = [
        migrations.AddField(
            model_name="hold",
            name="made_by_teacher",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
