"""config/monitoring/sentry.py: what an error report holds; and that none leaves unasked."""

import gzip
import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import brotli
import pytest

from tests.processes import ROOT

PACKAGES = ("sentry_sdk", "googleapiclient", "google.auth", "httplib2")
CODE, ADDRESS, TOKEN = "7K2M9QXA", "ana@example.com", "ya29.a0AfH6SMBx-secret"

SECRETS = {
    "code": CODE,
    "mail": ADDRESS,
    "token": TOKEN,
    "cookie": "s3cr3t",
    "forwarded": "10.1.2.3",
    "address": "10.9.8.7",
}

# What a start without an address imports; then, with one, a page breaks in a way that repeats
# everything that no report may. The values come from outside: a report quotes the lines of code
# around the error, on Python 3.13 those of -c as well.
BREAK = """
import json, logging, os, runpy, sys
import django
django.setup()
import calendar_sync, config.urls
loaded = [name for name in json.loads(os.environ["PACKAGES"]) if name in sys.modules]

os.environ["SENTRY_DSN"] = os.environ["DSN"]
runpy.run_path("config/settings.py")
import sentry_sdk
from django.test import RequestFactory
from bookings.pages import joining
from config.wsgi import application

SECRETS = json.loads(os.environ["SECRETS"])

def broken(*args, **kwargs):
    secret_local = SECRETS["token"]
    logging.getLogger("bookings").warning("A warning about {mail}".format(**SECRETS))
    raise ValueError("cannot mail {mail} the code {code} with {token}".format(**SECRETS))

joining.list_ways_to_sign_in = broken
environ = RequestFactory(headers={
    "Authorization": "Bearer {token}".format(**SECRETS),
    "Cookie": "session={cookie}".format(**SECRETS),
    "X-Forwarded-For": SECRETS["forwarded"],
}).get(
    "/inicio/unirse/{code}?code={token}&email={mail}".format(**SECRETS),
    REMOTE_ADDR=SECRETS["address"],
).environ
answer = {}
body = application(environ, lambda status, headers: answer.update(dict(headers), status=status))
body.close()
sentry_sdk.flush(5)
print(json.dumps([loaded, answer["status"].split()[0], answer["X-Request-ID"]]))
"""


class Standin(BaseHTTPRequestHandler):
    """Takes what Sentry's client sends, and says that it is well."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        unpack = {"br": brotli.decompress, "gzip": gzip.decompress}
        body = unpack[self.headers["Content-Encoding"]](body)
        self.server.bodies.append(body.decode())
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def sentry():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Standin)
    server.bodies = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def python(code, **environment):
    """Run some code with the settings; give the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def report(sentry):
    """The packages loaded before, the answer's id, the event as it left, and all that left."""
    dsn = f"http://key@127.0.0.1:{sentry.server_port}/1"
    loaded, status, request_id = python(
        BREAK,
        SECRETS=json.dumps(SECRETS),
        PACKAGES=json.dumps(PACKAGES),
        SENTRY_DSN="",
        DSN=dsn,
        RELEASE="1.2.3",
        DATABASE_URL="sqlite://:memory:",
    )
    assert status == "500"
    (body,) = sentry.bodies
    event = json.loads(body.splitlines()[2])
    return loaded, request_id, event, body


def test_report_says_where_it_broke(report):
    _, request_id, event, _ = report

    (error,) = event["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["value"] == "cannot mail *** the code *** with ***"
    assert event["transaction"] == "/inicio/unirse/{access_code}"
    assert (event["release"], event["environment"]) == ("1.2.3", "production")
    assert event["tags"]["request_id"] == request_id
    assert [crumb["message"] for crumb in event["breadcrumbs"]["values"]] == ["A warning about ***"]


def test_report_says_nothing_of_whom(report):
    *_, event, body = report

    assert [secret for secret in SECRETS.values() if secret in body] == []
    assert event["request"].keys() == {"method", "url", "headers"}
    assert event["request"]["url"] == "http://testserver/inicio/unirse/***"
    assert {name.lower() for name in event["request"]["headers"]} <= {"host", "content-type"}
    assert "user" not in event
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    assert not any("vars" in frame for frame in frames)


def test_starting_imports_neither_sentry_without_a_dsn_nor_google_s_packages(report):
    loaded, *_ = report

    assert loaded == []
