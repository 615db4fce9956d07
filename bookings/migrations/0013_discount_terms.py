"""Store with each purchase what gave its discount."""

from django.db import migrations, models


def fill(apps, schema_editor):
    purchases = apps.get_model('bookings', 'Purchase').objects
    for code in apps.get_model('bookings', 'DiscountCode').objects.all():
        terms = {'name': code.code, 'id': str(code.pk), 'percent': code.percent, 'fixedAmount': code.amount}
        purchases.filter(discount_code=code).update(discount_terms=terms)


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0012_seller_on_the_teachers_page'),
    ]

    operations = [
        migrations.AddField(
            model_name='purchase',
            name='discount_terms',
            field=models.JSONField(blank=True, editable=False, null=True, verbose_name='por qué el descuento'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
