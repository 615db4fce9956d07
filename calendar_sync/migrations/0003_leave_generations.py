"""Take the stamp of cached lists, and what closing a channel needed, out of the models.

The previous release still reads and writes them, so the next one drops them.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("calendar_sync", "0002_leave_sync_tokens")]

    operations = [
        migrations.AlterField(
            model_name="watchchannel",
            name="resource_id",
            field=models.CharField(blank=True, db_default="", max_length=255),
        ),
        migrations.AlterField(
            model_name="watchchannel",
            name="last_message",
            field=models.PositiveBigIntegerField(db_default=0),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="SyncState"),
                migrations.RemoveField(model_name="watchchannel", name="resource_id"),
                migrations.RemoveField(model_name="watchchannel", name="last_message"),
                migrations.RemoveField(model_name="watchchannel", name="notified_at"),
            ],
        ),
    ]
