"""Let the teacher edit the seller's data, which were in the environment."""

import os

import django.core.validators
from django.db import migrations, models

SELLER = {
    'seller_name': 'SELLER_NAME',
    'cuit': 'SELLER_CUIT',
    'address': 'SELLER_ADDRESS',
    'hours': 'SELLER_HOURS',
    'data_fiscal_url': 'SELLER_DATA_FISCAL_URL',
}


def take_from_environment(apps, schema_editor):
    """Keep what 0.1.0 read from the environment; the settings know these names no longer."""
    page = apps.get_model('bookings', 'TeacherPage')
    values = {
        field: os.environ.get(name, '').strip()[: page._meta.get_field(field).max_length]  # noqa: TID251 - no setting any more
        for field, name in SELLER.items()
    }
    page.objects.update(**values)


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0011_one_webhook_secret'),
    ]

    operations = [
        migrations.AddField(
            model_name='teacherpage',
            name='address',
            field=models.CharField(blank=True, db_default='', max_length=200, verbose_name='domicilio'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='cuit',
            field=models.CharField(blank=True, db_default='', help_text='Por ejemplo 27-12345678-9.', max_length=13, verbose_name='CUIT'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='data_fiscal_url',
            field=models.URLField(blank=True, db_default='', max_length=500, validators=[django.core.validators.URLValidator(schemes=['https'])], verbose_name='Data Fiscal'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='hours',
            field=models.CharField(blank=True, db_default='', help_text='Por ejemplo: lunes a viernes de 9 a 18.', max_length=120, verbose_name='horario de atención'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='seller_name',
            field=models.CharField(blank=True, db_default='', max_length=120, verbose_name='nombre o razón social'),
        ),
        migrations.RunPython(take_from_environment, migrations.RunPython.noop),
    ]
