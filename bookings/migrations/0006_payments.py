"""Payments, their charges and refunds, and what the provider told about them."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bookings", "0005_notices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Payment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "preference_id",
                    models.CharField(
                        blank=True, max_length=255, null=True, verbose_name="preferencia"
                    ),
                ),
                (
                    "checkout_url",
                    models.URLField(blank=True, max_length=500, verbose_name="dónde se paga"),
                ),
                ("amount", models.BigIntegerField(help_text="En centavos.", verbose_name="monto")),
                ("currency", models.CharField(default="ARS", max_length=3, verbose_name="moneda")),
                (
                    "quote",
                    models.JSONField(default=dict, editable=False, verbose_name="cotización"),
                ),
                (
                    "made_elsewhere",
                    models.BooleanField(
                        default=False, editable=False, verbose_name="hecho por otro sistema"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("created", "Iniciado"),
                            ("pending", "Esperando el pago"),
                            ("rejected", "Rechazado"),
                            ("expired", "Vencido"),
                            ("approved", "Aprobado"),
                            ("partially_refunded", "Devuelto en parte"),
                            ("refunded", "Devuelto"),
                            ("disputed", "En disputa"),
                            ("charged_back", "Contracargo"),
                        ],
                        default="created",
                        max_length=20,
                        verbose_name="estado",
                    ),
                ),
                (
                    "review",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "—"),
                            ("short", "Pagaron de menos"),
                            ("currency", "Otra moneda"),
                            ("collector", "Otra cuenta cobradora"),
                            ("reference", "Otra referencia"),
                            ("refund_failed", "No se pudo devolver"),
                            ("dispute", "Disputa o contracargo"),
                            ("refunded_elsewhere", "Devuelto fuera del sistema"),
                        ],
                        max_length=20,
                        verbose_name="a revisar",
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="vence")),
                (
                    "approved_at",
                    models.DateTimeField(
                        blank=True, editable=False, null=True, verbose_name="aprobado"
                    ),
                ),
                ("next_check_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="creado"
                    ),
                ),
                ("updated_at", models.DateTimeField(auto_now=True, verbose_name="modificado")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payments",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="de quién",
                    ),
                ),
                (
                    "virtual_class",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payment",
                        to="bookings.virtualclass",
                        verbose_name="clase",
                    ),
                ),
            ],
            options={
                "verbose_name": "pago",
                "verbose_name_plural": "pagos",
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="PaymentCharge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("charge_id", models.CharField(max_length=64, verbose_name="número de operación")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Pendiente"),
                            ("approved", "Aprobado"),
                            ("rejected", "Rechazado"),
                            ("cancelled", "Cancelado"),
                            ("refunded", "Devuelto"),
                            ("disputed", "En disputa"),
                            ("charged_back", "Contracargo"),
                        ],
                        max_length=20,
                        verbose_name="estado",
                    ),
                ),
                (
                    "status_detail",
                    models.CharField(blank=True, max_length=100, verbose_name="detalle"),
                ),
                ("amount", models.BigIntegerField(help_text="En centavos.", verbose_name="monto")),
                ("refunded_amount", models.BigIntegerField(default=0, verbose_name="devuelto")),
                ("currency", models.CharField(max_length=3, verbose_name="moneda")),
                ("collector_id", models.CharField(max_length=64, verbose_name="cuenta cobradora")),
                ("method", models.CharField(blank=True, max_length=50, verbose_name="medio")),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "—"),
                            ("short", "Pagaron de menos"),
                            ("currency", "Otra moneda"),
                            ("collector", "Otra cuenta cobradora"),
                            ("reference", "Otra referencia"),
                            ("refund_failed", "No se pudo devolver"),
                            ("dispute", "Disputa o contracargo"),
                            ("refunded_elsewhere", "Devuelto fuera del sistema"),
                        ],
                        max_length=20,
                        verbose_name="problema",
                    ),
                ),
                (
                    "counts",
                    models.BooleanField(
                        default=False, editable=False, verbose_name="paga la clase"
                    ),
                ),
                ("provider_updated_at", models.DateTimeField(verbose_name="modificado allá")),
                (
                    "seen_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="visto"
                    ),
                ),
                (
                    "payment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="charges",
                        to="bookings.payment",
                        verbose_name="pago",
                    ),
                ),
            ],
            options={
                "verbose_name": "intento de pago",
                "verbose_name_plural": "intentos de pago",
                "ordering": ["seen_at", "id"],
            },
        ),
        migrations.CreateModel(
            name="PaymentNotification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("topic", models.CharField(max_length=50, verbose_name="tema")),
                ("resource_id", models.CharField(max_length=64, verbose_name="recurso")),
                ("action", models.CharField(blank=True, max_length=50, verbose_name="acción")),
                ("notice_id", models.CharField(blank=True, max_length=100, verbose_name="aviso")),
                (
                    "signature",
                    models.CharField(
                        choices=[
                            ("valid", "Válida"),
                            ("invalid", "Inválida"),
                            ("absent", "Sin firma"),
                            ("unconfigured", "Sin clave configurada"),
                        ],
                        max_length=20,
                        verbose_name="firma",
                    ),
                ),
                (
                    "received_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="recibido"
                    ),
                ),
                (
                    "processed_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="procesado"),
                ),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="intentos")),
                (
                    "next_attempt_at",
                    models.DateTimeField(blank=True, default=django.utils.timezone.now, null=True),
                ),
                (
                    "failure",
                    models.CharField(blank=True, max_length=200, verbose_name="por qué falló"),
                ),
            ],
            options={
                "verbose_name": "aviso del proveedor",
                "verbose_name_plural": "avisos del proveedor",
                "ordering": ["-received_at", "-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("next_attempt_at__isnull", False)),
                        fields=["next_attempt_at"],
                        name="notification_to_process",
                    ),
                    models.Index(fields=["-received_at", "-id"], name="notification_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("topic", "resource_id", "action", "notice_id"), name="unique_notice"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("signature__in", ["valid", "invalid", "absent", "unconfigured"])
                        ),
                        name="known_signature_state",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Refund",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("amount", models.BigIntegerField(help_text="En centavos.", verbose_name="monto")),
                ("key", models.CharField(editable=False, max_length=64, verbose_name="clave")),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("slot_lost", "El horario ya estaba ocupado"),
                            ("class_over", "La clase ya había pasado"),
                            ("cancelled", "Clase cancelada"),
                            ("paid_twice", "Pagada dos veces"),
                            ("never_booked", "Nunca se reservó"),
                            ("by_teacher", "Decisión de la profe"),
                        ],
                        max_length=20,
                        verbose_name="motivo",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Pedida"),
                            ("in_process", "En proceso"),
                            ("done", "Hecha"),
                            ("failed", "Rechazada"),
                        ],
                        default="requested",
                        max_length=20,
                        verbose_name="estado",
                    ),
                ),
                (
                    "refund_id",
                    models.CharField(
                        blank=True, max_length=64, verbose_name="número de devolución"
                    ),
                ),
                (
                    "failure",
                    models.CharField(blank=True, max_length=200, verbose_name="por qué falló"),
                ),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="intentos")),
                (
                    "next_attempt_at",
                    models.DateTimeField(blank=True, default=django.utils.timezone.now, null=True),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="pedida"
                    ),
                ),
                (
                    "done_at",
                    models.DateTimeField(
                        blank=True, editable=False, null=True, verbose_name="hecha"
                    ),
                ),
                (
                    "charge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="refunds",
                        to="bookings.paymentcharge",
                        verbose_name="intento",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="quién",
                    ),
                ),
            ],
            options={
                "verbose_name": "devolución",
                "verbose_name_plural": "devoluciones",
                "ordering": ["created_at", "id"],
            },
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(fields=["-created_at", "-id"], name="payment_by_age"),
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("next_check_at__isnull", False)),
                fields=["next_check_at"],
                name="payment_to_check",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.UniqueConstraint(
                fields=("preference_id",), name="unique_payment_preference"
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="payment_of_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "created",
                            "pending",
                            "rejected",
                            "expired",
                            "approved",
                            "partially_refunded",
                            "refunded",
                            "disputed",
                            "charged_back",
                        ],
                    )
                ),
                name="known_payment_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "review__in",
                        [
                            "",
                            "short",
                            "currency",
                            "collector",
                            "reference",
                            "refund_failed",
                            "dispute",
                            "refunded_elsewhere",
                        ],
                    )
                ),
                name="known_review_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentcharge",
            constraint=models.UniqueConstraint(fields=("charge_id",), name="unique_charge"),
        ),
        migrations.AddConstraint(
            model_name="paymentcharge",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gte", 0)), name="charge_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentcharge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "pending",
                            "approved",
                            "rejected",
                            "cancelled",
                            "refunded",
                            "disputed",
                            "charged_back",
                        ],
                    )
                ),
                name="known_charge_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentcharge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("refunded_amount__gte", 0), ("refunded_amount__lte", models.F("amount"))
                ),
                name="refunded_within_charge",
            ),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("next_attempt_at__isnull", False)),
                fields=["next_attempt_at"],
                name="refund_to_send",
            ),
        ),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.UniqueConstraint(fields=("key",), name="unique_refund_key"),
        ),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__gt", 0)), name="refund_of_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["requested", "in_process", "done", "failed"])),
                name="known_refund_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "reason__in",
                        [
                            "slot_lost",
                            "class_over",
                            "cancelled",
                            "paid_twice",
                            "never_booked",
                            "by_teacher",
                        ],
                    )
                ),
                name="known_refund_reason",
            ),
        ),
    ]
