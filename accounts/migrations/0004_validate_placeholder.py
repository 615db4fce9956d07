from django.contrib.postgres.operations import ValidateConstraint
from django.db import connection, migrations

# On SQLite a constraint is valid at once.
ON_POSTGRESQL = connection.vendor == "postgresql"
CHECKS = [
    ("user", "known_user_status"),
    ("user", "only_placeholders_have_a_contact"),
]


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_placeholder")]

    operations = [
        ValidateConstraint(model_name=model, name=name) for model, name in CHECKS if ON_POSTGRESQL
    ]
