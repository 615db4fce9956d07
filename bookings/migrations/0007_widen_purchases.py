"""Give purchases, holds, payments, transfers and refunds the columns of one sale, still empty."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

WAYS = [('online', 'Mercado Pago'), ('transfer', 'Transferencia'), ('cash', 'A mano')]
REASONS = [('slot_lost', 'El horario ya estaba ocupado'), ('class_over', 'La clase ya había pasado'), ('cancelled', 'Clase cancelada'), ('seat_lost', 'No quedaban lugares'), ('code_used_up', 'El código ya se había usado'), ('below_minimum', 'No se llegó al mínimo'), ('paid_twice', 'Pagada dos veces'), ('never_booked', 'Nunca se reservó'), ('by_teacher', 'Decisión de la profe')]
STATES = [('kept', 'Por pagar'), ('lapsed', 'Vencida'), ('paid', 'Pagada'), ('ended', 'Terminada'), ('lost', 'Perdida')]


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0006_fill_the_ledger'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='purchase',
            name='price',
            field=models.BigIntegerField(default=0, help_text='En centavos.', verbose_name='precio'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='discount',
            field=models.BigIntegerField(default=0, help_text='En centavos.', verbose_name='descuento'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='discount_code',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='purchases', to='bookings.discountcode'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='state',
            field=models.CharField(choices=STATES, default='kept', max_length=10, verbose_name='estado'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='kept_until',
            field=models.DateTimeField(blank=True, null=True, verbose_name='se guarda hasta'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='kept_for',
            field=models.CharField(blank=True, choices=WAYS, default='', max_length=10, verbose_name='para pagar por'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='purchase',
            name='by_teacher',
            field=models.BooleanField(default=False, verbose_name='la reservó la profe'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='paid_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='pagada'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='refund_reason',
            field=models.CharField(blank=True, choices=REASONS, default='', max_length=20, verbose_name='motivo de la devolución'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='purchase',
            name='amount_kept',
            field=models.BigIntegerField(blank=True, null=True, verbose_name='no se devuelve'),
        ),
        migrations.AddField(
            model_name='purchase',
            name='updated_at',
            field=models.DateTimeField(auto_now=True, default=django.utils.timezone.now, verbose_name='modificada'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='payment',
            name='purchase',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AddField(
            model_name='banktransfer',
            name='purchase',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AddField(
            model_name='hold',
            name='purchase',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='hold', to='bookings.purchase', verbose_name='compra'),
        ),
        migrations.AlterField(
            model_name='hold',
            name='expires_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='vence'),
        ),
        migrations.AddField(
            model_name='refund',
            name='purchase',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='bookings.purchase', verbose_name='compra'),
        ),
        # Earlier releases stored refunds by the provider only.
        migrations.AddField(
            model_name='refund',
            name='way',
            field=models.CharField(choices=WAYS, default='online', max_length=10, verbose_name='cómo'),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='refund',
            name='transfer',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='bookings.banktransfer', verbose_name='transferencia'),
        ),
        migrations.AlterField(
            model_name='refund',
            name='charge',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='bookings.paymentcharge', verbose_name='intento'),
        ),
    ]
