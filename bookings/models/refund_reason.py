"""Why money goes back."""

from django.db import models


class RefundReason(models.TextChoices):
    """``decide_refund`` in domain/change_policy.py chooses among them.

    The person who paid gets MONEY_RETURNED for each refund that is done, and REFUND_FAILED for one
    that the provider rejects (then the teacher gets TO_REVIEW). Each shows, in the words of
    notices/returned_money.py, on the pages of class and payment, in both mails and in the panel.
    """

    # A sweep or a notification, when a class that is already scheduled has the time of the paid
    # one. Mails besides: CANCELLED to the host, MONEY_BACK to the teacher.
    SLOT_LOST = "slot_lost", "El horario ya estaba ocupado"
    # A sweep or a notification, when the payment arrives after the class's end. Mails besides:
    # CANCELLED to the host, MONEY_BACK to the teacher.
    CLASS_OVER = "class_over", "La clase ya había pasado"
    # The student or the teacher who cancels (also by erasing an account), and a sweep or a
    # notification for money that arrives afterwards. Mails besides: CANCELLED to everybody in the
    # class or in line, once; STUDENT_CANCELLED to the teacher if a student cancels.
    CANCELLED = "cancelled", "Clase cancelada"
    # A sweep or a notification, when a second charge of a paid payment is approved. No other mail.
    PAID_TWICE = "paid_twice", "Pagada dos veces"
    # A sweep, when nobody booked with a paid preference within UNBOOKED_PAYMENT_AGE. No other mail.
    NEVER_BOOKED = "never_booked", "Nunca se reservó"
    # The teacher, with "Devolver" or "Devolver todo" on the payment's page of the panel. The class
    # stays. No other mail.
    BY_TEACHER = "by_teacher", "Decisión de la profe"
