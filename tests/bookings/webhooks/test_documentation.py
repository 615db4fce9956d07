"""The examples of docs/webhooks.md do what they say."""

import json
import re
import shutil
import subprocess

import pytest
import time_machine

from tests.processes import ROOT

TEXT = (ROOT / "docs" / "webhooks.md").read_text()
PYTHON, JAVASCRIPT = (
    re.search(rf"^```{name}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[1]
    for name in ("python", "js")
)
VECTORS = [
    re.findall(r"`([^`]+)`", line) for line in TEXT.splitlines() if line.startswith("| `whsec_")
]
FORGERIES = {
    "as it is": {},
    "another body": {"body": b'{"type":"class.cancelled"}'},
    "another id": {"webhook-id": "msg_other"},
    "too old": {"after": 301},
    "from the future": {"after": -301},
    "time that is none": {"webhook-timestamp": "soon"},
    "no signature that fits": {"webhook-signature": "v1,AAAA v2,AAAA v1a,AAAA"},
    "other version": {"webhook-signature": lambda one: one.replace("v1,", "v2,")},
    "one of two fits": {"webhook-signature": lambda one: f"v1,AAAA {one}"},
}
RIGHT = {"as it is", "one of two fits"}


def make_request(vector, change):
    """Give secret, headers, body and the moment at which they arrive, with a change."""
    secret, message_id, timestamp, body, signature = vector
    headers = {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
    }
    for name, value in change.items():
        if name in headers:
            headers[name] = value(headers[name]) if callable(value) else value
    return (
        secret,
        headers,
        change.get("body", body.encode()),
        int(timestamp) + change.get("after", 0),
    )


cases = pytest.mark.parametrize("name", FORGERIES)
vectors = pytest.mark.parametrize("vector", VECTORS, ids=["standard", "ours"])


@vectors
@cases
def test_the_example_in_python(vector, name):
    secret, headers, body, moment = make_request(vector, FORGERIES[name])
    example = {}
    exec(PYTHON, example)  # noqa: S102 - our own document

    with time_machine.travel(moment, tick=False):
        assert example["verify"](secret, headers, body) == (name in RIGHT)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed.")
def test_the_example_in_javascript():
    requests = [make_request(vector, change) for vector in VECTORS for change in FORGERIES.values()]
    given = [(secret, headers, body.decode(), now) for secret, headers, body, now in requests]
    script = f"""{JAVASCRIPT}
    const told = {json.dumps(given)}.map(([secret, headers, body, now]) => {{
      Date.now = () => now * 1000;
      return verify(secret, headers, Buffer.from(body));
    }});
    console.log(JSON.stringify(told));"""

    found = subprocess.run(["node", "-e", script], capture_output=True, check=True, text=True)  # noqa: S607

    assert json.loads(found.stdout) == [name in RIGHT for name in FORGERIES] * len(VECTORS)


def test_the_vectors_are_there():
    assert [len(vector) for vector in VECTORS] == [5, 5]
