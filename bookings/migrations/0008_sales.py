import uuid

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import connection, migrations, models

import bookings.models.sales.class_link
import bookings.models.sales.offer

# Without a look at the rows that exist; the next migration validates them.
add_check = AddConstraintNotValid if connection.vendor == "postgresql" else migrations.AddConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0007_messages'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ClassLink',
            fields=[
                ('virtual_class', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='link', serialize=False, to='bookings.virtualclass')),
                ('key', models.CharField(default=bookings.models.sales.class_link.generate_link_key, editable=False, max_length=24)),
                ('claimed_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='tomada')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='creado')),
                ('claimed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='claimed_links', to=settings.AUTH_USER_MODEL, verbose_name='quién la tomó')),
                ('made_for', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='para quién')),
            ],
            options={
                'verbose_name': 'enlace de una clase',
                'verbose_name_plural': 'enlaces de clases',
            },
        ),
        migrations.CreateModel(
            name='DiscountCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=20, unique=True, validators=[django.core.validators.RegexValidator('^[0-9A-Z]{3,20}$', 'Usá entre 3 y 20 letras y números.')], verbose_name='código')),
                ('percent', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='porcentaje')),
                ('amount', models.BigIntegerField(blank=True, help_text='En centavos.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='descuento')),
                ('max_uses', models.PositiveIntegerField(blank=True, null=True, verbose_name='usos')),
                ('valid_until', models.DateField(blank=True, null=True, verbose_name='vale hasta')),
                ('once_per_person', models.BooleanField(default=True, verbose_name='una sola vez por persona')),
                ('is_active', models.BooleanField(default=True, verbose_name='activo')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='creado')),
            ],
            options={
                'verbose_name': 'código de descuento',
                'verbose_name_plural': 'códigos de descuento',
                'ordering': ['-created_at', '-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('amount__isnull', True), ('percent__isnull', False), ('percent__range', (1, 100))), models.Q(('amount__gt', 0), ('amount__isnull', False), ('percent__isnull', True)), _connector='OR'), name='percent_or_amount_off', violation_error_message='Poné un porcentaje o un monto, uno de los dos.'),
                    models.CheckConstraint(condition=models.Q(('code__regex', '^[0-9A-Z]{3,20}$')), name='code_in_capitals_and_digits'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Offer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=bookings.models.sales.offer.generate_key, editable=False, max_length=12, unique=True, verbose_name='clave')),
                ('name', models.CharField(max_length=60, verbose_name='nombre')),
                ('subject', models.CharField(blank=True, max_length=60, verbose_name='materia')),
                ('text', models.TextField(blank=True, max_length=600, verbose_name='qué incluye')),
                ('class_type', models.CharField(choices=[('individual', 'Individual'), ('grupal', 'Grupal')], default='individual', max_length=20, verbose_name='tipo')),
                ('once_per_person', models.BooleanField(default=False, verbose_name='una sola vez por persona')),
                ('is_listed', models.BooleanField(default=True, verbose_name='a la vista')),
                ('is_active', models.BooleanField(default=True, verbose_name='se puede reservar')),
                ('position', models.PositiveSmallIntegerField(default=0, verbose_name='orden')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='creada')),
            ],
            options={
                'verbose_name': 'oferta',
                'verbose_name_plural': 'ofertas',
                'ordering': ['position', 'id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('class_type__in', ['individual', 'grupal'])), name='known_class_type_of_offer'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OpenClass',
            fields=[
                ('virtual_class', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='open_class', serialize=False, to='bookings.virtualclass')),
                ('title', models.CharField(max_length=80, verbose_name='título')),
                ('text', models.TextField(blank=True, max_length=1000, verbose_name='de qué se trata')),
                ('level', models.CharField(blank=True, choices=[('inicial', 'Inicial'), ('basico', 'Básico'), ('intermedio', 'Intermedio'), ('avanzado', 'Avanzado')], max_length=20, verbose_name='nivel')),
                ('places', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1)], verbose_name='lugares')),
                ('minimum', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name='mínimo')),
                ('place_price', models.BigIntegerField(help_text='En centavos.', validators=[django.core.validators.MinValueValidator(0)], verbose_name='precio por lugar')),
                ('decides_at', models.DateTimeField(verbose_name='se decide')),
                ('decision', models.CharField(blank=True, choices=[('', 'Por decidir'), ('goes_on', 'Se da'), ('called_off', 'No se llegó al mínimo')], editable=False, max_length=20, verbose_name='decisión')),
                ('is_listed', models.BooleanField(default=True, verbose_name='a la vista')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='publicada')),
            ],
            options={
                'verbose_name': 'clase abierta',
                'verbose_name_plural': 'clases abiertas',
                'indexes': [
                    models.Index(condition=models.Q(('decision', '')), fields=['decides_at'], name='open_class_to_decide'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('decision__in', ['', 'goes_on', 'called_off'])), name='known_minimum_decision'),
                    models.CheckConstraint(condition=models.Q(('minimum__gte', 1), ('minimum__lte', models.F('places'))), name='minimum_within_places'),
                    models.CheckConstraint(condition=models.Q(('place_price__range', (0, 10000000000))), name='place_price_within_bounds'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('price', models.BigIntegerField(help_text='En centavos.', verbose_name='precio')),
                ('discount', models.BigIntegerField(default=0, help_text='En centavos.', verbose_name='descuento')),
                ('state', models.CharField(choices=[('held', 'Guardado'), ('taken', 'Pagado'), ('lost', 'Sin lugar'), ('released', 'Soltado'), ('left', 'Dejado'), ('cancelled', 'Cancelado')], default='held', editable=False, max_length=20, verbose_name='estado')),
                ('expires_at', models.DateTimeField(verbose_name='vence')),
                ('paid_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='pagado')),
                ('refund_reason', models.CharField(blank=True, choices=[('slot_lost', 'El horario ya estaba ocupado'), ('class_over', 'La clase ya había pasado'), ('cancelled', 'Clase cancelada'), ('seat_lost', 'No quedaban lugares'), ('below_minimum', 'No se llegó al mínimo'), ('paid_twice', 'Pagada dos veces'), ('never_booked', 'Nunca se reservó'), ('by_teacher', 'Decisión de la profe')], editable=False, max_length=20, verbose_name='motivo de la devolución')),
                ('amount_kept', models.BigIntegerField(editable=False, null=True, verbose_name='no se devuelve')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='creado')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='modificado')),
                ('discount_code', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='bookings.discountcode')),
                ('open_class', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='bookings.openclass')),
                ('payment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seat', to='bookings.payment')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to=settings.AUTH_USER_MODEL, verbose_name='de quién')),
            ],
            options={
                'verbose_name': 'lugar',
                'verbose_name_plural': 'lugares',
                'ordering': ['created_at', 'id'],
                'indexes': [
                    models.Index(condition=models.Q(('state', 'held')), fields=['expires_at'], name='held_seat_by_end'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['held', 'taken', 'lost', 'released', 'left', 'cancelled'])), name='known_seat_state'),
                    models.CheckConstraint(condition=models.Q(('discount__gte', 0), ('price__gte', 0)), name='seat_price_not_negative'),
                    models.UniqueConstraint(condition=models.Q(('state__in', ['held', 'taken'])), fields=('open_class', 'user'), name='one_seat_per_person'),
                    models.CheckConstraint(condition=models.Q(models.Q(('amount_kept', None), ('refund_reason', '')), models.Q(('amount_kept__gte', 0), ('refund_reason__in', ['slot_lost', 'class_over', 'cancelled', 'seat_lost', 'below_minimum', 'paid_twice', 'never_booked', 'by_teacher'])), _connector='OR'), name='known_refund_decision_of_seat'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BankTransfer',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('amount', models.BigIntegerField(help_text='En centavos.', verbose_name='monto')),
                ('operation_number', models.CharField(max_length=40, verbose_name='número de operación')),
                ('state', models.CharField(choices=[('announced', 'Por confirmar'), ('confirmed', 'Confirmada'), ('refused', 'No llegó'), ('to_return', 'Para devolver'), ('returned', 'Devuelta')], default='announced', max_length=20, verbose_name='estado')),
                ('announced_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='avisada')),
                ('decided_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='decidida')),
                ('decided_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='quién')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to=settings.AUTH_USER_MODEL, verbose_name='de quién')),
                ('virtual_class', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='bookings.virtualclass')),
                ('seat', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='bookings.seat')),
            ],
            options={
                'verbose_name': 'transferencia',
                'verbose_name_plural': 'transferencias',
                'ordering': ['-announced_at', '-id'],
                'indexes': [
                    models.Index(fields=['operation_number'], name='transfer_by_number'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['announced', 'confirmed', 'refused', 'to_return', 'returned'])), name='known_transfer_state'),
                    models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='transfer_of_something'),
                    models.CheckConstraint(condition=models.Q(models.Q(('seat__isnull', False), ('virtual_class__isnull', True)), models.Q(('seat__isnull', True), ('virtual_class__isnull', False)), _connector='OR'), name='transfer_for_class_or_seat'),
                    models.UniqueConstraint(condition=models.Q(('state', 'refused'), _negated=True), fields=('virtual_class',), name='one_transfer_per_class'),
                    models.UniqueConstraint(condition=models.Q(('state', 'refused'), _negated=True), fields=('seat',), name='one_transfer_per_seat'),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name='payment',
            name='known_review_reason',
        ),
        migrations.RemoveConstraint(
            model_name='refund',
            name='known_refund_reason',
        ),
        migrations.RemoveConstraint(
            model_name='virtualclass',
            name='known_refund_decision',
        ),
        migrations.RemoveConstraint(
            model_name='webhookevent',
            name='known_webhook_kind',
        ),
        migrations.AddField(
            model_name='bookingrules',
            name='transfer_alias',
            field=models.CharField(blank=True, db_default='', default='', max_length=60, verbose_name='alias o CBU'),
        ),
        migrations.AddField(
            model_name='bookingrules',
            name='transfer_holder',
            field=models.CharField(blank=True, db_default='', default='', max_length=80, verbose_name='titular de la cuenta'),
        ),
        migrations.AddField(
            model_name='bookingrules',
            name='transfer_hours',
            field=models.PositiveSmallIntegerField(db_default=24, default=24, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(96)], verbose_name='se espera una transferencia (horas)'),
        ),
        migrations.AddField(
            model_name='hold',
            name='for_transfer',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='virtualclass',
            name='discount',
            field=models.BigIntegerField(db_default=0, default=0, editable=False, help_text='En centavos.', verbose_name='descuento'),
        ),
        migrations.AlterField(
            model_name='classlog',
            name='event',
            field=models.CharField(choices=[('booked', 'Reservada'), ('paid', 'Pago confirmado'), ('scheduled', 'Agendada'), ('joined', 'Se sumó alguien'), ('left', 'Alguien dejó su lugar'), ('rescheduled', 'Cambió de horario'), ('zone_changed', 'Cambió la hora oficial'), ('cancelled', 'Cancelada'), ('completed', 'Completada'), ('reopened', 'Abierta de nuevo'), ('no_show', 'Alguien faltó'), ('showed_up', 'Se corrigió una falta'), ('offered', 'Lugar ofrecido a la lista de espera'), ('event_removed', 'Evento quitado del calendario'), ('event_drifted', 'El calendario dice otra cosa'), ('event_repaired', 'Evento del calendario reparado'), ('rebuilt', 'Recuperada del calendario'), ('capacity_changed', 'Cambiaron los lugares'), ('price_agreed', 'Precio aceptado'), ('message_sent', 'Mensaje de la profe'), ('published', 'Publicada'), ('seat_paid', 'Lugar pagado'), ('seat_lost', 'Pagaron sin que quedara lugar'), ('goes_on', 'Se da'), ('transfer_announced', 'Transferencia avisada'), ('transfer_confirmed', 'Transferencia confirmada'), ('transfer_refused', 'Transferencia que no llegó'), ('transfer_returned', 'Transferencia devuelta'), ('link_changed', 'Enlace nuevo para el estudiante'), ('claimed', 'La tomó su estudiante')], max_length=20, verbose_name='qué'),
        ),
        migrations.AlterField(
            model_name='payment',
            name='review',
            field=models.CharField(blank=True, choices=[('', '—'), ('short', 'Pagaron de menos'), ('overpaid', 'Pagaron de más'), ('currency', 'Otra moneda'), ('account', 'Otra cuenta cobradora'), ('reference', 'Otra referencia'), ('refund_failed', 'No se pudo devolver'), ('dispute', 'Disputa o contracargo'), ('refunded_elsewhere', 'Devuelto fuera del sistema'), ('paid_twice', 'Pagado también por fuera')], max_length=20, verbose_name='a revisar'),
        ),
        migrations.AlterField(
            model_name='paymentcharge',
            name='problem',
            field=models.CharField(blank=True, choices=[('', '—'), ('short', 'Pagaron de menos'), ('overpaid', 'Pagaron de más'), ('currency', 'Otra moneda'), ('account', 'Otra cuenta cobradora'), ('reference', 'Otra referencia'), ('refund_failed', 'No se pudo devolver'), ('dispute', 'Disputa o contracargo'), ('refunded_elsewhere', 'Devuelto fuera del sistema'), ('paid_twice', 'Pagado también por fuera')], max_length=20, verbose_name='problema'),
        ),
        migrations.AlterField(
            model_name='refund',
            name='reason',
            field=models.CharField(choices=[('slot_lost', 'El horario ya estaba ocupado'), ('class_over', 'La clase ya había pasado'), ('cancelled', 'Clase cancelada'), ('seat_lost', 'No quedaban lugares'), ('below_minimum', 'No se llegó al mínimo'), ('paid_twice', 'Pagada dos veces'), ('never_booked', 'Nunca se reservó'), ('by_teacher', 'Decisión de la profe')], max_length=20, verbose_name='motivo'),
        ),
        migrations.AlterField(
            model_name='virtualclass',
            name='refund_reason',
            field=models.CharField(blank=True, choices=[('slot_lost', 'El horario ya estaba ocupado'), ('class_over', 'La clase ya había pasado'), ('cancelled', 'Clase cancelada'), ('seat_lost', 'No quedaban lugares'), ('below_minimum', 'No se llegó al mínimo'), ('paid_twice', 'Pagada dos veces'), ('never_booked', 'Nunca se reservó'), ('by_teacher', 'Decisión de la profe')], editable=False, max_length=20, verbose_name='motivo de la devolución'),
        ),
        migrations.AlterField(
            model_name='webhookevent',
            name='kind',
            field=models.CharField(choices=[('class.scheduled', 'Clase agendada'), ('class.joined', 'Se sumó alguien'), ('class.left', 'Alguien dejó su lugar'), ('class.moved', 'Clase en otro horario'), ('class.cancelled', 'Clase cancelada'), ('class.completed', 'Clase completada'), ('class.claimed', 'La tomó su estudiante'), ('transfer.announced', 'Avisaron una transferencia'), ('transfer.confirmed', 'Llegó una transferencia'), ('transfer.refused', 'No llegó una transferencia'), ('class.published', 'Clase abierta publicada'), ('class.goes_on', 'Clase abierta que se da'), ('seat.paid', 'Lugar pagado'), ('seat.lost', 'Lugar pagado sin que quedara'), ('endpoint.test', 'Prueba')], max_length=30, verbose_name='suceso'),
        ),
        add_check(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('review__in', ['', 'short', 'overpaid', 'currency', 'account', 'reference', 'refund_failed', 'dispute', 'refunded_elsewhere', 'paid_twice'])), name='known_review_reason'),
        ),
        add_check(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['slot_lost', 'class_over', 'cancelled', 'seat_lost', 'below_minimum', 'paid_twice', 'never_booked', 'by_teacher'])), name='known_refund_reason'),
        ),
        add_check(
            model_name='webhookevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['class.scheduled', 'class.joined', 'class.left', 'class.moved', 'class.cancelled', 'class.completed', 'class.claimed', 'transfer.announced', 'transfer.confirmed', 'transfer.refused', 'class.published', 'class.goes_on', 'seat.paid', 'seat.lost', 'endpoint.test'])), name='known_webhook_kind'),
        ),
        migrations.AddField(
            model_name='virtualclass',
            name='discount_code',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='classes', to='bookings.discountcode', verbose_name='código de descuento'),
        ),
        migrations.AddField(
            model_name='hold',
            name='offer',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='bookings.offer', verbose_name='oferta'),
        ),
        migrations.AddField(
            model_name='virtualclass',
            name='offer',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='classes', to='bookings.offer', verbose_name='oferta'),
        ),
        add_check(
            model_name='virtualclass',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('amount_kept', None), ('refund_reason', '')), models.Q(('amount_kept__gte', 0), ('refund_reason__in', ['slot_lost', 'class_over', 'cancelled', 'seat_lost', 'below_minimum', 'paid_twice', 'never_booked', 'by_teacher'])), _connector='OR'), name='known_refund_decision'),
        ),
    ]
