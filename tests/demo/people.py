"""The demo's people."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """A made-up person. provider: ``google`` or ``github``; subject: the provider's id for them."""

    name: str
    email: str
    provider: str
    subject: str
    login: str = ""


TEACHER = DemoPerson("Paula Profe", "profe@demo.example", "google", "1000000000000000001")
ANA = DemoPerson("Ana Álvarez", "ana@demo.example", "google", "1000000000000000002")
BRUNO = DemoPerson("Bruno Benítez", "bruno@demo.example", "google", "1000000000000000003")
CARLA = DemoPerson("Carla Conti", "carla@demo.example", "google", "1000000000000000004")
DIEGO = DemoPerson("Diego Díaz", "diego@demo.example", "github", "50000005", login="diegodiaz")

# On her profile, so that a student with a link may write to her.
TEACHER_PHONE = "+54 9 341 555-0100"

# Without an account: the teacher wrote her down, and sends her a link.
LUCIA_NAME, LUCIA_PHONE = "Lucía Lagos", "+54 9 341 555-0199"

# Of Ana's class; the API's examples use it.
ACCESS_CODE = "7K2M9QXA"

STUDENTS = [ANA, BRUNO, CARLA, DIEGO]
EVERYBODY = [TEACHER, *STUDENTS]

# Made up, in the footer of every page; nobody has this CUIT's number.
SELLER = {
    "seller_name": "Paula Ferreyra",
    "cuit": "27-00000000-6",
    "address": "Calle Inventada 123, Rosario",
    "hours": "lunes a viernes de 9 a 18",
    "hours_en": "Monday to Friday, 9 to 18",
    "data_fiscal_url": "https://datafiscal.demo.example/?qr=demo",
}
