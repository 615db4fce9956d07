"""What NextAuth's clients do at ``/api/auth``, and what nobody may make them do."""

from django.test import Client

FOREIGN_ADDRESSES = [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/\r\nSet-Cookie:x",
    "http://testserver@evil.example",
    "/" + "x" * 10_000,
]


def csrf_token(client: Client) -> str:
    """Fetch the token as NextAuth's client does."""
    return client.get("/api/auth/csrf").json()["csrfToken"]
