"""Forms of the teacher's page and first steps; they check shapes."""

from collections.abc import Mapping, Sequence
from datetime import time
from itertools import pairwise
from typing import IO, Any, cast

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict

from bookings.domain.desk.own_page import read_cuit
from bookings.domain.desk.setup import FirstOffer
from bookings.models import Question, Quote, TeacherPage, Weekday
from bookings.models.teacher_page import TRANSLATED
from bookings.pages.forms import PhotoField
from bookings.panel.inputs import CLOCK_INPUT, PesosField, list_used, make_rows

# Rows on the page, and how many of them are empty at first: adding one needs no script.
MOST_QUOTES = 8
MOST_QUESTIONS = 12
SPARE_ROWS = 2

ENGLISH = [f"{name}_en" for name in TRANSLATED]

Data = Mapping[str, Any] | None
PHOTO = {
    "label": "Foto",
    "help_text": "JPG, PNG o WebP, de hasta 15 MB. La recortamos en un cuadrado y le sacamos los "
    "datos de la cámara.",
}


class TextsForm(forms.ModelForm[TeacherPage]):
    video_url = forms.URLField(
        label="Video de presentación",
        max_length=300,
        required=False,
        assume_scheme="https",
        error_messages={"invalid": "Copiá la dirección entera del video; empieza con https://."},
        help_text="La dirección de tu video, por ejemplo en YouTube.",
    )
    data_fiscal_url = forms.URLField(
        label="Data Fiscal",
        max_length=500,
        required=False,
        assume_scheme="https",
        error_messages={"invalid": "Copiá la dirección entera; empieza con https://."},
        help_text="La dirección que está detrás del código QR de ARCA.",
    )
    photo = PhotoField(**PHOTO)
    removes_photo = forms.BooleanField(label="Quitar la foto", required=False)

    class Meta:
        model = TeacherPage
        fields = [
            "name",
            "subject",
            "tagline",
            "about",
            "credentials",
            "video_url",
            "levels",
            "class_description",
            "contact",
            "colour",
            *ENGLISH,
            "seller_name",
            "cuit",
            "address",
            "hours",
            "hours_en",
            "data_fiscal_url",
        ]
        widgets = {
            "tagline": forms.Textarea({"rows": 2}),
            "about": forms.Textarea({"rows": 6}),
            "credentials": forms.Textarea({"rows": 3}),
            "levels": forms.Textarea({"rows": 3}),
            "class_description": forms.Textarea({"rows": 4}),
            "tagline_en": forms.Textarea({"rows": 2}),
            "credentials_en": forms.Textarea({"rows": 3}),
            "levels_en": forms.Textarea({"rows": 3}),
        }

    def clean_cuit(self) -> str:
        typed: str = self.cleaned_data["cuit"]
        cuit = read_cuit(typed) if typed else ""
        if cuit is None:
            raise forms.ValidationError("Ese CUIT tiene algún número mal: son once números.")
        return cuit

    @property
    def in_english(self) -> list[forms.BoundField]:
        return [self[name] for name in ENGLISH]

    @property
    def texts(self) -> dict[str, str]:
        """The valid texts; an invalid one is empty."""
        return {name: self.cleaned_data.get(name, "") for name in self.Meta.fields}

    @property
    def chosen_photo(self) -> IO[bytes] | None:
        return cast("IO[bytes] | None", self.cleaned_data.get("photo"))


class RowForm(forms.Form):
    """Left out when all of its fields are empty."""

    use_required_attribute = False
    english: Sequence[str] = ()
    # The prefixes of the rows with which this one may change places; "" if there is none.
    above = below = ""

    @property
    def in_spanish(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.english]

    @property
    def in_english(self) -> list[forms.BoundField]:
        return [self[name] for name in self.english]

    def is_empty(self) -> bool:
        return not any(self.cleaned_data.get(name) for name in self.fields)


class QuoteForm(RowForm):
    text = forms.CharField(
        label="Qué dijo", required=False, max_length=500, widget=forms.Textarea({"rows": 2})
    )
    author = forms.CharField(label="Quién", required=False, max_length=80)

    def clean(self) -> None:
        is_missing = not self.cleaned_data.get("text") and "text" not in self.errors
        if self.cleaned_data.get("author") and is_missing:
            self.add_error("text", "Escribí qué dijo, o borrá también el nombre.")


class QuestionForm(RowForm):
    question = forms.CharField(label="Pregunta", required=False, max_length=160)
    answer = forms.CharField(
        label="Respuesta", required=False, max_length=1_000, widget=forms.Textarea({"rows": 3})
    )
    question_en = forms.CharField(label="Pregunta, en inglés", required=False, max_length=160)
    answer_en = forms.CharField(
        label="Respuesta, en inglés",
        required=False,
        max_length=1_000,
        widget=forms.Textarea({"rows": 3}),
    )
    english = ("question_en", "answer_en")
    # A field, and one that is of no use without it.
    needed = (
        ("question", "answer"),
        ("answer", "question"),
        ("question_en", "answer_en"),
        ("answer_en", "question_en"),
        ("question", "question_en"),
    )

    def clean(self) -> None:
        for name, other in self.needed:
            is_missing = not self.cleaned_data.get(name) and name not in self.errors
            if self.cleaned_data.get(other) and is_missing:
                self.add_error(name, "Completá la pregunta y la respuesta, o borrá todo.")


class PageForm:
    def __init__(
        self,
        data: Data,
        files: Any,
        page: TeacherPage,
        quotes: Sequence[Quote],
        questions: Sequence[Question],
    ) -> None:
        # A copy: the form would write into the page itself.
        self.texts = TextsForm(data, files, initial=forms.model_to_dict(page))
        said, asked = ([forms.model_to_dict(row) for row in rows] for rows in (quotes, questions))
        self.quotes = make_rows(QuoteForm, data, said, prefix="quote", most=MOST_QUOTES)
        self.questions = make_rows(
            QuestionForm, data, asked, prefix="question", most=MOST_QUESTIONS
        )

    def is_valid(self) -> bool:
        return all(part.is_valid() for part in self._parts)

    @property
    def errors(self) -> list[forms.BoundField]:
        return [field for part in self._parts for field in part if field.errors]

    @property
    def written_quotes(self) -> list[Quote]:
        return [Quote(**row.cleaned_data) for row in self.quotes if _is_written(row)]

    @property
    def written_questions(self) -> list[Question]:
        return [Question(**row.cleaned_data) for row in self.questions if _is_written(row)]

    @property
    def shown_quotes(self) -> list[QuoteForm]:
        return _with_spare_rows(self.quotes)

    @property
    def shown_questions(self) -> list[QuestionForm]:
        return _with_spare_rows(self.questions)

    @property
    def _parts(self) -> list[forms.BaseForm]:
        return [self.texts, *self.quotes, *self.questions]


def _with_spare_rows(rows: list[Any]) -> list[Any]:
    used = list_used(rows)
    for upper, lower in pairwise(used):
        rows[upper - 1].below = rows[lower - 1].prefix
        rows[lower - 1].above = rows[upper - 1].prefix
    return rows[: max(used, default=0) + SPARE_ROWS]


def swap_rows(data: QueryDict, rows: str) -> QueryDict:
    """Return the data with the contents of two rows exchanged.

    rows: prefixes of two quotes or two questions, "quote-1 quote-0"; others change nothing.
    """
    one, _space, other = rows.partition(" ")
    swapped = data.copy()
    for form in (QuoteForm, QuestionForm):
        pairs = [(f"{one}-{name}", f"{other}-{name}") for name in form.base_fields]
        if all(key in data for pair in pairs for key in pair):
            for upper, lower in pairs:
                swapped.setlist(upper, data.getlist(lower))
                swapped.setlist(lower, data.getlist(upper))
    return swapped


def _is_written(row: RowForm) -> bool:
    return not row.errors and not row.is_empty()


class FirstStepsForm(forms.Form):
    name = forms.CharField(label="Tu nombre", max_length=80)
    subject = forms.CharField(
        label="Qué enseñás", max_length=60, help_text="Por ejemplo: Inglés, Guitarra, Matemática."
    )
    days = forms.TypedMultipleChoiceField(
        label="Qué días das clases",
        choices=Weekday.choices,
        coerce=lambda value: Weekday(int(value)),
        widget=forms.CheckboxSelectMultiple,
        initial=[day.value for day in Weekday if day < Weekday.SATURDAY],
    )
    start = forms.TimeField(label="Desde", widget=CLOCK_INPUT, initial=time(9))
    end = forms.TimeField(label="Hasta", widget=CLOCK_INPUT, initial=time(18))
    minutes = forms.IntegerField(
        label="Cuántos minutos dura una clase",
        initial=60,
        validators=[MinValueValidator(10), MaxValueValidator(480)],
        widget=forms.NumberInput({"inputmode": "numeric"}),
    )
    amount = PesosField(
        label="Precio de una clase individual, en pesos", help_text="Por ejemplo 15.000."
    )
    group_amount = PesosField(
        label="Precio de una clase en grupo, en pesos",
        required=False,
        help_text="Por el grupo entero. Vacío: sin grupos por ahora.",
    )
    group_size = forms.IntegerField(
        label="Hasta cuántas personas",
        initial=4,
        required=False,
        validators=[MinValueValidator(2), MaxValueValidator(100)],
    )
    photo = PhotoField(**PHOTO)

    @property
    def has_extras(self) -> bool:
        names = ("group_amount", "group_size", "photo")
        return any(self[name].errors for name in names) or bool(self["group_amount"].value())

    @property
    def offer(self) -> FirstOffer:
        """Valid forms only."""
        return FirstOffer(
            minutes=self.cleaned_data["minutes"],
            amount=self.cleaned_data["amount"],
            group_amount=self.cleaned_data["group_amount"],
            group_size=self.cleaned_data["group_size"] or 0,
        )

    def clean(self) -> None:
        given = self.cleaned_data
        has_group = given.get("group_amount") is not None
        if has_group and given.get("group_size", "invalid") is None:
            self.add_error("group_size", "Escribí hasta cuántas personas entran.")
        if not {"start", "end", "minutes"} <= given.keys():
            return  # reported by the fields
        if _minutes_between(given["start"], given["end"]) < given["minutes"]:
            self.add_error("end", "En ese horario no entra ninguna clase: tiene que ser más largo.")


def _minutes_between(start: time, end: time) -> int:
    """Negative if the range ends before it starts."""
    midnight = 24 * 60
    return (end.hour * 60 + end.minute or midnight) - (start.hour * 60 + start.minute)
