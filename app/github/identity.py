"""The App's identity: its private key, its signed JWT, its name, and installation tokens.

Tokens are scoped to one repository and to the permissions their use needs. They are kept until
shortly before they expire and asked for before each request, so that a run may outlive them
(https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any
from weakref import WeakValueDictionary

import jwt
from cachetools import LRUCache, TLRUCache
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from gidgethub import BadRequest
from gidgethub.abc import CACHE_TYPE

from app.github.client import Connection, GitHubClient
from app.github.token_identity import OPTIONAL, Identity, Permissions, Standing
from handlers.events import InstalledRepository
from runner.errors import Outage
from runner.ports import Clock


@lru_cache(maxsize=1)
def read_rsa_key(pem: str) -> RSAPrivateKey | None:
    """Return the key; None if the text is not an unencrypted RSA private key in PEM form."""
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, RSAPrivateKey) else None


_BACKDATED = timedelta(seconds=60)  # against clocks that differ, as GitHub advises
_LIFE = timedelta(minutes=9)  # GitHub allows 10
_RENEWED_AFTER = timedelta(minutes=7)


class AppKey:
    """Signs as the App. Raises ValueError if ``private_key`` is not an RSA key in PEM form."""

    def __init__(self, *, app_id: str, private_key: str, clock: Clock) -> None:
        key = read_rsa_key(private_key)
        if key is None:
            raise ValueError(_NO_KEY)
        self._app_id, self._key, self._clock = app_id, key, clock
        self._signed = ""
        self._signed_at = datetime.min.replace(tzinfo=clock.now().tzinfo)

    async def authorization(self) -> str:
        """Return ``Bearer`` and a JWT that is good for two minutes more at least."""
        now = self._clock.now()
        if not self._signed or now - self._signed_at >= _RENEWED_AFTER:
            issued, self._signed_at = now - _BACKDATED, now
            claims = {
                "iat": int(issued.timestamp()),
                "exp": int((issued + _LIFE).timestamp()),
                "iss": self._app_id,
            }
            self._signed = jwt.encode(claims, self._key, algorithm="RS256")
        return f"Bearer {self._signed}"

    def forget(self, authorization: str) -> None:
        """Sign again next time."""
        if authorization == f"Bearer {self._signed}":
            self._signed = ""


_NO_KEY = (
    "the App's private key is not an RSA key in PEM form; download a new one from the App's "
    "settings page (Private keys) and set GITHUB_APP_PRIVATE_KEY or GITHUB_APP_PRIVATE_KEY_FILE"
)


_EARLY = 5 * 60
"""Seconds before its end from which a token is no longer given out."""

_MOST_TOKENS = 1000
_MOST_INSTALLATIONS = 100
_MOST_ANSWERS = 256


@dataclass(frozen=True, slots=True)
class _Scope:
    installation_id: int
    repository_id: int | None
    permissions: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Token:
    expires_at: datetime
    value: str = field(repr=False)


class AppIdentity(Identity):
    """One GitHub App at one GitHub. Raises ValueError for a wrong private key."""

    is_app = True
    """An installation that has not granted ``checks`` refuses them: this is noted in the report."""

    def __init__(
        self,
        over: Connection,
        *,
        app_id: str,
        private_key: str,
        certain: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._over = over
        self._certain = certain
        key = AppKey(app_id=app_id, private_key=private_key, clock=over.clock)
        self._app = GitHubClient(over, key)
        self._slug = ""
        self._tokens: TLRUCache[_Scope, _Token] = TLRUCache(
            _MOST_TOKENS,
            ttu=lambda _scope, token, _now: token.expires_at.timestamp() - _EARLY,
            timer=lambda: over.clock.now().timestamp(),
        )
        self._locks: WeakValueDictionary[_Scope, asyncio.Lock] = WeakValueDictionary()
        self._answers: LRUCache[int, CACHE_TYPE] = LRUCache(_MOST_INSTALLATIONS)
        self._granted: LRUCache[int, frozenset[str]] = LRUCache(_MOST_INSTALLATIONS)
        self._pages: LRUCache[int, str] = LRUCache(_MOST_INSTALLATIONS)

    @property
    def app(self) -> GitHubClient:
        """The client that speaks as the App itself (JWT): deliveries, installations."""
        return self._app

    async def slug(self) -> str:
        """Return the App's name in URLs; asked once. Raises ``Outage``."""
        if not self._slug:
            self._slug = str((await self._app.getitem("/app"))["slug"])
        return self._slug

    async def bot_login(self, installation_id: int | None = None) -> str:
        """Return the login under which the App comments. Raises ``Outage``.

        With an installation it is asked together with what that grants, which saves a request.
        """
        if not self._slug and installation_id is not None:
            await self._installation(installation_id)
        return f"{await self.slug()}[bot]"

    async def installation_for(self, full_name: str) -> int:
        """Return the installation that covers a repository. Raises ``Gone`` where none does."""
        try:
            found = await self._app.getitem("/repos/{+name}/installation", {"name": full_name})
        except BadRequest as refusal:
            raise Gone(
                "credential",
                f"The App is not installed on {full_name} ({refusal}). Install it on its page: "
                "Settings, Applications, Configure.",
            ) from refusal
        return int(found["id"])

    async def standing(self, installation_id: int) -> Standing:
        """Return an installation's status now: events about it come in any order.

        Raises ``Outage``.
        """
        found = await self._installation(installation_id)
        if found is None:
            return "gone"
        return "suspended" if found["suspended_at"] else "active"

    async def lacking(self, installation_id: int) -> frozenset[str]:
        """Return which optional permissions an installation does not grant. Raises ``Outage``."""
        if installation_id not in self._granted:
            await self._installation(installation_id)
        return frozenset(OPTIONAL) - self._granted.get(installation_id, frozenset(OPTIONAL))

    async def page(self, installation_id: int) -> str:
        """Return where an owner changes an installation. Raises ``Outage``."""
        if installation_id not in self._pages:
            await self._installation(installation_id)
        return self._pages.get(installation_id, "")

    async def _installation(self, installation_id: int) -> Any:
        try:
            path = "/app/installations/{installation_id}"
            found = await self._app.getitem(path, {"installation_id": str(installation_id)})
        except BadRequest as refusal:
            if refusal.status_code == 404:
                return None
            raise Outage("github", f"GitHub does not show an installation: {refusal}") from refusal
        self._slug = str(found["app_slug"])
        self._granted[installation_id] = frozenset(found["permissions"])
        self._pages[installation_id] = str(found.get("html_url") or "")
        return found

    async def installation_token(
        self, repository: InstalledRepository, permissions: Permissions
    ) -> str:
        """Return a token that lives at least 5 minutes more. Raises ``Outage``."""
        scope = _Scope(repository.installation_id, repository.id, frozenset(permissions.items()))
        return (await self._token(scope)).value

    def client(self, repository: InstalledRepository, permissions: Permissions) -> GitHubClient:
        """Return a client for one repository. It fetches its tokens when it needs them."""
        granted = frozenset(permissions.items())
        return self._client(_Scope(repository.installation_id, repository.id, granted))

    def client_of_all(self, installation_id: int, permissions: Permissions) -> GitHubClient:
        """Return a client for all repositories of an installation."""
        return self._client(_Scope(installation_id, None, frozenset(permissions.items())))

    def _client(self, scope: _Scope) -> GitHubClient:
        # cached answers are shared by the clients of one installation, and by no others
        answers = self._answers.setdefault(scope.installation_id, LRUCache(_MOST_ANSWERS))
        return GitHubClient(
            self._over,
            _InstallationCredential(self, scope),
            cache=answers,
            certain=self._certain,
            wrote=partial(self.noted, scope.repository_id),
        )

    async def _token(self, scope: _Scope) -> _Token:
        # whoever comes while a token is being fetched waits for that one
        lock = self._locks.setdefault(scope, asyncio.Lock())
        async with lock:
            token = self._tokens.get(scope)
            if token is None:
                wanted: dict[str, object] = {"permissions": dict(sorted(scope.permissions))}
                if scope.repository_id is not None:
                    wanted["repository_ids"] = [scope.repository_id]
                path = f"/app/installations/{scope.installation_id}/access_tokens"
                try:
                    answer = await self._app.post(path, data=wanted)
                except BadRequest as refusal:
                    raise await self._refused(scope, refusal) from refusal
                self._over.mask.learn(answer["token"])
                ends = datetime.fromisoformat(answer["expires_at"])
                token = self._tokens[scope] = _Token(ends, answer["token"])
            return token

    def _forget(self, scope: _Scope, value: str) -> None:
        token = self._tokens.get(scope)
        if token and token.value == value:
            del self._tokens[scope]

    async def _refused(self, scope: _Scope, refusal: BadRequest) -> Outage:
        """Say why there is no token: the installation is gone, or grants less than we need."""
        where = f"installation {scope.installation_id}, repository {scope.repository_id or 'any'}"
        if refusal.status_code != 422:
            kind = Gone if refusal.status_code == 404 else Outage
            return kind(
                "credential",
                f"GitHub gives no token for {where}: {refusal}. Install the App on the repository "
                "again.",
            )
        needed = [each for each in sorted(scope.permissions) if each[0] not in OPTIONAL]
        try:
            found = await self._installation(scope.installation_id) if needed else None
        except Outage:
            found = None  # what it grants is only part of an explanation
        granted = {**(found["permissions"] if found else {}), "metadata": "write"}
        lacks = [
            f"{name}: {level}"
            for name, level in needed
            if granted.get(name) not in (level, "write", "admin")
        ]
        if not found or not lacks:
            wanted = ", ".join(f"{name}: {level}" for name, level in sorted(scope.permissions))
            return Outage(
                "permission",
                f"GitHub gives no token for {where}: {refusal} Needed: {wanted}. Accept the App's "
                "permissions on the installation's page, and let it cover the repository.",
            )
        page = found.get("html_url") or "the installation's page"
        return Outage(
            "permission",
            f"The App lacks a permission for this repository (needed: {', '.join(lacks)}). An "
            f"owner can accept it on {page}; the run then continues automatically.",
        )


@dataclass(frozen=True, slots=True)
class _InstallationCredential:
    identity: AppIdentity
    scope: _Scope

    async def authorization(self) -> str:
        return f"token {(await self.identity._token(self.scope)).value}"

    def forget(self, authorization: str) -> None:
        self.identity._forget(self.scope, authorization.removeprefix("token "))


class Gone(Outage):
    """The installation does not exist (any more): nothing done for it can ever succeed."""
