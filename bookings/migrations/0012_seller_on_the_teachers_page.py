"""Let the teacher edit the seller's data, which were in the environment."""

import django.core.validators
from django.db import migrations, models


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
    ]
