"""The panel's own pages, inside the admin site."""

from django.contrib import admin
from django.urls import path

from bookings.panel.class_sheet import show_class
from bookings.panel.classes.book_for import book_for_student
from bookings.panel.classes.hours import show_hours
from bookings.panel.classes.week import show_day, show_hour, show_week
from bookings.panel.message_page import write_message
from bookings.panel.money.ledger import show_returns
from bookings.panel.money.payments import show_money
from bookings.panel.money.prices import show_prices
from bookings.panel.page_editor import edit_page, enter, preview_page, show_started, start
from bookings.panel.sales.offer_pages import (
    act_on_offer,
    add_offer,
    ask_to_delete,
    change_offer,
    show_offers,
)
from bookings.panel.sales.open_class_pages import publish, show_open_classes
from bookings.panel.sales.transfer_account import show_transfer_account
from bookings.panel.sales.transfer_pages import answer_mailed_link, show_receipt, show_transfers
from bookings.panel.student_files import show_student, show_students
from bookings.panel.technical import show_calendar, show_technical
from bookings.panel.today_page import show_more

guard = admin.site.admin_view

urlpatterns = [
    path("abiertas/", guard(show_open_classes), name="open_classes"),
    path("abiertas/nueva/", guard(publish), name="publish"),
    path("calendario/", guard(show_calendar), name="calendar"),
    path("clase/<uuid:class_id>/", guard(show_class), name="class_sheet"),
    path("dinero/", guard(show_money), name="money"),
    path("dinero/devolver/", guard(show_returns), name="returns"),
    path("entrar/", guard(enter), name="enter"),
    path("escribir/", guard(write_message), name="write"),
    path("estudiantes/", guard(show_students), name="students"),
    path("estudiantes/<uuid:user_id>/", guard(show_student), name="student"),
    path("horarios/", guard(show_hours), name="hours"),
    path("mas/", guard(show_more), name="more"),
    path("ofertas/", guard(show_offers), name="offers"),
    path("ofertas/nueva/", guard(add_offer), name="new_offer"),
    path("ofertas/<int:offer_id>/", guard(change_offer), name="offer"),
    path("ofertas/<int:offer_id>/boton/", guard(act_on_offer), name="act_on_offer"),
    path("ofertas/<int:offer_id>/borrar/", guard(ask_to_delete), name="delete_offer"),
    path("precios/", guard(show_prices), name="prices"),
    path("reservar/", guard(book_for_student), name="book_for"),
    path("semana/", guard(show_week), name="week"),
    path("semana/dia/", guard(show_day), name="week_day"),
    path("semana/hora/", guard(show_hour), name="week_hour"),
    path("tecnico/", guard(show_technical), name="technical"),
    path("transferencias/", guard(show_transfers), name="transfers"),
    path("transferencias/cuenta/", guard(show_transfer_account), name="transfer_account"),
    path(
        "transferencias/<uuid:transfer_id>/comprobante.jpg",
        guard(show_receipt),
        name="transfer_receipt",
    ),
    # The signed address is the permission.
    path("transferencias/avisada/<str:token>/", answer_mailed_link, name="mailed_transfer"),
    path("pagina/", guard(edit_page), name="teacher_page"),
    path("pagina/vista/", guard(preview_page), name="teacher_page_preview"),
    path("pagina/empezar/", guard(start), name="start"),
    path("pagina/lista/", guard(show_started), name="started"),
]
