from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models

add_index = AddIndexConcurrently if connection.vendor == "postgresql" else migrations.AddIndex


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("bookings", "0010_validate_reasons")]

    operations = [
        add_index(
            model_name='virtualclass',
            index=models.Index(condition=models.Q(('discount_code__isnull', False)), fields=['discount_code'], name='class_with_discount_code'),
        ),
        add_index(
            model_name='virtualclass',
            index=models.Index(condition=models.Q(('offer__isnull', False)), fields=['offer'], name='class_of_offer'),
        ),
    ]
