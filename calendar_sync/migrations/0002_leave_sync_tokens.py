"""Take the columns of incremental sync out of the model.

The previous release still reads and writes them, so the next one drops them. ``sync_token`` gets
a default of the database for the rows that this release makes.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("calendar_sync", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="syncstate",
            name="sync_token",
            field=models.TextField(blank=True, db_default="", editable=False),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name="syncstate", name="sync_token"),
                migrations.RemoveField(model_name="syncstate", name="synced_at"),
                migrations.RemoveField(model_name="syncstate", name="compared_at"),
                migrations.RemoveField(model_name="syncstate", name="channel_tried_at"),
            ],
        ),
    ]
