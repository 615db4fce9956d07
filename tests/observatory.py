"""The points that MDN's HTTP Observatory gives an answer, recomputed without asking it.

https://developer.mozilla.org/en-US/docs/Web/Security/Practical_implementation_guides and the
scanner's table of modifiers (github.com/mdn/mdn-http-observatory, src/grader/charts.js). Counted
for a host that is not on the browsers' preload list and redirects http to https. The bonus for
opener and embedder policies is what the scanner's next release gives.
"""

import re
from http.cookies import SimpleCookie

PRIVATE_REFERRERS = {
    "no-referrer",
    "same-origin",
    "strict-origin",
    "strict-origin-when-cross-origin",
}
SIX_MONTHS = 15_768_000
BROAD = {"*", "http:", "https:", "ftp:", "http://*", "https://*"}
SCRIPT_TAG = re.compile(r"<script\b[^>]*>")


def points(answer):
    """Give the points of an answer: ``headers``, ``cookies`` and ``content`` as Django's client."""
    found = {**modifiers(answer.headers, answer.cookies), "sri": _scripts(answer)}
    base = 100 + sum(value for value in found.values() if value < 0)
    return base + sum(value for value in found.values() if value > 0) if base >= 90 else base


def modifiers(headers, cookies):
    """Give what each check adds or takes."""
    policy = read_policy(headers.get("Content-Security-Policy", ""))
    return {
        "csp": _content_policy(policy),
        "cookies": _cookies(cookies),
        "cors": -50 if "Access-Control-Allow-Credentials" in headers else 0,
        "referrer": 5 if headers.get("Referrer-Policy") in PRIVATE_REFERRERS else 0,
        "hsts": _transport(headers.get("Strict-Transport-Security", "")),
        "sniffing": 0 if headers.get("X-Content-Type-Options") == "nosniff" else -5,
        "framing": _framing(policy, headers),
        "corp": 10 if headers.get("Cross-Origin-Resource-Policy") == "same-origin" else 0,
        "coop": 10 if headers.get("Cross-Origin-Opener-Policy") == "same-origin" else 0,
        "coep": 10 if headers.get("Cross-Origin-Embedder-Policy") == "require-corp" else 0,
    }


def read_policy(text):
    """Give a content policy's directives, each with its sources."""
    directives = (part.split() for part in text.split(";") if part.strip())
    return {name: set(sources) for name, *sources in directives}


def _content_policy(policy):
    if not policy:
        return -25
    scripts = policy.get("script-src", policy.get("default-src", {"*"}))
    objects = policy.get("object-src", policy.get("default-src", {"*"}))
    styles = policy.get("style-src", policy.get("default-src", {"*"}))
    sources = set().union(*policy.values())
    if scripts & {*BROAD, "'unsafe-inline'", "data:"} or objects & BROAD:
        return -20
    if any(source.startswith(("http:", "ftp:")) for source in sources):
        return -20
    if "'unsafe-eval'" in scripts | styles:
        return -10
    if styles & {*BROAD, "'unsafe-inline'", "data:"}:
        return 0
    return 10 if policy.get("default-src") == {"'none'"} else 5


def _cookies(cookies: SimpleCookie):
    if not cookies:
        return 0
    morsels = list(cookies.values())
    sessions = [one for one in morsels if "session" in one.key]
    if not all(one["secure"] for one in sessions):
        return -40
    if not all(one["httponly"] for one in sessions):
        return -30
    if not all(one["secure"] for one in morsels):
        return -20
    return 5 if all(one["samesite"] in {"Lax", "Strict"} for one in morsels) else 0


def _transport(text):
    age = re.search(r"max-age=(\d+)", text)
    if age is None:
        return -20
    return 0 if int(age[1]) >= SIX_MONTHS else -10


def _framing(policy, headers):
    if "frame-ancestors" in policy and not policy["frame-ancestors"] & BROAD:
        return 5
    return 0 if headers.get("X-Frame-Options") in {"DENY", "SAMEORIGIN"} else -20


def _scripts(answer):
    if not answer.headers.get("Content-Type", "").startswith("text/html"):
        return 0
    tags = SCRIPT_TAG.findall(answer.content.decode())
    loaded = [tag for tag in tags if " src=" in tag]
    if any(re.search(r' src="(https?:)?//', tag) for tag in loaded):
        return -5
    return 5 if any(" integrity=" in tag for tag in loaded) else 0
