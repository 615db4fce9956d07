"""What a person sees of their sessions: which browser, since when, when last."""

from datetime import timedelta

import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models

THIRTY_DAYS = timedelta(seconds=2_592_000)


def derive_times(apps, schema_editor):
    """A row lives for thirty days after it was last renewed; when it began is not known."""
    signed_in = apps.get_model("accounts", "Session").objects.filter(user__isnull=False)
    renewed_at = models.F("expire_date") - THIRTY_DAYS
    signed_in.update(began_at=renewed_at, used_at=renewed_at)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_language")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="began_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(),
                default=django.utils.timezone.now,
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="used_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(),
                default=django.utils.timezone.now,
                help_text="When it was last renewed, so up to half a day too early.",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="user_agent",
            field=models.CharField(blank=True, db_default="", max_length=300),
        ),
        migrations.RunPython(derive_times, migrations.RunPython.noop),
    ]
