"""What the demo's teacher says about herself, and her portrait, which is drawn."""

from pathlib import Path

from bookings.domain.desk.photos import set_photo
from bookings.models import Question, Quote, TeacherPage
from tests.demo.people import TEACHER

PORTRAIT = Path(__file__).with_name("portrait.jpg")
TEXTS = {
    "name": TEACHER.name,
    "subject": "Inglés",
    "tagline": (
        "¡Hola! Soy Paula. Conmigo hablás inglés desde el primer minuto, y equivocarte es parte de "
        "la clase."
    ),
    "about": (
        "Enseño inglés desde 2012. Empecé en un instituto de Rosario y hace ocho años que doy "
        "clases solo por videollamada, de a una persona o en grupos chicos.\n\n"
        "Preparo cada clase a partir de lo que me contás al reservar: una entrevista, un viaje, "
        "una presentación, o las ganas de conversar sin trabarte."
    ),
    "credentials": (
        "Profesora de inglés, profesorado de Rosario\n"
        "Certificado C2 Proficiency de Cambridge\n"
        "Más de 4.000 clases por videollamada"
    ),
    "video_url": "https://video.demo.example/paula",
    "levels": "Desde cero\nIntermedio\nAvanzado\nExámenes internacionales\nInglés para el trabajo",
    "class_description": (
        "Charlamos diez minutos para entrar en calor. Después trabajamos sobre un texto, un audio "
        "o tu propio material, y al final te mando por escrito lo que conviene repasar."
    ),
}
QUOTES = [
    (
        "Me daba vergüenza hablar. A los dos meses hice una entrevista entera en inglés, y quedé.",
        "Lucía, diseñadora",
    ),
    (
        "Las clases se pasan volando, y siempre salgo con algo que puedo usar esa misma semana.",
        "Martín, médico",
    ),
    (
        "Somos tres amigas y cada una avanza a su ritmo. Paula se acuerda de todo.",
        "Sol, Inés y Caro",
    ),
]
QUESTIONS = [
    (
        "¿Necesito saber algo antes de empezar?",
        "No. En la primera clase vemos juntos desde dónde partir.",
    ),
    (
        "¿Qué necesito para la videollamada?",
        "Un teléfono o una computadora con cámara. El enlace te llega al confirmar la clase.",
    ),
    ("¿Das material?", "Sí, todo lo que usamos te queda. No hay que comprar ningún libro."),
]


def seed_own_page() -> None:
    with PORTRAIT.open("rb") as portrait:
        set_photo(portrait)
    TeacherPage.objects.update(**TEXTS)
    Quote.objects.bulk_create(
        Quote(text=text, author=author, position=place)
        for place, (text, author) in enumerate(QUOTES)
    )
    Question.objects.bulk_create(
        Question(question=question, answer=answer, position=place)
        for place, (question, answer) in enumerate(QUESTIONS)
    )
