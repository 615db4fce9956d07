import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bookings", "0008_sales")]

    operations = [
        migrations.RemoveConstraint(
            model_name='price',
            name='one_price_for_each_case_and_day',
        ),
        migrations.AddField(
            model_name='price',
            name='offer',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='prices', to='bookings.offer', verbose_name='oferta'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.UniqueConstraint(condition=models.Q(('offer__isnull', True)), fields=('class_type', 'minutes', 'students_up_to', 'valid_from'), name='one_price_for_each_case_and_day'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.UniqueConstraint(condition=models.Q(('offer__isnull', False)), fields=('offer', 'class_type', 'minutes', 'students_up_to', 'valid_from'), name='one_price_of_an_offer_for_each_case_and_day'),
        ),
    ]
