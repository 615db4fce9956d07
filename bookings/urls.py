"""The URLs of API and pages. Spec: Endpoints."""

from django.urls import path

from bookings.api import health
from bookings.api.access_code import AccessCodeView
from bookings.api.bookable import ClassSlotsView, PricesView, SlotsView
from bookings.api.booking import BookingView, PreferenceView
from bookings.api.calendar import CalendarView
from bookings.api.own_classes import (
    CancelClassView,
    MoveClassView,
    OwnClassesView,
    OwnClassView,
)
from bookings.api.webhooks import PaymentWebhookView
from bookings.pages import (
    booking,
    changes,
    classes,
    joining,
    privacy,
    transfers,
    waiting,
)
from bookings.pages.front import front_page, public_files, timetable
from bookings.pages.sales import class_links, open_classes, paying
from bookings.payments.backend import PROVIDERS

app_name = "bookings"

urlpatterns = [
    path("api/booking", BookingView.as_view(), name="api_booking"),
    path("api/calendar", CalendarView.as_view(), name="api_calendar"),
    path("api/prices", PricesView.as_view(), name="api_prices"),
    path("api/slots", SlotsView.as_view(), name="api_slots"),
    path("api/payments/preference", PreferenceView.as_view(), name="api_payment_preference"),
    *[
        path(f"api/webhooks/{name}", PaymentWebhookView.as_view(provider=name))
        for name in PROVIDERS
    ],
    path("api/access-code", AccessCodeView.as_view(), name="api_access_code"),
    path("api/classes", OwnClassesView.as_view(), name="api_classes"),
    path("api/classes/<uuid:class_id>", OwnClassView.as_view(), name="api_class"),
    path("api/classes/<uuid:class_id>/cancel", CancelClassView.as_view(), name="api_cancel_class"),
    path("api/classes/<uuid:class_id>/move", MoveClassView.as_view(), name="api_move_class"),
    path("api/classes/<uuid:class_id>/slots", ClassSlotsView.as_view(), name="api_class_slots"),
    path("healthz", health.HealthView.as_view(), name="healthz"),
    path("readyz", health.ReadinessView.as_view(), name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("", front_page.landing, name="landing"),
    path("robots.txt", public_files.robots, name="robots"),
    path("sitemap.xml", public_files.sitemap, name="sitemap"),
    path("horarios/embebido", timetable.show_timetable, name="timetable"),
    path("foto/compartir/<slug:digest>.jpg", public_files.show_share_picture, name="share_picture"),
    path("privacidad", privacy.show_privacy, name="privacy"),
    path("foto/<slug:name>.jpg", public_files.show_photo, name="photo"),
    path("clase/volver/<uuid:payment_id>", class_links.come_back, name="back_from_paying"),
    path("clase/<str:token>", class_links.show_link, name="class_link"),
    path("clase/<str:token>/pagar", class_links.pay, name="pay_class_link"),
    path("clase/<str:token>/transferencia", class_links.announce, name="announce_by_link"),
    path("clase/<str:token>/tomar", class_links.claim, name="claim_class"),
    path("clase/<str:token>/clase.ics", class_links.download_class, name="class_link_file"),
    path("clase/<path:rest>", class_links.find_nothing, name="no_class_link"),
    path("clases-abiertas", open_classes.show_open_classes, name="open_classes"),
    path("clases-abiertas/<uuid:class_id>", open_classes.show_open_class, name="open_class"),
    path("clases-abiertas/<uuid:class_id>/reservar", open_classes.reserve, name="reserve_place"),
    path("clases-abiertas/<uuid:class_id>/seguir", open_classes.keep_place, name="keep_place"),
    path("clases-abiertas/<uuid:class_id>/espera", open_classes.wait, name="wait_for_open_class"),
    path("inicio/lugares/<uuid:purchase_id>", paying.show_place, name="place"),
    path("inicio/lugares/<uuid:purchase_id>/soltar", paying.release, name="release_place"),
    path(
        "inicio/lugares/<uuid:purchase_id>/transferencia",
        transfers.pay_place_by_transfer,
        name="place_transfer",
    ),
    path("inicio", front_page.inicio, name="inicio"),
    path("inicio/reservar", booking.choose, name="book"),
    path("inicio/reservar/seguir", booking.keep_chosen, name="keep_chosen"),
    path("inicio/reservar/<uuid:hold_id>", booking.fill_in, name="hold"),
    path("inicio/reservar/<uuid:hold_id>/soltar", booking.release, name="release"),
    path("inicio/clases", classes.my_classes, name="my_classes"),
    path("inicio/clases/<uuid:class_id>", classes.show_class, name="class"),
    path("inicio/clases/<uuid:class_id>/cancelar", changes.cancel, name="cancel"),
    path(
        "inicio/clases/<uuid:class_id>/transferencia",
        transfers.pay_class_by_transfer,
        name="transfer",
    ),
    path("inicio/clases/<uuid:class_id>/dejar", changes.leave, name="leave"),
    path("inicio/clases/<uuid:class_id>/horario", changes.choose_time, name="reschedule"),
    path(
        "inicio/clases/<uuid:class_id>/horario/confirmar",
        changes.confirm_move,
        name="confirm_move",
    ),
    path(
        "inicio/clases/<uuid:class_id>/clase.ics",
        classes.download_class,
        name="calendar_file",
    ),
    path(
        "inicio/clases/tomar/<uuid:person_id>",
        class_links.claim_written_down,
        name="claim_written_down",
    ),
    path("inicio/pagos/<uuid:payment_id>", paying.show_payment, name="payment"),
    path("inicio/perfil/mis-datos.json", privacy.download_my_data, name="my_data"),
    path("inicio/perfil/borrar", privacy.delete_my_account, name="delete_account"),
    path("inicio/espera", waiting.wait, name="wait"),
    path("inicio/espera/<uuid:entry_id>", waiting.claim, name="claim_place"),
    path("inicio/espera/<uuid:entry_id>/salir", waiting.leave, name="leave_line"),
    path("inicio/espera/<uuid:entry_id>/volver", waiting.again, name="wait_again"),
    path("inicio/unirse", joining.join, name="join"),
    path("inicio/unirse/<str:access_code>", joining.open_invitation, name="join_with_code"),
]
