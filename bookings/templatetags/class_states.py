"""The state of a class, for the teacher."""

from django import template

from bookings.models import ClassStatus, VirtualClass

register = template.Library()


@register.filter
def class_state(virtual_class: VirtualClass) -> str:
    """Prefetch ``purchases`` for lists."""
    if virtual_class.is_undecided:
        return "Espera tu sí"
    if virtual_class.status != ClassStatus.PENDING:
        return str(virtual_class.get_status_display())
    return "Pagada sin agendar" if virtual_class.is_paid else "Espera el pago"


@register.filter
def class_badge(virtual_class: VirtualClass) -> str:
    if virtual_class.status == ClassStatus.PENDING and virtual_class.is_paid:
        return "preparing"
    return virtual_class.status
