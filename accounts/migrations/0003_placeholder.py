import django.db.models.functions.text
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import connection, migrations, models

# Without a look at the rows that exist; the next migration validates them.
add_check = AddConstraintNotValid if connection.vendor == "postgresql" else migrations.AddConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_private_notes'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='user',
            name='known_user_status',
        ),
        migrations.AddField(
            model_name='user',
            name='contact_email',
            field=models.EmailField(blank=True, db_default='', default='', editable=False, max_length=254, verbose_name='correo para avisos'),
        ),
        migrations.AlterField(
            model_name='user',
            name='status',
            field=models.CharField(choices=[('active', 'Activa'), ('suspended', 'Suspendida'), ('placeholder', 'Sin cuenta'), ('erased', 'Borrada')], default='active', max_length=20, verbose_name='estado'),
        ),
        add_check(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['active', 'suspended', 'placeholder', 'erased'])), name='known_user_status'),
        ),
        add_check(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('contact_email', ''), models.Q(('contact_email', django.db.models.functions.text.Lower('contact_email')), ('status', 'placeholder')), _connector='OR'), name='only_placeholders_have_a_contact'),
        ),
    ]
