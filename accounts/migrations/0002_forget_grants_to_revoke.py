"""Empty ``grant_to_revoke`` and take it out of the model.

The previous release still reads the column, so the next one drops it.
"""

from typing import Any

from django.db import migrations


def forget(apps: Any, schema_editor: Any) -> None:
    people = apps.get_model("accounts", "User").objects
    people.exclude(grant_to_revoke="").update(grant_to_revoke="")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop, elidable=True),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="user", name="grant_to_revoke")],
        ),
    ]
