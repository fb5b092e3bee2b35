"""The App's private key, read once for all: reading takes a hundred times as long as signing."""

from __future__ import annotations

from functools import lru_cache

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key


@lru_cache(maxsize=1)
def read_rsa_key(pem: str) -> RSAPrivateKey | None:
    """Return the key; None when the text is no unencrypted RSA private key in PEM form."""
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, RSAPrivateKey) else None
