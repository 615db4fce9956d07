"""Tokens whose grants are to be revoked."""

from django.db import migrations

import accounts.fields


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_erased_accounts"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="grant_to_revoke",
            field=accounts.fields.EncryptedTextField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="A token of the provider whose grant is to be revoked and forgotten; encrypted.",
            ),
        ),
    ]
