"""What the demo's teacher offers: her hours, prices, rules, offers, discount codes and page."""

from datetime import time
from pathlib import Path

from django.utils import timezone

from bookings.domain.desk.hours import import_public_holidays, set_weekly_hours
from bookings.domain.desk.offers import Case, save_offer
from bookings.domain.desk.own_page import set_photo, write_teacher_page
from bookings.models import (
    BookingRules,
    ClassType,
    Offer,
    Price,
    Question,
    Quote,
    Weekday,
)
from bookings.models.sales.discount_code import DiscountCode
from tests.demo.people import SELLER

WORKING_DAY = [(time(9), time(13)), (time(15), time(20))]
HOURS = {
    **{Weekday(number): WORKING_DAY for number in range(5)},
    Weekday.SATURDAY: [(time(10), time(13))],
}

# Type, minutes, up to how many students, centavos.
PRICES = [
    (ClassType.INDIVIDUAL, 30, 1, 850_000),
    (ClassType.INDIVIDUAL, 60, 1, 1_500_000),
    (ClassType.INDIVIDUAL, 90, 1, 2_100_000),
    (ClassType.GROUP, 60, 3, 2_400_000),
    (ClassType.GROUP, 60, 6, 3_600_000),
    (ClassType.GROUP, 90, 3, 3_400_000),
    (ClassType.GROUP, 90, 6, 5_100_000),
]

EXAM = "Preparación de examen"
FRIENDS = "AMIGOS"
TEXTS = {
    "name": "Paula Ferreyra",
    "subject": "Inglés",
    "tagline": "Vas a hablar desde la primera clase, aunque hoy te dé vergüenza.",
    "about": (
        "Enseño inglés desde hace doce años, los últimos siete por videollamada. Trabajé en "
        "institutos de Rosario y acompañé a más de trescientas personas a rendir exámenes, dar "
        "entrevistas y viajar.\n\n"
        "Me gusta que la clase sea una charla: traés un tema, lo conversamos, y yo anoto lo que "
        "conviene practicar."
    ),
    "credentials": (
        "Profesora de Inglés, IES Olga Cossettini\n"
        "Certificate of Proficiency in English, Cambridge\n"
        "Doce años de clases"
    ),
    "video_url": "",
    "levels": (
        "Desde cero\nConversación para soltarte\n"
        "Trabajo: reuniones y entrevistas\nExámenes: First, Advanced, IELTS"
    ),
    "class_description": (
        "Empezamos charlando cinco minutos. Después trabajamos con lo que vos elegiste, y al final "
        "te llevás mis notas y una idea para practicar en la semana."
    ),
    "subject_en": "English",
    "tagline_en": "You will speak from the first class on, even if you feel shy today.",
    "about_en": (
        "I have taught English for twelve years, the last seven by video call. I worked at "
        "institutes in Rosario and helped more than three hundred people to sit exams, give "
        "interviews and travel.\n\n"
        "I like a class to be a conversation: you bring a topic, we talk about it, and I note what "
        "is worth practising."
    ),
    "credentials_en": (
        "Teacher of English, IES Olga Cossettini\n"
        "Certificate of Proficiency in English, Cambridge\n"
        "Twelve years of classes"
    ),
    "levels_en": (
        "From scratch\nConversation, to loosen up\n"
        "Work: meetings and interviews\nExams: First, Advanced, IELTS"
    ),
    "class_description_en": (
        "We chat for five minutes first. Then we work on what you chose, and at the end you take "
        "my notes and an idea to practise during the week."
    ),
    "contact": "both",
}
QUOTES = [
    ("Pasé la entrevista de trabajo. Practicamos cada pregunta hasta que me salió sola.", "Julián"),
    ("Por fin entiendo las reuniones con mi equipo de afuera, y me animo a opinar.", "Marcela"),
    ("Rendí el First en cuatro meses. Las clases se me pasaban volando.", "Tomás"),
]
QUESTIONS = [
    (
        "¿Qué necesito para la clase?",
        "Un teléfono o una computadora con cámara. El enlace de la videollamada te llega con la "
        "reserva, y no hace falta instalar nada.",
        "What do I need for the class?",
        "A phone or a computer with a camera. The link to the video call comes with the booking, "
        "and there is nothing to install.",
    ),
    (
        "¿Y si no sé nada de inglés?",
        "Empezamos de cero, y hablamos en castellano hasta que lo necesites menos.",
        "What if I know no English at all?",
        "We start from scratch, and speak Spanish until you need it less.",
    ),
    (
        "¿Puedo tomar una sola clase?",
        "Sí. Reservás de a una, cuando querés: no hay abono ni matrícula.",
        "Can I take a single class?",
        "Yes. You book one at a time, when you like: no subscription and no fee to join.",
    ),
]
PORTRAIT = Path(__file__).with_name("portrait.jpg")  # a drawing of nobody


def seed_offer() -> None:
    """Store her hours, prices and rules."""
    today = timezone.localdate()
    set_weekly_hours(HOURS)
    import_public_holidays([today.year, today.year + 1])
    BookingRules(transfer_alias="clases.con.paula", transfer_holder="Paula Ferreyra").save()
    Price.objects.bulk_create(
        Price(
            class_type=class_type,
            minutes=minutes,
            students_up_to=students,
            amount=amount,
            valid_from=today,
        )
        for class_type, minutes, students, amount in PRICES
    )


def seed_offers() -> None:
    """Store a trial class, an offer with prices of its own, and one that only its link shows."""
    _save_offer(
        {(30, 1): 0},
        key="clasedeprub2",
        name="Clase de prueba",
        text="Nos conocemos, vemos tu nivel y armamos un plan. Sin compromiso.",
        name_en="Trial class",
        text_en="We get to know each other, find your level and make a plan. No strings attached.",
        once_per_person=True,
    )
    _save_offer(
        {(60, 1): 1_800_000, (90, 1): 2_500_000},
        key="examenfirst2",
        name=EXAM,
        text="Simulacros con tiempo y corrección por escrito, para First o IELTS.",
        name_en="Exam preparation",
        text_en="Timed mock exams with written corrections, for First or IELTS.",
    )
    _save_offer(
        {(60, 4): 2_800_000, (60, 8): 4_200_000},
        key="nubesurgrupo",
        name="Equipo de Nube Sur",
        text="El precio que acordamos con tu empresa.",
        name_en="Nube Sur team",
        text_en="The price agreed with your company.",
        class_type=ClassType.GROUP,
        is_listed=False,
    )


def _save_offer(prices: dict[Case, int], **fields: object) -> None:
    save_offer(Offer(**fields), changes=dict(prices), day=timezone.localdate())


def seed_codes() -> None:
    """Store a code for newcomers, and one for friends that is soon used up."""
    DiscountCode.objects.create(code="BIENVENIDA", percent=10)
    DiscountCode.objects.create(code=FRIENDS, amount=200_000, max_uses=20)


def seed_own_page() -> None:
    write_teacher_page(
        texts=TEXTS | SELLER,
        quotes=[Quote(text=text, author=author) for text, author in QUOTES],
        questions=[
            Question(question=question, answer=answer, question_en=question_en, answer_en=answer_en)
            for question, answer, question_en, answer_en in QUESTIONS
        ],
    )
    with PORTRAIT.open("rb") as photo:
        set_photo(photo)
