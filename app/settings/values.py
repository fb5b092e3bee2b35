"""The kinds of values settings have. Every check says what to do and repeats no value.

(A value may be a secret put into the wrong variable.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from app.github.rsa_key import read_rsa_key


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("is not a URL; set it to one like https://host or https://host/path")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("has more than host and path; leave out user, password, ? and #")
    return value.rstrip("/")


def _words(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _file(value: Path) -> Path:
    if not value.is_file():
        raise ValueError("names no file; set it to the path of a file that this user can read")
    return value


DATABASES = "sqlite:///path/to/cairn.db or postgresql://user:password@host/database"


def database_url(value: SecretStr) -> SecretStr:
    """Check that the database is one Cairn can use: a SQLite file, or PostgreSQL."""
    try:
        address = make_url(value.get_secret_value())
    except ArgumentError:
        raise ValueError(f"is not a database URL; set it to {DATABASES}") from None
    if address.drivername in {"postgresql", "postgresql+psycopg"}:
        if not address.database:
            raise ValueError(f"names no database; set it to {DATABASES}")
    elif address.drivername not in {"sqlite", "sqlite+aiosqlite"}:
        raise ValueError(
            f"names a {address.drivername} database; Cairn keeps its data in SQLite or "
            f"PostgreSQL: set it to {DATABASES}"
        )
    elif address.database in {None, "", ":memory:"}:
        raise ValueError(f"names no file; set it to {DATABASES}")
    return value


def rsa_key(pem: str) -> SecretStr:
    r"""Check a GitHub App's private key by loading it; ``\n`` may stand for line breaks.

    https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
    """
    # docker run --env-file keeps the quotes that a shell and compose take away
    text = pem.strip().strip('"').replace("\\n", "\n").strip() + "\n"
    if read_rsa_key(text) is None:
        raise ValueError(
            "is not an unencrypted RSA private key in PEM form; take the .pem file that GitHub "
            "gave you under 'Private keys' in the App's settings"
        )
    return SecretStr(text)


BaseUrl = Annotated[str, AfterValidator(_base_url)]
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
Lowered = BeforeValidator(_lower)
ExistingFile = Annotated[Path, AfterValidator(_file)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(database_url)]
