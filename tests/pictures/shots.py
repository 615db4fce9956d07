"""The pictures of the docs, the ways to their pages, and what happens in the demo before."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.demo.people import ANA, BRUNO, CARLA, DIEGO, TEACHER, DemoPerson
from tests.journeys.steps import pay, sign_in_over_http
from tests.processes import ROOT

FOLDER = ROOT / "docs" / "images"
NOW = datetime.fromisoformat("2027-03-03T09:30-03:00")  # a Wednesday without a holiday near it
SCREENS = {"telefono": (390, 900), "escritorio": (1280, 960)}  # CSS pixels
BOTH = tuple(SCREENS)
CLASSES, PAYMENTS = "/admin/bookings/virtualclass/", "/admin/bookings/payment/"
FULL_GROUP = "q=carla&status__exact=scheduled&class_type__exact=grupal"
CONVERSATION = "q=ana&status__exact=scheduled"
COMPLETED = "q=ana&status__exact=completed&class_type__exact=grupal"
RESERVE = "/inicio/reservar?tipo=individual&min=60"


class Scene:
    """A running demo, with a page for each person, screen and language."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.pages: dict[tuple[str, str, str], Page] = {}
        self.confirmation = ""  # the page after Carla's payment

    def open_page(
        self, person: DemoPerson | None, screen: str = "escritorio", language: str = "es"
    ) -> Page:
        """Return the page of a person who is signed in; of a visitor without one."""
        key = (person.email if person else "", screen, language)
        if key not in self.pages:
            width, height = SCREENS[screen]
            window = self.browser.new_context(
                base_url=self.address,
                viewport={"width": width, "height": height},
                locale="es-AR",
                timezone_id="America/Argentina/Buenos_Aires",
                reduced_motion="reduce",
            )
            window.clock.set_fixed_time(NOW)
            window.set_default_timeout(15_000)
            self.pages[key] = page = window.new_page()
            if person:
                sign_in_over_http(window.request, person.provider, person.email)
            if language != "es":
                page.goto("/inicio/perfil" if person else "/")
                page.locator(f".language-switch [value={language}]").click()
        return self.pages[key]

    def prepare(self) -> None:
        """Let students book, pay, wait for a place and dispute a payment."""
        self._book_and_pay(CARLA, "2027-03-11", "17:00")
        payment = self.open_page(CARLA).get_by_role("link", name="Ver el pago")
        self.confirmation = payment.get_attribute("href") or ""
        checkout = self._book_and_pay(BRUNO, "2027-03-12", "10:00")
        page = self.open_page(ANA)
        page.goto(f"/inicio/unirse/{self.read_code(FULL_GROUP)}")
        page.get_by_role("button", name="Avisame si se libera un lugar").click()
        page = self.open_page(None)
        page.goto(checkout)
        page.get_by_role("button", name=re.compile("Desconocer el pago")).click()
        page = self.open_page(TEACHER)
        for _ in range(40):
            page.goto(f"{PAYMENTS}?revisar=si&q=bruno")
            if page.locator("#result_list tbody th").count():
                return
            page.wait_for_timeout(500)

    def open_class(self, page: Page, query: str) -> None:
        """Open the first class of the panel's list that matches."""
        page.goto(f"{CLASSES}?{query}")
        page.locator("#result_list tbody th a").first.click()

    def read_code(self, query: str) -> str:
        """Return the access code of the first class of the panel's list that matches."""
        page = self.open_page(TEACHER)
        self.open_class(page, query)
        code = page.locator("details.more dt:text-is('Código de acceso') + dd")
        return (code.text_content() or "").strip()

    def revoke_grant(self) -> None:
        """Take the teacher's grant back at Google, as she can in her account there."""
        http = self.browser.new_context().request
        token = http.get(f"{self.address}/api/auth/csrf").json()["csrfToken"]
        start = f"{self.address}/api/auth/signin/google"
        answer = http.post(start, form={"csrfToken": token, "json": "true"}).json()
        google = urlsplit(answer["url"])
        wanted = dict(parse_qsl(google.query))
        query = {name: wanted[name] for name in ("client_id", "redirect_uri", "scope", "state")}
        page = google._replace(query=urlencode({**query, "response_type": "code"})).geturl()
        consent = http.post(page, form={"email": TEACHER.email}, max_redirects=0)
        code = dict(parse_qsl(urlsplit(consent.headers["location"]).query))["code"]
        client = {"client_id": wanted["client_id"], "client_secret": "demo-google-secret"}
        grant = {"grant_type": "authorization_code", "redirect_uri": wanted["redirect_uri"]}
        root = f"{google.scheme}://{google.netloc}/oauth2"
        tokens = http.post(f"{root}/token", form={**client, **grant, "code": code}).json()
        assert http.post(f"{root}/revoke", form={"token": tokens["access_token"]}).ok

    def _book_and_pay(self, person: DemoPerson, day: str, clock: str) -> str:
        """Book an individual class and pay it; return the address of its checkout."""
        page = self.open_page(person)
        page.goto(f"{RESERVE}&dia={day}&hora={clock}")
        page.get_by_role("button", name="Continuar").click()
        page.get_by_label("¿Qué te gustaría practicar?").fill("Presentaciones de trabajo.")
        page.get_by_role("button", name="Pagar con Mercado Pago").click()
        expect(page).to_have_title(re.compile("Mercado Pago"))
        checkout = page.url
        pay(page)
        return checkout


# --- The ways to the pages ------------------------------------------------------------------------

Way = Callable[[Scene, Page], object]


def at(path: str) -> Way:
    return lambda scene, page: page.goto(path)


def follow(path: str, link: str) -> Way:
    """Open the first link of a page whose address begins so; on phones it may be folded away."""

    def go(scene: Scene, page: Page) -> None:
        page.goto(path)
        page.goto(page.locator(f"a[href^='{link}']").first.get_attribute("href") or "")

    return go


def click(way: Way, link: str, heading: str = "") -> Way:
    """Go a way, then click a link; wait for a heading."""

    def go(scene: Scene, page: Page) -> None:
        way(scene, page)
        page.get_by_role("link", name=link).click()
        if heading:
            expect(page.get_by_role("heading", name=heading)).to_be_visible()

    return go


def of_conversation(rest: str) -> Way:
    """Lead to a page of Ana's group class, which the home links to first."""

    def go(scene: Scene, page: Page) -> None:
        page.goto("/inicio/clases")
        page.locator("a[href^='/inicio/clases/']").first.click()
        page.goto(page.url.partition("?")[0] + rest)

    return go


def class_sheet(query: str) -> Way:
    return lambda scene, page: scene.open_class(page, query)


def first_of(path: str, rows: str) -> Way:
    def go(scene: Scene, page: Page) -> None:
        page.goto(path)
        page.locator(rows).first.click()

    return go


def payment_of(name: str) -> Way:
    return first_of(f"{PAYMENTS}?q={name}", "#result_list tbody th a")


def person(name: str) -> Way:
    return first_of(f"/admin/estudiantes/?q={name}", "main .rows a")


def class_of(name: str) -> Way:
    """Open a person's next class, from her page in the panel."""

    def go(scene: Scene, page: Page) -> None:
        person(name)(scene, page)
        page.locator("#ahead + .rows a").first.click()

    return go


def hold_a_time(scene: Scene, page: Page) -> None:
    page.goto(f"{RESERVE}&dia=2027-03-09&hora=11:00")
    page.locator("#summary button").click()
    expect(page.get_by_role("timer")).to_be_visible()


def apply_a_code(scene: Scene, page: Page) -> None:
    hold_a_time(scene, page)
    page.locator(".form-more summary").click()
    page.get_by_label("Código de descuento").fill("BIENVENIDA")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.get_by_role("heading", name="Aplicamos tu código")).to_be_visible()


def close_days_with_classes(scene: Scene, page: Page) -> None:
    page.goto("/admin/bookings/closure/add/")
    page.locator("[name=first_day]").fill("2027-03-04")
    page.locator("[name=last_day]").fill("2027-03-05")
    page.locator("[name=reason]").fill("Congreso de docentes")
    page.locator("[name=_save]").click()
    expect(page.get_by_text("sigue agendada").first).to_be_visible()


def move_a_class(scene: Scene, page: Page) -> None:
    scene.open_class(page, CONVERSATION)
    page.get_by_role("link", name="Cambiar el horario").click()
    page.get_by_label("Día", exact=True).fill("2027-03-15")
    page.get_by_label("Hora", exact=True).fill("18:00")
    page.get_by_label("Hora", exact=True).blur()
    expect(page.get_by_role("heading", name="Qué va a pasar")).to_be_visible()


def open_link_of_lucia(scene: Scene, page: Page) -> None:
    """Open the link as she does: without an account."""
    class_of("lucia")(scene, page)
    link = page.locator("#link-address").input_value()
    page.context.clear_cookies()
    page.goto(link)


def write(scene: Scene, page: Page) -> None:
    """Show a message to Ana's group before it leaves."""
    click(class_of("ana"), "Escribir a todos")(scene, page)
    page.get_by_label("Asunto").fill("Para la clase")
    page.get_by_label("Mensaje").fill("Hola:\n\ntraigan tres preguntas sobre un viaje.")
    expect(page.get_by_role("heading", name="Así llega")).to_be_visible()


def hold_a_seat(scene: Scene, page: Page) -> None:
    follow("/clases-abiertas", "/clases-abiertas/")(scene, page)
    reserve = page.get_by_role("button", name="Reservar mi lugar")
    if reserve.count():  # on the second screen she has it already
        reserve.click()
        page.wait_for_load_state()
    follow("/clases-abiertas", "/clases-abiertas/")(scene, page)
    page.get_by_role("link", name="Ver mi lugar").click()


def type_half_a_code(scene: Scene, page: Page) -> None:
    page.goto("/inicio/unirse")
    page.locator("main [name=access_code]").fill("7K2M9")
    page.locator("main [name=access_code]").press("Enter")


def lose_the_grant(scene: Scene, page: Page) -> None:
    scene.revoke_grant()
    page.goto("/admin/calendario/")
    expect(page.get_by_text("Google ya no acepta la conexión")).to_be_visible()


def ask_for_help(scene: Scene, page: Page) -> None:
    lose_the_grant(scene, page)
    page.goto("/admin/tecnico/")


# --- The pictures, in order: some change the pages of the later ones -----------------------------


@dataclass(frozen=True)
class Shot:
    """A page to be photographed: a file for each screen. only: selector of the part shown."""

    name: str
    person: DemoPerson | None
    go: Way
    screens: tuple[str, ...] = BOTH
    language: str = "es"
    only: str = ""

    def file(self, screen: str) -> Path:
        # With a dot, Sphinx would show the English picture on Spanish pages too.
        suffix = "" if self.language == "es" else f"-{self.language}"
        return FOLDER / f"{self.name}-{screen}{suffix}.webp"


DESK = ("escritorio",)
PART = "section[aria-labelledby='{}']"
SHOTS = [
    Shot("portada", None, at("/")),
    Shot("reservar", None, at(f"{RESERVE}&dia=2027-03-09")),
    Shot("inicio", ANA, at("/inicio")),
    Shot("clase", ANA, of_conversation("")),
    Shot("horario", ANA, of_conversation("/horario")),
    Shot("cancelar", ANA, of_conversation("/cancelar")),
    Shot("clases-abiertas", None, at("/clases-abiertas")),
    Shot("clase-abierta", None, follow("/clases-abiertas", "/clases-abiertas/")),
    Shot("ingresar", None, at("/inicio")),
    Shot("embebido", None, at("/horarios/embebido")),
    Shot("privacidad", None, at("/privacidad")),
    Shot("sin-conexion", None, at("/sin-conexion")),
    Shot("mis-clases", ANA, at("/inicio/clases")),
    Shot("en-espera", ANA, follow("/inicio", "/inicio/espera/")),
    Shot("perfil", ANA, at("/inicio/perfil")),
    Shot("borrar-cuenta", ANA, at("/inicio/perfil/borrar")),
    Shot(
        "invitacion",
        DIEGO,
        lambda scene, page: page.goto(f"/inicio/unirse/{scene.read_code(CONVERSATION)}"),
    ),
    Shot("unirse", DIEGO, type_half_a_code),
    Shot("confirmacion", CARLA, lambda scene, page: page.goto(scene.confirmation)),
    Shot("hoy", TEACHER, at("/admin/")),
    Shot("semana", TEACHER, at("/admin/semana/")),
    Shot("calendario", TEACHER, at("/admin/calendario/")),
    Shot("horarios", TEACHER, at("/admin/bookings/weeklyhours/")),
    Shot("reglas", TEACHER, at("/admin/bookings/bookingrules/1/change/"), DESK),
    Shot("precios", TEACHER, at("/admin/precios/")),
    Shot("ofertas", TEACHER, at("/admin/ofertas/")),
    Shot("oferta", TEACHER, follow("/admin/ofertas/", "/admin/ofertas/2")),
    Shot("clases", TEACHER, at(CLASSES)),
    Shot("ficha", TEACHER, class_sheet(CONVERSATION)),
    Shot("espera", TEACHER, class_sheet(FULL_GROUP), DESK, only=".sheet-people"),
    Shot("mover", TEACHER, move_a_class, DESK),
    Shot(
        "pagada",
        TEACHER,
        click(class_sheet("q=ana&status__exact=pending"), "Marcar como pagada y agendar"),
        DESK,
    ),
    Shot("faltas", TEACHER, class_sheet(COMPLETED), DESK, only=".sheet-people"),
    Shot("pagos", TEACHER, at(PAYMENTS)),
    Shot(
        "devolver",
        TEACHER,
        click(payment_of("carla"), "Devolver una parte", "Qué va a pasar"),
        DESK,
    ),
    Shot("disputa", TEACHER, payment_of("bruno"), DESK),
    Shot("meses", TEACHER, at(f"{PAYMENTS}meses/"), DESK),
    Shot("estudiantes", TEACHER, at("/admin/estudiantes/")),
    Shot("persona", TEACHER, person("ana")),
    Shot("escribir", TEACHER, write),
    Shot("precios-nuevos", TEACHER, at("/admin/precios/")),
    Shot("dinero", TEACHER, at("/admin/dinero/")),
    Shot("transferencias", TEACHER, at("/admin/transferencias/")),
    Shot("transferencia", ANA, first_of("/inicio/clases", ".class-card-pending a")),
    Shot("mas", TEACHER, at("/admin/mas/")),
    Shot("tecnico", TEACHER, at("/admin/tecnico/")),
    Shot("pagina", TEACHER, at("/admin/pagina/")),
    Shot("hora", TEACHER, follow("/admin/semana/?semana=2027-03-08", "/admin/semana/hora/")),
    Shot("dia", TEACHER, at("/admin/semana/dia/?dia=2027-03-11")),
    Shot("reservarle", TEACHER, click(person("ana"), "Reservarle una clase")),
    Shot("codigos", TEACHER, at("/admin/bookings/discountcode/")),
    Shot("codigo", TEACHER, click(at("/admin/bookings/discountcode/"), "AMIGOS")),
    Shot("enlace", TEACHER, class_of("lucia")),
    Shot("abiertas", TEACHER, at("/admin/abiertas/")),
    Shot("publicar", TEACHER, at("/admin/abiertas/nueva/")),
    Shot("abierta", TEACHER, follow("/admin/abiertas/", "/admin/clase/")),
    Shot("cierre", TEACHER, close_days_with_classes, DESK),
    Shot("detalles", DIEGO, hold_a_time),
    Shot("descuento", DIEGO, apply_a_code),
    Shot("lugar", ANA, hold_a_seat),
    Shot("desconectado", TEACHER, lose_the_grant, DESK),
    Shot("ayuda", TEACHER, ask_for_help, DESK, only=".service"),
    Shot("enlace-abierto", TEACHER, open_link_of_lucia),  # it signs the teacher out
    # Last: a person keeps her language.
    Shot("reservar", None, at(f"{RESERVE}&dia=2027-03-09"), ("telefono",), "en"),
    Shot("clase", ANA, of_conversation(""), ("telefono",), "en"),
]
