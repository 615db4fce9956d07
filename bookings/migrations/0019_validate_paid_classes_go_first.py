"""Hold the constraints of the migration before against the rows from before it."""

from django.db import migrations

from bookings.online_indexes import ValidateConstraintOnline


class Migration(migrations.Migration):
    dependencies = [("bookings", "0018_paid_classes_go_first")]

    operations = [
        ValidateConstraintOnline(model_name="notice", name="notice_is_about_a_class"),
        ValidateConstraintOnline(model_name="notice", name="known_notice_kind"),
        ValidateConstraintOnline(model_name="virtualclass", name="known_price_decision"),
    ]
