"""Drop what purchases carry now: the seats, and the columns of money of classes, holds and transfers."""

from django.db import migrations

FIELDS = [
    ('banktransfer', ['seat', 'user', 'virtual_class']),
    ('hold', ['for_transfer', 'made_by_teacher', 'payment', 'virtual_class']),
    ('payment', ['user', 'virtual_class']),
    ('paymentcharge', ['part_paid']),
    ('virtualclass', ['amount_kept', 'discount', 'discount_code', 'paid_at', 'refund_reason']),
]


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0009_tighten_purchases'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='virtualclass', name='known_refund_decision'),
        migrations.RemoveIndex(model_name='virtualclass', name='class_with_discount_code'),
        *(
            migrations.RemoveField(model_name=model, name=name)
            for model, names in FIELDS
            for name in names
        ),
        migrations.DeleteModel(name='Seat'),
    ]
