"""The teacher's page: about her, quotes of students, frequent questions."""

from django.core.validators import URLValidator
from django.db import models
from django.db.models import Q
from django.db.models.fields.files import ImageFieldFile

from bookings.models.in_english import translate

# The photo is stored as a square JPEG in each of these widths (pixels).
PHOTO_WIDTHS = {"small": 96, "medium": 320, "large": 640}
# Texts with a second one in English.
TRANSLATED = ("subject", "tagline", "about", "credentials", "levels", "class_description")


class ContactWay(models.TextChoices):
    """How students write to the teacher."""

    BOTH = "both", "Por WhatsApp o por correo"
    WHATSAPP = "whatsapp", "Por WhatsApp"
    MAIL = "mail", "Por correo"


class Colour(models.TextChoices):
    """Of the students' pages: static/css/colours.css has all but green."""

    GREEN = "", "Verde"
    BLUE = "azul", "Azul"
    VIOLET = "violeta", "Violeta"
    BURGUNDY = "bordo", "Bordó"
    TERRACOTTA = "terracota", "Terracota"
    GREY = "gris", "Gris"


class TeacherPage(models.Model):
    """There is one row."""

    SINGLETON = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=SINGLETON, editable=False)
    name = models.CharField("tu nombre", max_length=80, blank=True)
    subject = models.CharField(
        "qué enseñás", max_length=60, blank=True, help_text="Por ejemplo: Inglés, Guitarra."
    )
    tagline = models.CharField(
        "una frase tuya", max_length=160, blank=True, help_text="Va debajo de tu nombre."
    )
    about = models.TextField("sobre vos", max_length=3_000, blank=True)
    credentials = models.TextField(
        "estudios y experiencia", max_length=1_000, blank=True, help_text="Uno por renglón."
    )
    video_url = models.URLField(
        "video de presentación",
        max_length=300,
        blank=True,
        validators=[URLValidator(schemes=["https"])],
        help_text="La dirección de tu video, por ejemplo en YouTube.",
    )
    levels = models.TextField("niveles", max_length=1_000, blank=True, help_text="Uno por renglón.")
    class_description = models.TextField("cómo es una clase", max_length=2_000, blank=True)
    colour = models.CharField(
        "color", max_length=10, choices=Colour, blank=True, default="", db_default=""
    )
    # The same for English pages, which leave out what she did not write.
    subject_en = models.CharField(
        "qué enseñás, en inglés", max_length=60, blank=True, default="", db_default=""
    )
    tagline_en = models.CharField(
        "una frase tuya, en inglés", max_length=160, blank=True, default="", db_default=""
    )
    about_en = models.TextField(
        "sobre vos, en inglés", max_length=3_000, blank=True, default="", db_default=""
    )
    credentials_en = models.TextField(
        "estudios y experiencia, en inglés",
        max_length=1_000,
        blank=True,
        default="",
        db_default="",
        help_text="Uno por renglón.",
    )
    levels_en = models.TextField(
        "niveles, en inglés",
        max_length=1_000,
        blank=True,
        default="",
        db_default="",
        help_text="Uno por renglón.",
    )
    class_description_en = models.TextField(
        "cómo es una clase, en inglés", max_length=2_000, blank=True, default="", db_default=""
    )
    contact = models.CharField(
        "cómo te escriben",
        max_length=10,
        choices=ContactWay,
        # The front page shows it to everybody, so her number is there once she says so.
        default=ContactWay.MAIL,
        db_default=ContactWay.MAIL,
        help_text="WhatsApp va al teléfono de tu perfil. Sin teléfono, te escriben por correo.",
    )
    # The seller's data, which Argentina's law wants where people pay: in the footer of each page.
    seller_name = models.CharField(
        "nombre o razón social", max_length=120, blank=True, default="", db_default=""
    )
    cuit = models.CharField(
        "CUIT",
        max_length=13,
        blank=True,
        default="",
        db_default="",
        help_text="Por ejemplo 27-12345678-9.",
    )
    address = models.CharField("domicilio", max_length=200, blank=True, default="", db_default="")
    hours = models.CharField(
        "horario de atención",
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="Por ejemplo: lunes a viernes de 9 a 18.",
    )
    hours_en = models.CharField(
        "horario de atención, en inglés",
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="Vacío: las páginas en inglés lo muestran en castellano.",
    )
    data_fiscal_url = models.URLField(
        "Data Fiscal",
        max_length=500,
        blank=True,
        default="",
        db_default="",
        validators=[URLValidator(schemes=["https"])],
    )
    # The widest one; `set_photo` makes it and stores the others beside it.
    photo = models.ImageField("foto", max_length=100, blank=True, editable=False)

    class Meta:
        verbose_name = "tu página"
        verbose_name_plural = "tu página"
        constraints = [
            models.CheckConstraint(condition=Q(pk=1), name="one_teacher_page"),
            models.CheckConstraint(
                condition=Q(contact__in=ContactWay.values), name="known_contact_way"
            ),
            models.CheckConstraint(condition=Q(colour__in=Colour.values), name="known_colour"),
        ]

    def __str__(self) -> str:
        return self.name or "Tu página"

    def in_language(self, language: str | None) -> "TeacherPage":
        """Return the page with the texts of a language, empty where she wrote none."""
        return translate(self, TRANSLATED, language)

    @property
    def credential_lines(self) -> list[str]:
        return _lines(self.credentials)

    @property
    def level_lines(self) -> list[str]:
        return _lines(self.levels)

    @property
    def has_photo(self) -> bool:
        return bool(self.photo)

    def photo_url(self, width: int) -> str:
        """Return the path for one of PHOTO_WIDTHS; empty without a photo."""
        return self.photo.storage.url(photo_name(self.photo, width)) if self.photo else ""

    @property
    def photo_urls(self) -> dict[str, str]:
        return {size: self.photo_url(width) for size, width in PHOTO_WIDTHS.items()}


class Quote(models.Model):
    text = models.TextField("qué dijo", max_length=500)
    author = models.CharField("quién", max_length=80, blank=True)
    position = models.PositiveSmallIntegerField("posición", default=0)

    class Meta:
        verbose_name = "opinión"
        verbose_name_plural = "opiniones"
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.text


class Question(models.Model):
    question = models.CharField("pregunta", max_length=160)
    answer = models.TextField("respuesta", max_length=1_000)
    question_en = models.CharField(
        "pregunta, en inglés", max_length=160, blank=True, default="", db_default=""
    )
    answer_en = models.TextField(
        "respuesta, en inglés", max_length=1_000, blank=True, default="", db_default=""
    )
    position = models.PositiveSmallIntegerField("posición", default=0)

    class Meta:
        verbose_name = "pregunta"
        verbose_name_plural = "preguntas"
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.question

    def in_language(self, language: str | None) -> "Question":
        """Return it in a language, empty if she wrote none."""
        return translate(self, ("question", "answer"), language)


class StoredFile(models.Model):
    """A file in the database, where every web process and every backup finds it."""

    name = models.CharField(primary_key=True, max_length=100)
    content = models.BinaryField()

    def __str__(self) -> str:
        return self.name


def photo_name(photo: ImageFieldFile, width: int) -> str:
    """Return the storage name of one width: ``3f9c27d1-640``."""
    digest = str(photo.name).partition("-")[0]
    return f"{digest}-{width}"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
