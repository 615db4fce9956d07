"""What happens in the demo before its pictures are taken, and the ways to its pages."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.demo.people import ANA, BRUNO, CARLA, TEACHER, DemoPerson
from tests.journeys.steps import pay, sign_in_over_http
from tests.pictures.camera import DESK, open_context

CLASSES = "/admin/bookings/virtualclass/"
PAYMENTS = "/admin/bookings/payment/"
FULL_GROUP = "q=carla&status__exact=scheduled&class_type__exact=grupal"


@dataclass
class Scene:
    """A running demo, with a page for each person, width and language."""

    browser: Browser
    address: str
    pages: dict[tuple[str, int, str], Page] = field(default_factory=dict)
    confirmation: str = ""  # the page after Carla's payment

    def open_page(
        self, person: DemoPerson | None, *, width: int = DESK, language: str = "es"
    ) -> Page:
        """Return the page of a person who is signed in; of a visitor without one."""
        key = (person.email if person else "", width, language)
        if key not in self.pages:
            window = open_context(self.browser, self.address, width=width)
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
        self._wait_for_a_place()
        page = self.open_page(None)
        page.goto(checkout)
        page.get_by_role("button", name=re.compile("Desconocer el pago")).click()
        self._wait_for_review()

    def open_class(self, page: Page, query: str) -> None:
        """Open the first class of the panel's list that matches."""
        page.goto(f"{CLASSES}?{query}")
        page.locator("#result_list tbody th a").first.click()

    def open_step(self, page: Page, query: str, label: str) -> None:
        self.open_class(page, query)
        page.get_by_role("link", name=label).click()

    def read_code(self, query: str) -> str:
        """Return the access code of the first class of the panel's list that matches."""
        page = self.open_page(TEACHER)
        self.open_class(page, query)
        code = page.locator("details.more dt:text-is('Código de acceso') + dd")
        return (code.text_content() or "").strip()

    def _book_and_pay(self, person: DemoPerson, day: str, clock: str) -> str:
        """Book an individual class and pay it; return the address of its checkout."""
        page = self.open_page(person)
        page.goto(f"/inicio/reservar?tipo=individual&min=60&dia={day}&hora={clock}")
        page.get_by_role("button", name="Continuar").click()
        page.get_by_label("¿Qué te gustaría practicar?").fill("Presentaciones de trabajo.")
        page.get_by_role("button", name="Pagar con Mercado Pago").click()
        expect(page).to_have_title(re.compile("Mercado Pago"))
        checkout = page.url
        pay(page)
        return checkout

    def _wait_for_a_place(self) -> None:
        """Put Ana on the waiting list of Carla's group, which is full."""
        code = self.read_code(FULL_GROUP)
        page = self.open_page(ANA)
        page.goto(f"/inicio/unirse/{code}")
        page.get_by_role("button", name="Avisame si se libera un lugar").click()

    def _wait_for_review(self) -> None:
        page = self.open_page(TEACHER)
        for _ in range(40):
            page.goto(f"{PAYMENTS}?revisar=si&q=bruno")
            if page.locator("#result_list tbody th").count():
                break
            page.wait_for_timeout(500)

    def revoke_grant(self) -> None:
        """Take the teacher's grant back at Google, as she can in her account there."""
        http = self.browser.new_context().request
        token = http.get(f"{self.address}/api/auth/csrf").json()["csrfToken"]
        form = {"csrfToken": token, "json": "true"}
        start = http.post(f"{self.address}/api/auth/signin/google", form=form).json()
        google = urlsplit(start["url"])
        wanted = dict(parse_qsl(google.query))
        query = {name: wanted[name] for name in ("client_id", "redirect_uri", "scope", "state")}
        page = google._replace(query=urlencode({**query, "response_type": "code"})).geturl()
        consent = http.post(page, form={"email": TEACHER.email}, max_redirects=0)
        code = dict(parse_qsl(urlsplit(consent.headers["location"]).query))["code"]
        root = f"{google.scheme}://{google.netloc}"
        client = {"client_id": wanted["client_id"], "client_secret": "demo-google-secret"}
        answer = http.post(
            f"{root}/oauth2/token",
            form={
                **client,
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": wanted["redirect_uri"],
            },
        )
        token = answer.json()["access_token"]
        if not http.post(f"{root}/oauth2/revoke", form={"token": token}).ok:
            raise RuntimeError("the grant was not revoked")
