"""The pictures, in the order in which they are taken: some change the pages of the later ones."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.demo.people import ANA, CARLA, DIEGO, TEACHER, DemoPerson
from tests.pictures.camera import DESK, PHONE
from tests.pictures.scene import FULL_GROUP, PAYMENTS, Scene

SCREENS = {"telefono": PHONE, "escritorio": DESK}
BOTH = ("telefono", "escritorio")
CONVERSATION = "q=ana&status__exact=scheduled"
COMPLETED = "q=ana&status__exact=completed&class_type__exact=grupal"
A_WEEK = "/admin/semana/?semana=2027-03-08"


@dataclass(frozen=True)
class Shot:
    """A page to be photographed.

    go: leads a new page there. screens: a file for each. only: as ``take``.
    """

    name: str
    person: DemoPerson | None
    go: Callable[[Scene, Page], object]
    screens: tuple[str, ...] = ("escritorio",)
    language: str = "es"
    only: str = ""

    def file_name(self, screen: str) -> str:
        """Return ``inicio-telefono.webp``, or ``inicio-telefono-en.webp`` for an English page.

        With a dot, Sphinx would show the English picture on Spanish pages too.
        """
        suffix = "" if self.language == "es" else f"-{self.language}"
        return f"{self.name}-{screen}{suffix}.webp"


def at(path: str) -> Callable[[Scene, Page], object]:
    return lambda scene, page: page.goto(path)


def _of_conversation(rest: str) -> Callable[[Scene, Page], None]:
    """Lead to a page of Ana's group class, which the home links to first."""

    def go(scene: Scene, page: Page) -> None:
        page.goto("/inicio/clases")
        page.locator("a[href^='/inicio/clases/']").first.click()
        page.goto(page.url.partition("?")[0] + rest)

    return go


def _hold_a_time(scene: Scene, page: Page) -> None:
    page.goto("/inicio/reservar?tipo=individual&min=60&dia=2027-03-09&hora=11:00")
    page.locator("#summary button").click()
    expect(page.get_by_role("timer")).to_be_visible()


def _apply_a_code(scene: Scene, page: Page) -> None:
    _hold_a_time(scene, page)
    page.locator(".form-more summary").click()
    page.get_by_label("Código de descuento").fill("BIENVENIDA")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.get_by_role("heading", name="Aplicamos tu código")).to_be_visible()


def _open_code(scene: Scene, page: Page) -> None:
    page.goto("/admin/bookings/discountcode/")
    page.get_by_role("link", name="AMIGOS").click()


def _pay_by_transfer(scene: Scene, page: Page) -> None:
    page.goto("/inicio/clases")
    page.locator(".class-card-pending a").first.click()
    expect(page.get_by_label("Número de operación")).to_be_visible()


def _step(query: str, label: str) -> Callable[[Scene, Page], None]:
    return lambda scene, page: scene.open_step(page, query, label)


def _class(query: str) -> Callable[[Scene, Page], None]:
    return lambda scene, page: scene.open_class(page, query)


def _part(name: str) -> str:
    return f"section[aria-labelledby='{name}']"


def _close_days_with_classes(scene: Scene, page: Page) -> None:
    page.goto("/admin/bookings/closure/add/")
    page.locator("[name=first_day]").fill("2027-03-04")
    page.locator("[name=last_day]").fill("2027-03-05")
    page.locator("[name=reason]").fill("Congreso de docentes")
    page.locator("[name=_save]").click()
    expect(page.get_by_text("sigue agendada").first).to_be_visible()


def _move_a_class(scene: Scene, page: Page) -> None:
    scene.open_class(page, CONVERSATION)
    page.get_by_label("Día").fill("2027-03-15")
    page.get_by_label("Hora").fill("18:00")
    page.get_by_role("button", name="Cambiar el horario").click()
    expect(page.get_by_role("heading", name="Qué va a pasar")).to_be_visible()


def _payment_of(name: str) -> Callable[[Scene, Page], None]:
    def go(scene: Scene, page: Page) -> None:
        page.goto(f"{PAYMENTS}?q={name}")
        page.locator("#result_list tbody th a").first.click()

    return go


def _give_part_back(scene: Scene, page: Page) -> None:
    _payment_of("carla")(scene, page)
    page.get_by_role("link", name="Devolver una parte").click()
    expect(page.get_by_role("heading", name="Qué va a pasar")).to_be_visible()


def _person(name: str) -> Callable[[Scene, Page], None]:
    def go(scene: Scene, page: Page) -> None:
        page.goto(f"/admin/estudiantes/?q={name}")
        page.locator("main .rows a").first.click()

    return go


def _book_for_ana(scene: Scene, page: Page) -> None:
    _person("ana")(scene, page)
    page.get_by_role("link", name="Reservarle una clase").click()


def _link_of_lucia(scene: Scene, page: Page) -> None:
    """Show the link of a class of somebody without an account."""
    _person("lucia")(scene, page)
    page.locator("#ahead + .rows a").first.click()


def _open_link_of_lucia(scene: Scene, page: Page) -> None:
    """Open the link as she does: without an account."""
    _link_of_lucia(scene, page)
    link = page.locator("#link-address").input_value()
    page.context.clear_cookies()
    page.goto(link)


def _write(scene: Scene, page: Page) -> None:
    """Show a message to Ana's group before it leaves."""
    _person("ana")(scene, page)
    page.locator("#ahead + .rows a").first.click()
    page.get_by_role("link", name="Escribir a todos").click()
    page.get_by_label("Asunto").fill("Para la clase")
    page.get_by_label("Mensaje").fill("Hola:\n\ntraigan tres preguntas sobre un viaje.")
    page.get_by_role("button", name="Ver cómo llega").click()


def _follow(page_path: str, link: str) -> Callable[[Scene, Page], None]:
    """Open the first link of a page whose address begins so; on phones it may be folded away."""

    def go(scene: Scene, page: Page) -> None:
        page.goto(page_path)
        address = page.locator(f"a[href^='{link}']").first.get_attribute("href")
        page.goto(address or "")

    return go


def _hold_a_seat(scene: Scene, page: Page) -> None:
    _follow("/clases-abiertas", "/clases-abiertas/")(scene, page)
    reserve = page.get_by_role("button", name="Reservar mi lugar")
    if reserve.count():  # on the second screen she has it already
        reserve.click()
        page.wait_for_load_state()
    _follow("/clases-abiertas", "/clases-abiertas/")(scene, page)
    page.get_by_role("link", name="Ver mi lugar").click()


def _see_invitation(scene: Scene, page: Page) -> None:
    page.goto(f"/inicio/unirse/{scene.read_code(CONVERSATION)}")


def _type_half_a_code(scene: Scene, page: Page) -> None:
    page.goto("/inicio/unirse")
    page.locator("main [name=access_code]").fill("7K2M9")
    page.locator("main [name=access_code]").press("Enter")


def _lose_the_grant(scene: Scene, page: Page) -> None:
    scene.revoke_grant()
    page.goto("/admin/calendario/")
    expect(page.get_by_text("Google ya no acepta la conexión")).to_be_visible()


def _ask_for_help(scene: Scene, page: Page) -> None:
    _lose_the_grant(scene, page)
    page.goto("/admin/tecnico/")


STUDENTS_OWN = [
    ("portada", None, at("/")),
    ("reservar", None, at("/inicio/reservar?tipo=individual&min=60&dia=2027-03-09")),
    ("inicio", ANA, at("/inicio")),
    ("clase", ANA, _of_conversation("")),
    ("horario", ANA, _of_conversation("/horario")),
    ("cancelar", ANA, _of_conversation("/cancelar")),
    ("clases-abiertas", None, at("/clases-abiertas")),
    ("clase-abierta", None, _follow("/clases-abiertas", "/clases-abiertas/")),
    ("ingresar", None, at("/inicio")),
    ("embebido", None, at("/horarios/embebido")),
    ("privacidad", None, at("/privacidad")),
    ("sin-conexion", None, at("/sin-conexion")),
    ("mis-clases", ANA, at("/inicio/clases")),
    ("en-espera", ANA, _follow("/inicio", "/inicio/espera/")),
    ("perfil", ANA, at("/inicio/perfil")),
    ("borrar-cuenta", ANA, at("/inicio/perfil/borrar")),
    ("invitacion", DIEGO, _see_invitation),
    ("unirse", DIEGO, _type_half_a_code),
    ("confirmacion", CARLA, lambda scene, page: page.goto(scene.confirmation)),
]
# In the English handbook too.
IN_ENGLISH = ("reservar", "clase")
SHOTS = [
    *(Shot(*page, screens=BOTH) for page in STUDENTS_OWN),
    Shot("hoy", TEACHER, at("/admin/"), screens=BOTH),
    Shot("semana", TEACHER, at("/admin/semana/"), screens=BOTH),
    Shot("calendario", TEACHER, at("/admin/calendario/"), screens=BOTH),
    Shot("horarios", TEACHER, at("/admin/bookings/weeklyhours/"), screens=BOTH),
    Shot("reglas", TEACHER, at("/admin/bookings/bookingrules/1/change/")),
    Shot("precios", TEACHER, at("/admin/bookings/price/"), screens=BOTH),
    Shot("ofertas", TEACHER, at("/admin/ofertas/"), screens=BOTH),
    Shot("oferta", TEACHER, _follow("/admin/ofertas/", "/admin/ofertas/2"), screens=BOTH),
    Shot("clases", TEACHER, at("/admin/bookings/virtualclass/"), screens=BOTH),
    Shot("ficha", TEACHER, _class(CONVERSATION), screens=BOTH),
    Shot("espera", TEACHER, _class(FULL_GROUP), only=_part("waiting")),
    Shot("mover", TEACHER, _move_a_class),
    Shot("pagada", TEACHER, _step("q=ana&status__exact=pending", "Marcar como pagada y agendar")),
    Shot("faltas", TEACHER, _class(COMPLETED), only=_part("people")),
    Shot("pagos", TEACHER, at(PAYMENTS), screens=BOTH),
    Shot("devolver", TEACHER, _give_part_back),
    Shot("disputa", TEACHER, _payment_of("bruno")),
    Shot("meses", TEACHER, at(f"{PAYMENTS}meses/")),
    Shot("estudiantes", TEACHER, at("/admin/estudiantes/"), screens=BOTH),
    Shot("persona", TEACHER, _person("ana"), screens=BOTH),
    Shot("escribir", TEACHER, _write, screens=BOTH),
    Shot("precios-nuevos", TEACHER, at("/admin/precios/"), screens=BOTH),
    Shot("dinero", TEACHER, at("/admin/dinero/"), screens=BOTH),
    Shot("transferencias", TEACHER, at("/admin/transferencias/"), screens=BOTH),
    Shot("transferencia", ANA, _pay_by_transfer, screens=BOTH),
    Shot("mas", TEACHER, at("/admin/mas/"), screens=BOTH),
    Shot("tecnico", TEACHER, at("/admin/tecnico/"), screens=BOTH),
    Shot("pagina", TEACHER, at("/admin/pagina/"), screens=BOTH),
    Shot("hora", TEACHER, _follow(A_WEEK, "/admin/semana/hora/"), screens=BOTH),
    Shot("dia", TEACHER, at("/admin/semana/dia/?dia=2027-03-11"), screens=BOTH),
    Shot("reservarle", TEACHER, _book_for_ana, screens=BOTH),
    Shot("codigos", TEACHER, at("/admin/bookings/discountcode/"), screens=BOTH),
    Shot("codigo", TEACHER, _open_code, screens=BOTH),
    Shot("enlace", TEACHER, _link_of_lucia, screens=BOTH),
    Shot("abiertas", TEACHER, at("/admin/abiertas/"), screens=BOTH),
    Shot("publicar", TEACHER, at("/admin/abiertas/nueva/"), screens=BOTH),
    Shot("abierta", TEACHER, _follow("/admin/abiertas/", "/admin/clase/"), screens=BOTH),
    Shot("cierre", TEACHER, _close_days_with_classes),
    Shot("detalles", DIEGO, _hold_a_time, screens=BOTH),
    Shot("descuento", DIEGO, _apply_a_code, screens=BOTH),
    Shot("lugar", ANA, _hold_a_seat, screens=BOTH),
    Shot("desconectado", TEACHER, _lose_the_grant),
    Shot("ayuda", TEACHER, _ask_for_help, only=".service"),
    # It signs the teacher out.
    Shot("enlace-abierto", TEACHER, _open_link_of_lucia, screens=BOTH),
    # Last: a person keeps her language.
    *(
        Shot(*page, screens=("telefono",), language="en")
        for page in STUDENTS_OWN
        if page[0] in IN_ENGLISH
    ),
]
