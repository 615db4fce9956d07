"""Store of each charge what its provider refunded without us."""

from django.db import migrations, models


def fill(apps, schema_editor):
    charges = apps.get_model('bookings', 'PaymentCharge').objects
    for charge in charges.filter(refunded_amount__gt=0).iterator():
        made = charge.refunds.filter(way='online').exclude(status='failed')
        ours = made.aggregate(sum=models.Sum('amount', default=0))['sum']
        elsewhere = max(charge.refunded_amount - ours, 0)
        if elsewhere:
            charges.filter(pk=charge.pk).update(refunded_elsewhere=elsewhere)


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0013_discount_terms'),
    ]

    operations = [
        migrations.AddField(
            model_name='paymentcharge',
            name='refunded_elsewhere',
            field=models.BigIntegerField(default=0, editable=False),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
