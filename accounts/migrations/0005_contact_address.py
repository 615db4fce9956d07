from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models

add_index = AddIndexConcurrently if connection.vendor == "postgresql" else migrations.AddIndex


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("accounts", "0004_validate_placeholder")]

    operations = [
        add_index(
            model_name='user',
            index=models.Index(condition=models.Q(('contact_email', ''), _negated=True), fields=['contact_email'], name='user_by_contact_email'),
        ),
    ]
