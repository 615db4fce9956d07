"""The stand-in of a mail service: what comes by SMTP can be read on its page and as a file."""

import smtplib
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
import requests

from tests.standins.mail import MailStandin


@pytest.fixture
def mail(tmp_path: Path) -> Iterator[MailStandin]:
    with MailStandin() as standin:
        standin.folder = tmp_path
        yield standin


def send(standin: MailStandin, subject: str, text: str, html: str = "") -> None:
    message = EmailMessage()
    message["From"], message["To"] = "Clases <profe@demo.example>", "ana@demo.example"
    message["Subject"] = subject
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    with smtplib.SMTP(*standin.smtp.address) as client:
        client.send_message(message)


def get(standin: MailStandin, path: str) -> requests.Response:
    return requests.get(standin.url + path, timeout=5)


def test_mails_are_listed_the_newest_first(mail: MailStandin) -> None:
    assert "Todavía no llegó ninguno" in get(mail, "/").text
    send(mail, "Tu clase de mañana", "Hola")
    send(mail, "<b>Otra</b> cosa", "Hola")

    page = get(mail, "/").text

    assert page.index("&lt;b&gt;Otra&lt;/b&gt; cosa") < page.index("Tu clase de mañana")
    assert "ana@demo.example" in page


def test_mail_is_shown_as_html_in_a_closed_frame_and_as_text(mail: MailStandin) -> None:
    send(mail, "Clase", "Hola, Ana\n.punto", "<p>Hola, <b>Ana</b></p><script>1</script>")

    page = get(mail, "/1").text

    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page
    assert "&lt;p&gt;Hola, &lt;b&gt;Ana&lt;/b&gt;&lt;/p&gt;" in page
    assert "<script>" not in page
    assert "Hola, Ana\n.punto" in page


def test_mail_without_html_is_shown(mail: MailStandin) -> None:
    send(mail, "Clase", "Hola <Ana>")

    assert "Hola &amp;lt;Ana&amp;gt;" in get(mail, "/1").text


def test_mail_is_a_file_that_mail_programs_read(mail: MailStandin, tmp_path: Path) -> None:
    send(mail, "Tu clase: lunes/martes", "Hola")

    answer = get(mail, "/1.eml")

    [file] = tmp_path.iterdir()
    assert file.name == "001-ana@demo.example-Tu-clase-lunes-martes.eml"
    assert answer.content == file.read_bytes()
    assert answer.headers["Content-Type"] == "message/rfc822"
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert message["subject"] == "Tu clase: lunes/martes"


@pytest.mark.parametrize("path", ["/0", "/1", "/1.eml", "/99999999"])
def test_mail_that_never_came_is_not_found(mail: MailStandin, path: str) -> None:
    assert get(mail, path).status_code == 404
