"""Hold every sale to its purchase, now that each has one."""

import django.db.models.deletion
from django.db import migrations, models

KEPT = models.Q(('amount_kept__gte', 0), ('refund_reason__in', ['slot_lost', 'class_over', 'cancelled', 'seat_lost', 'code_used_up', 'below_minimum', 'paid_twice', 'never_booked', 'by_teacher']))


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0008_fill_the_purchases'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='banktransfer', name='known_transfer_state'),
        migrations.RemoveConstraint(model_name='banktransfer', name='transfer_for_class_or_seat'),
        migrations.RemoveConstraint(model_name='banktransfer', name='one_transfer_per_class'),
        migrations.RemoveConstraint(model_name='banktransfer', name='one_transfer_per_seat'),
        migrations.RemoveConstraint(model_name='hold', name='one_chosen_hold_per_person'),
        migrations.AlterField(
            model_name='banktransfer',
            name='purchase',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AlterField(
            model_name='banktransfer',
            name='state',
            field=models.CharField(choices=[('announced', 'Por confirmar'), ('confirmed', 'Confirmada'), ('refused', 'No llegó')], default='announced', max_length=20, verbose_name='estado'),
        ),
        migrations.AlterField(
            model_name='payment',
            name='purchase',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AlterField(
            model_name='refund',
            name='purchase',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AlterField(
            model_name='classlog',
            name='event',
            field=models.CharField(choices=[('booked', 'Reservada'), ('booked_for', 'Reservada por la profe'), ('paid', 'Pago confirmado'), ('scheduled', 'Agendada'), ('joined', 'Se sumó alguien'), ('left', 'Alguien dejó su lugar'), ('rescheduled', 'Cambió de horario'), ('zone_changed', 'Cambió la hora oficial'), ('cancelled', 'Cancelada'), ('completed', 'Completada'), ('reopened', 'Abierta de nuevo'), ('no_show', 'Alguien faltó'), ('showed_up', 'Se corrigió una falta'), ('offered', 'Lugar ofrecido a la lista de espera'), ('event_removed', 'Evento quitado del calendario'), ('event_drifted', 'El calendario dice otra cosa'), ('event_repaired', 'Evento del calendario reparado'), ('rebuilt', 'Recuperada del calendario'), ('capacity_changed', 'Cambiaron los lugares'), ('price_agreed', 'Precio aceptado'), ('message_sent', 'Mensaje de la profe'), ('published', 'Publicada'), ('seat_paid', 'Lugar pagado'), ('seat_lost', 'Pagaron sin que quedara lugar'), ('goes_on', 'Se da'), ('transfer_announced', 'Transferencia avisada'), ('transfer_confirmed', 'Transferencia confirmada'), ('transfer_refused', 'Transferencia que no llegó'), ('transfer_returned', 'Transferencia devuelta'), ('cash_returned', 'Dinero devuelto a mano'), ('link_changed', 'Enlace nuevo para el estudiante'), ('link_mailed', 'Enlace mandado por correo'), ('claimed', 'La tomó su estudiante'), ('unclaimed', 'Se deshizo la toma')], max_length=20, verbose_name='qué'),
        ),
        migrations.AddIndex(
            model_name='purchase',
            index=models.Index(condition=models.Q(('state', 'kept')), fields=['kept_until'], name='purchase_kept_until'),
        ),
        migrations.AddConstraint(
            model_name='banktransfer',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['announced', 'confirmed', 'refused'])), name='known_transfer_state'),
        ),
        migrations.AddConstraint(
            model_name='banktransfer',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'refused'), _negated=True), fields=('purchase',), name='one_transfer_per_purchase'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.UniqueConstraint(condition=models.Q(('purchase__isnull', True)), fields=('user',), name='one_chosen_hold_per_person'),
        ),
        migrations.AddConstraint(
            model_name='hold',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('expires_at__isnull', False), ('purchase__isnull', True)), models.Q(('expires_at__isnull', True), ('purchase__isnull', False)), _connector='OR'), name='hold_ends_once'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['kept', 'lapsed', 'paid', 'ended', 'lost'])), name='known_purchase_state'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.CheckConstraint(condition=models.Q(('kept_for__in', ['', 'online', 'transfer', 'cash'])), name='known_kept_for'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'place'), ('state__in', ['kept', 'paid'])), fields=('virtual_class', 'person'), name='one_live_place_per_person'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.CheckConstraint(condition=models.Q(('discount__gte', 0), ('price__gte', 0)), name='purchase_price_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('paid_at', None), ('state__in', ['kept', 'lapsed'])), models.Q(('paid_at__isnull', False), ('state', 'paid')), ('state__in', ['ended', 'lost']), _connector='OR'), name='paid_purchase_has_its_moment'),
        ),
        migrations.AddConstraint(
            model_name='purchase',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('amount_kept', None), ('refund_reason', '')), KEPT, _connector='OR'), name='known_refund_decision_of_purchase'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('way', 'online'), _negated=True), ('charge__isnull', False), _connector='OR'), name='online_refund_has_its_charge'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('way', 'online'), ('next_attempt_at', None), _connector='OR'), name='refund_by_hand_has_no_attempt'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('way__in', ['online', 'transfer', 'cash'])), name='known_refund_way'),
        ),
    ]
