from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import connection, migrations, models

# Without a look at the rows that exist; the next migration validates them.
add_check = AddConstraintNotValid if connection.vendor == "postgresql" else migrations.AddConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('bookings', '0011_classes_of_offers_and_codes'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='webhookevent',
            name='known_webhook_kind',
        ),
        migrations.AlterField(
            model_name='classlog',
            name='event',
            field=models.CharField(choices=[('booked', 'Reservada'), ('booked_for', 'Reservada por la profe'), ('paid', 'Pago confirmado'), ('scheduled', 'Agendada'), ('joined', 'Se sumó alguien'), ('left', 'Alguien dejó su lugar'), ('rescheduled', 'Cambió de horario'), ('zone_changed', 'Cambió la hora oficial'), ('cancelled', 'Cancelada'), ('completed', 'Completada'), ('reopened', 'Abierta de nuevo'), ('no_show', 'Alguien faltó'), ('showed_up', 'Se corrigió una falta'), ('offered', 'Lugar ofrecido a la lista de espera'), ('event_removed', 'Evento quitado del calendario'), ('event_drifted', 'El calendario dice otra cosa'), ('event_repaired', 'Evento del calendario reparado'), ('rebuilt', 'Recuperada del calendario'), ('capacity_changed', 'Cambiaron los lugares'), ('price_agreed', 'Precio aceptado'), ('message_sent', 'Mensaje de la profe'), ('published', 'Publicada'), ('seat_paid', 'Lugar pagado'), ('seat_lost', 'Pagaron sin que quedara lugar'), ('goes_on', 'Se da'), ('transfer_announced', 'Transferencia avisada'), ('transfer_confirmed', 'Transferencia confirmada'), ('transfer_refused', 'Transferencia que no llegó'), ('transfer_returned', 'Transferencia devuelta'), ('link_changed', 'Enlace nuevo para el estudiante'), ('link_mailed', 'Enlace mandado por correo'), ('claimed', 'La tomó su estudiante'), ('unclaimed', 'Se deshizo la toma')], max_length=20, verbose_name='qué'),
        ),
        migrations.AlterField(
            model_name='webhookevent',
            name='kind',
            field=models.CharField(choices=[('class.scheduled', 'Clase agendada'), ('class.joined', 'Se sumó alguien'), ('class.left', 'Alguien dejó su lugar'), ('class.moved', 'Clase en otro horario'), ('class.cancelled', 'Clase cancelada'), ('class.completed', 'Clase completada'), ('class.booked_for', 'Clase reservada por la profe'), ('class.claimed', 'La tomó su estudiante'), ('class.unclaimed', 'Se deshizo: la había tomado otra persona'), ('transfer.announced', 'Avisaron una transferencia'), ('transfer.confirmed', 'Llegó una transferencia'), ('transfer.refused', 'No llegó una transferencia'), ('class.published', 'Clase abierta publicada'), ('class.goes_on', 'Clase abierta que se da'), ('seat.paid', 'Lugar pagado'), ('seat.lost', 'Lugar pagado sin que quedara'), ('endpoint.test', 'Prueba')], max_length=30, verbose_name='suceso'),
        ),
        add_check(
            model_name='webhookevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['class.scheduled', 'class.joined', 'class.left', 'class.moved', 'class.cancelled', 'class.completed', 'class.booked_for', 'class.claimed', 'class.unclaimed', 'transfer.announced', 'transfer.confirmed', 'transfer.refused', 'class.published', 'class.goes_on', 'seat.paid', 'seat.lost', 'endpoint.test'])), name='known_webhook_kind'),
        ),
    ]
