"""The page of the demo's teacher."""

from bookings.domain.desk.own_page import set_photo, write_teacher_page
from bookings.models import Question, Quote
from tests.demo.people import SELLER
from tests.demo.portrait import draw_portrait

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
    ),
    (
        "¿Y si no sé nada de inglés?",
        "Empezamos de cero, y hablamos en castellano hasta que lo necesites menos.",
    ),
    (
        "¿Puedo tomar una sola clase?",
        "Sí. Reservás de a una, cuando querés: no hay abono ni matrícula.",
    ),
]


def seed_own_page() -> None:
    write_teacher_page(
        texts=TEXTS | SELLER,
        quotes=[Quote(text=text, author=author) for text, author in QUOTES],
        questions=[Question(question=question, answer=answer) for question, answer in QUESTIONS],
    )
    set_photo(draw_portrait())
