"""The exchange of GitHub's temporary code for the App's id and secrets.

https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
"""

from __future__ import annotations

import re
from typing import Annotated

import aiohttp
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveInt,
    SecretStr,
    ValidationError,
)

from app.github.client import API_VERSION, user_agent
from app.settings.values import BaseUrl, rsa_key
from app.setup import words
from app.setup.addresses import GitHub
from app.setup.refusal import Refusal, Unusable

_TIMEOUT = aiohttp.ClientTimeout(total=30)
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "User-Agent": user_agent(),
    "X-GitHub-Api-Version": API_VERSION,
}
_SECRET = re.compile(r"[!-~]{8,500}")
_OUTAGES = (aiohttp.ClientError, TimeoutError, OSError)


def _secret(value: SecretStr) -> SecretStr:
    if not _SECRET.fullmatch(value.get_secret_value()):
        raise ValueError("is no secret")
    return value


class Registered(BaseModel):
    """The App as GitHub gives it, once; every value is checked before it is written."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    id: PositiveInt
    slug: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")
    html_url: BaseUrl
    webhook_secret: Annotated[SecretStr, AfterValidator(_secret)]
    pem: Annotated[SecretStr, AfterValidator(lambda pem: rsa_key(pem.get_secret_value()))]


class Conversions:
    """Asks one GitHub; it needs no credential, the code is one."""

    def __init__(self, github: GitHub) -> None:
        self.github = github

    async def convert(self, code: str) -> Registered:
        """Return the App a code stands for. Raises ``Refusal``."""
        try:
            status, body = await self._ask("POST", f"/app-manifests/{code}/conversions")
        except _OUTAGES as gone:
            raise Refusal(502, self._say(words.NO_GITHUB, what=type(gone).__name__)) from gone
        if status == 201:
            return self._read(body)
        if status in (404, 422):
            raise Refusal(400, self._say(words.SPENT))
        if status in (403, 429):
            raise Refusal(503, self._say(words.BUSY, status=str(status)))
        raise Refusal(502, self._say(words.NO_GITHUB, what=f"status {status}"))

    async def reach(self) -> None:
        """Raise ``Unusable`` unless an API answers, whatever it answers."""
        try:
            status, _ = await self._ask("GET", "/rate_limit")
        except _OUTAGES as gone:
            said = self._say(words.UNREACHABLE, what=type(gone).__name__)
            raise Unusable(said) from gone
        if status >= 500:
            raise Unusable(self._say(words.UNREACHABLE, what=f"status {status}"))

    async def _ask(self, method: str, path: str) -> tuple[int, bytes]:
        url = f"{self.github.api}{path}"
        session = aiohttp.ClientSession(headers=_HEADERS, timeout=_TIMEOUT)
        async with session, session.request(method, url, allow_redirects=False) as answer:
            return answer.status, await answer.read()

    def _read(self, body: bytes) -> Registered:
        try:
            return Registered.model_validate_json(body)
        except ValidationError as error:
            what = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
        # out here, so that no traceback shows what GitHub answered
        raise Refusal(502, self._say(words.STRANGE, what=what or "everything"))

    def _say(self, text: str, **values: str) -> str:
        apps = f"{self.github.server}/settings/apps"
        return text.format(api=self.github.api, apps=apps, **values)
