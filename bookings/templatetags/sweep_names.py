"""The sweeps' names for the teacher."""

from django import template

register = template.Library()

NAMES = {
    "announce_events": "anotar avisos para otros sistemas",
    "check_calendar_grant": "probar el permiso del calendario",
    "compare_calendar": "comparar el calendario",
    "complete_ended_classes": "completar las clases dadas",
    "decide_open_classes": "decidir si se dan las clases abiertas",
    "delete_expired_holds": "liberar horarios reservados",
    "deliver_webhooks": "avisar a otros sistemas",
    "expire_payments": "vencer pagos sin empezar",
    "finish_requested_schedulings": "agendar clases pagadas",
    "forget_claims": "borrar los datos de personas sin cuenta cuyas clases tomó una cuenta",
    "forget_notifications": "borrar avisos viejos de pagos",
    "forget_webhooks": "borrar avisos viejos a otros sistemas",
    "keep_push_channel": "mantener el aviso de cambios del calendario",
    "keep_wall_times": "mantener la hora de las clases si cambia la hora oficial",
    "pass_on_offers": "ofrecer lugares a la lista de espera",
    "plan_missing_reminders": "planear recordatorios",
    "process_notifications": "mirar los avisos de pagos",
    "search_payments": "buscar pagos que nadie avisó",
    "send_due_notices": "enviar correos",
    "send_due_refunds": "devolver pagos",
    "settle_due_payments": "confirmar pagos",
    "update_events": "mover eventos del calendario",
    "warn_of_deadlines": "avisar de las clases abiertas por decidir",
    "withdraw_events": "quitar eventos del calendario",
}


@register.filter
def sweep_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))
