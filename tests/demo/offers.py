"""The demo's offers: a trial class, one with prices of its own, and one by its link only."""

from django.utils import timezone

from bookings.domain.desk.offers import Case, save_offer
from bookings.models import ClassType, Offer

TRIAL = "Clase de prueba"
EXAM = "Preparación de examen"
COMPANY = "Equipo de Nube Sur"


def seed_offers() -> None:
    trial = Offer(
        key="clasedeprub2",
        name=TRIAL,
        text="Nos conocemos, vemos tu nivel y armamos un plan. Sin compromiso.",
        once_per_person=True,
    )
    exam = Offer(
        key="examenfirst2",
        name=EXAM,
        text="Simulacros con tiempo y corrección por escrito, para First o IELTS.",
    )
    company = Offer(
        key="nubesurgrupo",
        name=COMPANY,
        text="El precio que acordamos con tu empresa.",
        class_type=ClassType.GROUP,
        is_listed=False,
    )
    _save(trial, {(30, 1): 0})
    _save(exam, {(60, 1): 1_800_000, (90, 1): 2_500_000})
    _save(company, {(60, 4): 2_800_000, (60, 8): 4_200_000})


def _save(offer: Offer, prices: dict[Case, int]) -> None:
    save_offer(offer, changes=dict(prices), day=timezone.localdate())
