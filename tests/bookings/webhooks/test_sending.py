"""One request: it always ends, goes where it may, and says what became of it."""

import socket
import ssl
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from bookings.webhooks import sending
from bookings.webhooks.sending import AddressError, is_public, parse_address, send

BODY = b'{"id":"1"}'


def test_a_redirect_is_not_followed(receiver, new_receiver):
    elsewhere = new_receiver()
    receiver.status, receiver.headers = 307, {"Location": elsewhere.address}

    answer = send(receiver.address, BODY, {})

    assert (answer.status, answer.failure) == (307, "Respondió 307: no seguimos redirecciones.")
    assert elsewhere.requests == []


def test_of_a_long_answer_only_the_beginning_is_read(receiver):
    receiver.body = b"\x00x" * 5_000

    answer = send(receiver.address, BODY, {})

    assert answer.is_success
    assert answer.excerpt == "x " * 249 + "x"


def test_a_receiver_that_hangs_is_left(receiver, in_a_hurry):
    let_go = threading.Event()
    receiver.meanwhile = lambda: let_go.wait(5)

    answer = send(receiver.address, BODY, {})
    let_go.set()

    assert (answer.status, answer.failure) == (None, "No contestó a tiempo.")
    assert answer.took < timedelta(seconds=4)


@pytest.fixture
def trickling():
    """A server that answers 200 at once, and sends a byte of the body every 0.05 seconds."""
    is_over = threading.Event()

    def trickle(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):  # the sender has gone
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n")
            while not is_over.wait(0.05):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=trickle, args=(server,))
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        is_over.set()
        thread.join()


def test_a_body_that_trickles_in_is_left_and_its_status_counts(trickling, in_a_hurry):
    answer = send(trickling, BODY, {})

    assert (answer.status, answer.is_success) == (200, True)
    assert answer.excerpt in ("x" * length for length in range(2, 12))
    assert answer.took < timedelta(seconds=4)


def test_what_a_receiver_asks_for_is_believed_up_to_an_hour(receiver):
    receiver.status, receiver.headers = 503, {"Retry-After": "120"}
    assert send(receiver.address, BODY, {}).wait == timedelta(minutes=2)

    receiver.headers = {"Retry-After": "99999"}
    assert send(receiver.address, BODY, {}).wait == timedelta(hours=1)


def test_nonsense_instead_of_http():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def babble():
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"220 mail.example.com ESMTP\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        answer = send(f"http://127.0.0.1:{port}/", BODY, {})
        thread.join()

    assert answer.failure == "Contestó algo que no es HTTP."


# --- Where it may go -----------------------------------------------------------------------------


@pytest.fixture
def _on_the_internet(settings):
    settings.WEBHOOKS_MAY_STAY_LOCAL = False


@pytest.fixture
def listening():
    """Tell whether anybody connected to a port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)

        def heard() -> bool:
            try:
                server.accept()[0].close()
            except TimeoutError:
                return False
            return True

        yield server.getsockname()[1], heard


OWN_NETWORK = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
]


@pytest.mark.usefixtures("_on_the_internet")
@pytest.mark.parametrize("host", OWN_NETWORK)
def test_no_spelling_of_this_machine_is_connected_to(listening, host):
    port, heard = listening

    answer = send(f"https://{host}:{port}/", BODY, {})

    assert not answer.is_success
    assert answer.status is None
    assert not heard()


@pytest.mark.usefixtures("_on_the_internet")
def test_what_is_connected_to_is_what_was_checked(listening, monkeypatch):
    """A name that leads to this machine at the second look: it is looked up once."""
    port, heard = listening
    looked_up, look_up_number = [], socket.getaddrinfo

    def look_up(host, *args, **kwargs):
        if host != "rebinding.example.com":
            return look_up_number(host, *args, **kwargs)
        looked_up.append(host)
        number = "93.184.216.34" if len(looked_up) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))]

    monkeypatch.setattr(sending.socket, "getaddrinfo", look_up)

    answer = send(f"https://rebinding.example.com:{port}/", BODY, {})

    assert not answer.is_success
    assert looked_up == ["rebinding.example.com"]
    assert not heard()


@pytest.mark.usefixtures("_on_the_internet")
@pytest.mark.parametrize(
    "number",
    [
        "10.0.0.8",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.8",
        "192.0.0.192",
        "0.0.0.0",  # noqa: S104
        "224.0.0.1",
        "255.255.255.255",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::",
        "::ffff:10.0.0.8",
        "2001:db8::1",
    ],
)
def test_own_and_special_networks_are_not_foreign(number):
    assert not is_public(number)


@pytest.mark.usefixtures("_on_the_internet")
@pytest.mark.parametrize("number", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_the_internet_is_public(number):
    assert is_public(number)


@pytest.mark.usefixtures("_on_the_internet")
@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/",
        "ftp://example.com/",
        "https://user:password@example.com/",
        "https://user@example.com/",
        "https://@example.com/",
        "https://example.com/#part",
        "https://",
        "https:///path",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://[::1/",
        "https://exa mple.com/",
        "https://example.com/\r\nX-Header:1",
        "https://example.com/ñ",
        "https://localhost/",
        "https://db.internal/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://example.com/" + "x" * 500,
        "example.com",
        "",
    ],
)
def test_bad_addresses_are_refused(address):
    with pytest.raises(AddressError):
        parse_address(address)


# --- TLS -----------------------------------------------------------------------------------------


@pytest.fixture
def certified(tmp_path, receiver):
    """Put the receiver behind a certificate for 127.0.0.1 of an authority of its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    return file


def test_a_trusted_certificate_is_taken(receiver, certified, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certified))

    assert send(f"https://127.0.0.1:{receiver.port}/", BODY, {}).status == 200


def test_a_certificate_of_nobody_we_trust_is_refused(receiver, certified):
    answer = send(f"https://127.0.0.1:{receiver.port}/", BODY, {})

    assert answer.failure == "Su certificado no es válido."
    assert receiver.requests == []
