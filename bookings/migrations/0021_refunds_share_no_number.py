"""A refund's number at the provider belongs to one refund of ours.

Of two rows with one number the later one was answered without a number, and took the other's: what
it promised may not have gone back. It waits for the teacher, as a refund that was refused.
"""

from typing import Any

from django.db import migrations, models

from bookings.online_indexes import AddUniqueOnline, ValidateConstraintOnline


def release_shared_numbers(apps: Any, schema_editor: Any) -> None:
    """Leave each number to the oldest of its refunds, and the others to the teacher."""
    refunds, payments = (apps.get_model("bookings", name) for name in ("Refund", "Payment"))
    taken: set[tuple[int, str]] = set()
    numbered = refunds.objects.exclude(refund_id="").select_related("charge")
    for refund in numbered.order_by("created_at", "id").iterator():
        number = (refund.charge_id, refund.refund_id)
        if number not in taken:
            taken.add(number)
            continue
        refunds.objects.filter(pk=refund.pk).update(
            refund_id="",
            status="failed",
            failure="The provider named another refund's number: look whether this one was made.",
            next_attempt_at=None,
            done_at=None,
        )
        payments.objects.filter(pk=refund.charge.payment_id).update(review="refund_failed")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("bookings", "0020_mails_about_returned_money"),
    ]

    operations = [
        migrations.RunPython(release_shared_numbers, migrations.RunPython.noop),
        AddUniqueOnline(
            model_name="refund",
            constraint=models.UniqueConstraint(
                condition=models.Q(("refund_id", ""), _negated=True),
                fields=("charge", "refund_id"),
                name="unique_refund_id",
            ),
        ),
        ValidateConstraintOnline(model_name="notice", name="notice_is_about_a_class"),
        ValidateConstraintOnline(model_name="notice", name="known_notice_kind"),
    ]
