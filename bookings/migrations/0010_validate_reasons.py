from django.contrib.postgres.operations import ValidateConstraint
from django.db import connection, migrations

# On SQLite a constraint is valid at once.
ON_POSTGRESQL = connection.vendor == "postgresql"
CHECKS = [
    ("payment", "known_review_reason"),
    ("refund", "known_refund_reason"),
    ("webhookevent", "known_webhook_kind"),
    ("virtualclass", "known_refund_decision"),
]


class Migration(migrations.Migration):
    dependencies = [("bookings", "0009_prices_of_offers")]

    operations = [
        ValidateConstraint(model_name=model, name=name) for model, name in CHECKS if ON_POSTGRESQL
    ]
