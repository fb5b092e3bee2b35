"""Who asks, and what they may: App JWTs, installation tokens, permissions."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import jwt

from tests.fake_github.answers import Refused
from tests.fake_github.spec import Operation
from tests.fake_github.state import App, Token
from tests.fake_github.world import World

LEVELS = {"read": 1, "write": 2, "admin": 3}
LONGEST_JWT = 600
BAD_EXPIRY = (
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at "
    "which the assertion expires"
)


def identify(world: World, header: str) -> App | Token | None:
    """Read an Authorization header; None when there is none. Raises ``Refused``."""
    kind, _, value = header.partition(" ")
    if not header:
        return None
    if kind.lower() == "basic":
        value = _password(value)
    if value.count(".") == 2 and not value.startswith("ghs_"):
        return _app(world, value)
    return token(world, value)


def _password(value: str) -> str:
    try:
        user, _, password = base64.b64decode(value).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise Refused(401, "Bad credentials") from error
    if user != "x-access-token":
        raise Refused(401, "Bad credentials")
    return password


def token(world: World, text: str) -> Token:
    """The installation token with this text, if it is still good."""
    found = world.tokens.get(text)
    if found is None or found.expires <= world.clock.now():
        raise Refused(401, "Bad credentials")
    if found.installation.suspended:
        raise Refused(403, "This installation has been suspended")
    return found


def _app(world: World, text: str) -> App:
    try:
        options: Any = {"verify_exp": False, "verify_iat": False, "require": ["exp", "iat", "iss"]}
        claims = jwt.decode(text, world.app.public_key, algorithms=["RS256"], options=options)
    except jwt.PyJWTError as error:
        raise Refused(401, "A JSON web token could not be decoded") from error
    now = world.clock.now().timestamp()
    if not isinstance(claims["exp"], int | float) or claims["exp"] <= now:
        raise Refused(401, BAD_EXPIRY)
    if claims["exp"] > now + LONGEST_JWT:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
    if claims["iat"] > now:
        raise Refused(401, "'Issued at' claim ('iat') must be an Integer representing the time")
    if str(claims["iss"]) != str(world.app.id):
        raise Refused(404, "Integration not found")
    return world.app


def grants(permissions: dict[str, str], needed: dict[str, str]) -> bool:
    """True when every needed permission is held at that level or a higher one."""
    return all(LEVELS.get(permissions.get(k, ""), 0) >= LEVELS[v] for k, v in needed.items())


def authorise(operation: Operation, identity: App | Token | None) -> None:
    """Raise ``Refused`` unless the identity may use the operation."""
    kinds = [entry for entry in operation.permission if isinstance(entry, str)]
    if "NONE" in kinds or ("ANY" in kinds and identity is not None):
        return
    if identity is None:
        raise Refused(401, "Requires authentication")
    if "APP_JWT" in kinds:
        if not isinstance(identity, App):
            raise Refused(401, "A JSON web token could not be decoded")
        return
    if isinstance(identity, Token) and "INSTALLATION_TOKEN" in kinds:
        return
    wanted = [entry for entry in operation.permission if isinstance(entry, dict)]
    held = identity.permissions if isinstance(identity, Token) else {}
    if not any(grants(held, needed) for needed in wanted):
        raise unable(wanted)


def unable(wanted: list[dict[str, str]]) -> Refused:
    """403 for a missing permission, with the header that names what would do."""
    accepted = "; ".join(",".join(f"{k}={v}" for k, v in one.items()) for one in wanted)
    headers = {"x-accepted-github-permissions": accepted}
    return Refused(403, "Resource not accessible by integration", headers=headers)
