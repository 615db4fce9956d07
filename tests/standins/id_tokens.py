"""The signature of id tokens: one RSA key for each process, made when first needed."""

import json
import threading
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

KEY_ID = "standin-1"

_lock = threading.Lock()
_keys: list[rsa.RSAPrivateKey] = []


def sign(claims: dict[str, Any]) -> str:
    return jwt.encode(claims, _key(), algorithm="RS256", headers={"kid": KEY_ID})


def public_keys() -> dict[str, Any]:
    """Give the JSON Web Key Set that verifies what ``sign`` signed."""
    key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_key().public_key()))
    return {"keys": [{**key, "kid": KEY_ID, "alg": "RS256", "use": "sig"}]}


def _key() -> rsa.RSAPrivateKey:
    with _lock:
        if not _keys:
            _keys.append(rsa.generate_private_key(public_exponent=65537, key_size=2048))
        return _keys[0]
