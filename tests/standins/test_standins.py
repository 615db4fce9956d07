"""What other tests take on trust: the signature of a notification, and the files of mails."""

import smtplib
from email import message_from_bytes, policy
from email.message import EmailMessage

import requests

from tests.standins.mail import MailStandin
from tests.standins.mercadopago.notices import signature


def test_signature_agrees_with_the_known_vector():
    v1 = signature("s3cr3t", "123456789", "7b3f1a52-0000-4000-8000-000000000001", "1704908010")

    assert v1 == "817598a5b29856728ac2e00f2de9451feb9f4481c4a1daadf3df92bd8461cc0d"


def test_mail_is_a_file_with_its_attachment(tmp_path):
    message = EmailMessage()
    message["From"], message["To"] = "profe@demo.example", "ana@demo.example"
    message["Subject"] = "Tu clase: lunes/martes"
    message.set_content("Hola\n.punto")
    message.add_attachment("BEGIN:VCALENDAR", subtype="calendar", filename="clase.ics")

    with MailStandin() as mail:
        mail.folder = tmp_path
        with smtplib.SMTP(*mail.smtp.address) as client:
            client.send_message(message)
        answer = requests.get(f"{mail.url}/1.eml", timeout=5)

    [file] = tmp_path.iterdir()
    assert file.name == "001-ana@demo.example-Tu-clase-lunes-martes.eml"
    assert answer.content == file.read_bytes()
    read = message_from_bytes(file.read_bytes(), policy=policy.default)
    [attached] = read.iter_attachments()
    assert read.get_body().get_content().splitlines() == ["Hola", ".punto"]
    assert attached.get_filename() == "clase.ics"
    assert attached.get_content().strip() == "BEGIN:VCALENDAR"
