from django.contrib.postgres.operations import ValidateConstraint
from django.db import connection, migrations


class Migration(migrations.Migration):
    dependencies = [("bookings", "0012_sales_in_webhooks")]

    # On SQLite a constraint is valid at once.
    operations = (
        [ValidateConstraint(model_name="webhookevent", name="known_webhook_kind")]
        if connection.vendor == "postgresql"
        else []
    )
