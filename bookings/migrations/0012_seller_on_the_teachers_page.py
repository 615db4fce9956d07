"""Let the teacher edit the seller's data, which were in the environment."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models

SELLER = {
    'seller_name': 'SELLER_NAME',
    'cuit': 'SELLER_CUIT',
    'address': 'SELLER_ADDRESS',
    'hours': 'SELLER_HOURS',
    'data_fiscal_url': 'SELLER_DATA_FISCAL_URL',
}


def take_from_environment(apps, schema_editor):
    """Keep what 0.1.0 read as settings, also from ENV_FILE and from the files of NAME_FILE."""
    page = apps.get_model('bookings', 'TeacherPage')
    values = {
        field: settings.ENV.text(name)[: page._meta.get_field(field).max_length]
        for field, name in SELLER.items()
    }
    if any(values.values()):
        # There is no row before the teacher saves her page.
        page.objects.update_or_create(pk=1, defaults=values)


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0011_one_webhook_secret'),
    ]

    operations = [
        migrations.AddField(
            model_name='teacherpage',
            name='address',
            field=models.CharField(blank=True, db_default='', default='', max_length=200, verbose_name='domicilio'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='cuit',
            field=models.CharField(blank=True, db_default='', default='', help_text='Por ejemplo 27-12345678-9.', max_length=13, verbose_name='CUIT'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='data_fiscal_url',
            field=models.URLField(blank=True, db_default='', default='', max_length=500, validators=[django.core.validators.URLValidator(schemes=['https'])], verbose_name='Data Fiscal'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='hours',
            field=models.CharField(blank=True, db_default='', default='', help_text='Por ejemplo: lunes a viernes de 9 a 18.', max_length=120, verbose_name='horario de atención'),
        ),
        migrations.AddField(
            model_name='teacherpage',
            name='seller_name',
            field=models.CharField(blank=True, db_default='', default='', max_length=120, verbose_name='nombre o razón social'),
        ),
        migrations.RunPython(take_from_environment, migrations.RunPython.noop),
    ]
