"""The client of GitHub's API: gidgethub's, with credentials, waiting and retry added.

Everything happens around one request (``_request``), below gidgethub's REST and GraphQL calls
alike, so that there is one count of tries; the hook ``handle_rate_limit_error`` is not called for
GraphQL and would count a second time. ``manage_rate_limit`` is used: a limit that is known to be
spent is not tried. Callers see gidgethub's exceptions for what GitHub refuses (404, 409, 422 ...)
and ``Outage`` for all else.

What an answer of GitHub, or its absence, means for the request: pure decisions.

The rules of limits are GitHub's: ``retry-after`` first, else wait for the reset when nothing
remains, else at least a minute and growing. Going on regardless may get the App banned.
(https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api)

A POST whose effect is unknown (an answer lost on the way, a 5xx, which GitHub also gives for work
it finished too late) is not repeated: it could leave two comments. Callers look before they create,
so it is an outage, after which they look again. Where twice leaves one, a POST is repeated too.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import metadata
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

import aiohttp
from gidgethub import QueryError
from gidgethub.abc import CACHE_TYPE
from gidgethub.aiohttp import GitHubAPI

from runner.errors import Outage
from runner.ports import Clock
from runner.retries.policy import RetryPolicy
from runner.retrying import TryAgain, retrying
from runner.text.mask import Mask, masked

LONGEST_WAIT = 60.0
"""Seconds that a request waits for a limit; a longer wait pauses the run instead."""

RETRY_AFTER = timedelta(minutes=2)
"""When GitHub is asked again after it failed or was unreachable."""

SUSPENDED = "suspended"
"""The kind of an outage that ends when the suspension of the App's installation is lifted."""

RULES = "rules"
"""The kind of an outage while rules of the repository forbid us to write our branches."""

RULES_AGAIN = timedelta(minutes=15)
"""When a branch is written again that rules forbid: GitHub sends no event when they change."""

ARCHIVED = "archived"
"""The kind of an outage while a repository is archived."""

_REPEATABLE_POST = re.compile(r"/(access_tokens|reactions|git/blobs|git/trees)$")
_SECONDARY = ("secondary rate limit", "abuse detection")


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """What was asked; ``attempt`` counts from 1."""

    method: str
    url: str
    attempt: int = 1

    @property
    def name(self) -> str:
        """The request for people, without host and query."""
        return f"{self.method} {urlsplit(self.url).path}"

    @property
    def repeatable(self) -> bool:
        """Doing it twice leaves one."""
        path = urlsplit(self.url).path
        return self.method != "POST" or bool(_REPEATABLE_POST.search(path))


Verdict = TryAgain | Outage | None


def judge_answer(
    request: ApiRequest, *, status: int, headers: Mapping[str, str], body: bytes, now: datetime
) -> Verdict:
    """Say what an answer means; None when it is the caller's (a success, 404, 422 ...)."""
    if status >= 500:
        return judge_failure(request, f"{status}", now=now)
    if status in (403, 409, 422) and is_ruled_out(message := read_message(body)):
        return against_rules(message, now)
    if status not in (403, 429):
        return None
    message = read_message(body)
    if (wait := _wait(request, status, headers, message, now)) is not None:
        return _limited(request, wait, now)
    if "archived" in message:
        return Outage(
            ARCHIVED,
            f"GitHub says: {message} ({request.name}). Somebody has to unarchive the repository in "
            "its settings.",
        )
    if "suspended" in message:
        return Outage(
            SUSPENDED,
            f"GitHub says: {message} ({request.name}). Whoever suspended the App's installation "
            "can lift the suspension on the installation's settings page.",
        )
    return _lacks_permission(request, headers) if "not accessible by" in message else None


def why_not(cause: Exception) -> str:
    """Why a server did not answer, for people; the library's own word where nothing is better."""
    if isinstance(cause, aiohttp.ClientConnectorDNSError):
        return f"the name {cause.host} is not known"
    if isinstance(cause, aiohttp.ClientConnectorError):
        return f"no connection to {cause.host}:{cause.port}"
    return "no answer in time" if isinstance(cause, TimeoutError) else type(cause).__name__


def judge_failure(request: ApiRequest, reason: str, *, now: datetime, sent: bool = True) -> Verdict:
    """Say what a broken or lost answer means; not ``sent``: GitHub never got the request."""
    outage = Outage(
        "github",
        f"GitHub does not answer as it should ({request.name}: {reason}); "
        "https://www.githubstatus.com shows whether it has problems.",
        until=now + RETRY_AFTER,
    )
    return TryAgain(outage) if request.repeatable or not sent else outage


def is_ruled_out(message: str) -> bool:
    """Say whether GitHub refuses a branch because of a ruleset or a branch protection.

    Rules about single files are about the task that changes them, and wait for nobody
    (https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets).
    """
    said = message.lower()
    of_branches = any(words in said for words in _OF_BRANCHES)
    return of_branches and not any(words in said for words in _OF_FILES)


_UNEXPLAINED = "reference update failed"
"""All that GitHub says when a rule forbids to create or move a branch through its Git Data API
(https://github.com/github/rest-api-description/issues/4887)."""

_OF_BRANCHES = ("rule violations found", "protected branch", "protected ref", _UNEXPLAINED)
_OF_FILES = ("file path", "file extension", "file size", "secret")


_OTHER_REASON = ", or there is a branch called `cairn`, which has to be renamed"


_SIGNING = (
    "GitHub signs a commit that an App makes over the API only if the commit names no other author "
    "or committer, so those that keep the name of a person, and those that GitHub itself rebased, "
    "stay unsigned. "
)
"""https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots"""


def against_rules(message: str, now: datetime) -> Outage:
    """Our branches may not be written until somebody changes the rules."""
    said = " ".join(message.split()).rstrip(".")
    other = _OTHER_REASON if _UNEXPLAINED in said.lower() else ""
    signing = _SIGNING if "signature" in said.lower() else ""
    return Outage(
        RULES,
        f"GitHub says: {said}. {signing}A ruleset or branch protection of the repository does not "
        f"let the App write its branches, whose names begin with `cairn/`{other}. "
        "Whoever manages the rules can add the App to their bypass list, or leave out `cairn/**`. "
        "Cairn then continues automatically; `/execute resume` tries at once",
        until=now + RULES_AGAIN,
    )


def exhausted(reset: datetime) -> Outage:
    """The primary limit is spent until ``reset``."""
    return Outage(
        "rate_limit",
        f"GitHub's rate limit is used up until {reset:%H:%M:%S} UTC. Cairn continues then.",
        until=reset,
    )


def refused_credential(request: ApiRequest, message: str) -> Outage:
    """GitHub does not accept who we say we are, twice."""
    return Outage(
        "credential",
        f"GitHub refuses the App's credentials ({request.name}: {message or 'no message'}). Check "
        "GITHUB_APP_ID, the private key, this machine's clock, and that the App is installed.",
    )


def read_message(body: bytes) -> str:
    """Return the ``message`` of an error answer, '' when it has none."""
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    return str(data.get("message") or "") if isinstance(data, dict) else ""


def _wait(
    request: ApiRequest, status: int, headers: Mapping[str, str], message: str, now: datetime
) -> float | None:
    """Return the seconds to wait for a limit; None when no limit is the reason."""
    if (seconds := _number(headers, "retry-after")) is not None:
        return seconds
    reset = _number(headers, "x-ratelimit-reset")
    if _number(headers, "x-ratelimit-remaining") == 0 and reset is not None:
        # one second more: the reset is given in whole seconds
        return max(0.0, reset - now.timestamp()) + 1
    if status == 429 or any(sign in message.lower() for sign in _SECONDARY):
        return float(60 * 2 ** (request.attempt - 1))
    return None


def _limited(request: ApiRequest, seconds: float, now: datetime) -> TryAgain | Outage:
    outage = exhausted((now + timedelta(seconds=seconds)).astimezone(UTC))
    return TryAgain(outage, seconds) if seconds <= LONGEST_WAIT else outage


def _lacks_permission(request: ApiRequest, headers: Mapping[str, str]) -> Outage:
    needed = headers.get("x-accepted-github-permissions", "")
    which = f" It needs {needed}." if needed else ""
    return Outage(
        "permission",
        f"The App lacks a permission for {request.name}.{which} Grant it in the App's settings and "
        "accept the new permissions on the installation's page.",
    )


def _number(headers: Mapping[str, str], name: str) -> float | None:
    value = headers.get(name, "")
    return float(value) if re.fullmatch(r"[0-9]{1,12}", value) else None


API_VERSION = "2022-11-28"
"""https://docs.github.com/en/rest/about-the-rest-api/api-versions"""

_TIMEOUT = 60.0
_MOST_HOPS = 3
_CONTENTS = re.compile(r"/git/(?:blobs|trees)$")

Sleep = Callable[[float], Awaitable[None]]
Response = tuple[int, Mapping[str, str], bytes]
Wrote = Callable[[str, int], Awaitable[None]]
"""Hears of a request that may have changed something, and GitHub's status (0: no answer)."""


class Credential(Protocol):
    """Who we are for one request."""

    async def authorization(self) -> str:
        """Return the Authorization header's value, fresh enough for a request."""

    def forget(self, authorization: str) -> None:
        """Drop what GitHub refused, so that the next value is a new one."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How a process reaches one GitHub; ``timeout`` is in seconds a request.

    ``mask`` hides secrets in every text that is sent, except the contents of files. ``retry`` holds
    where no file of a repository says otherwise.
    """

    session: aiohttp.ClientSession
    base_url: str
    clock: Clock
    sleep: Sleep = asyncio.sleep
    mask: Mask = field(default_factory=Mask)
    timeout: float = _TIMEOUT
    retry: RetryPolicy = field(default=RetryPolicy())


class GitHubClient(GitHubAPI):
    """One installation's (or the App's own) view of GitHub.

    ``certain`` returns before each request that may change something: once it is certain that no
    other process does our work. ``wrote`` hears of each such request after it. ``retry`` may be set
    to the policy of the repository.
    """

    def __init__(
        self,
        over: Connection,
        credential: Credential,
        *,
        cache: CACHE_TYPE | None = None,
        certain: Callable[[], Awaitable[None]] | None = None,
        wrote: Wrote | None = None,
    ) -> None:
        super().__init__(over.session, user_agent(), base_url=over.base_url, cache=cache)
        self._over = over
        self._credential = credential
        self._certain = certain
        self._wrote = wrote
        self._timeout = aiohttp.ClientTimeout(total=over.timeout)
        self.retry = over.retry

    async def sleep(self, seconds: float) -> None:
        """Wait, by the injected sleep."""
        await self._over.sleep(seconds)

    async def graphql(self, query: str, *, endpoint: str = "", **variables: Any) -> Any:
        """Ask GraphQL, at the address that belongs to ours (``endpoint``: another).

        Rules against our branches are an ``Outage`` here as they are in REST.

        GitHub Enterprise Server has it beside ``/api/v3``, not below.
        """
        own = f"{self.base_url.rstrip('/').removesuffix('/v3')}/graphql"
        try:
            return await super().graphql(query, endpoint=endpoint or own, **variables)
        except QueryError as refusal:
            if is_ruled_out(str(refusal)):
                raise against_rules(str(refusal), self._over.clock.now()) from refusal
            raise

    async def manage_rate_limit(self, *, method: str, url: str) -> None:
        """Before a request: wait out a limit that is known to be spent, or raise ``Outage``."""
        limit = self.rate_limit
        # gidgethub has counted this request already: below 0 means that none was left for it
        if limit is None or limit.remaining >= 0:
            return
        reset = limit.reset_datetime.astimezone(UTC) + timedelta(seconds=1)
        seconds = (reset - self._over.clock.now()).total_seconds()
        if seconds > LONGEST_WAIT:
            raise exhausted(reset)
        self.rate_limit = None
        await self.sleep(max(0.0, seconds))

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> Response:
        if body and not _CONTENTS.search(urlsplit(url).path):  # a commit's stay byte for byte
            data = json.loads(body)
            safe = masked(data, self._over.mask)
            if safe != data:
                body = json.dumps(safe).encode()
                headers = dict(headers) | {"content-length": str(len(body))}
        try:
            async for attempt in retrying("GitHub", self.retry, sleep=self.sleep):
                with attempt:
                    asked = ApiRequest(method, url, attempt.retry_state.attempt_number)
                    response = await self._with_credential(asked, headers, body)
        except TryAgain as again:
            raise again.outage from again
        return response

    async def _with_credential(
        self, asked: ApiRequest, headers: Mapping[str, str], body: bytes
    ) -> Response:
        """Ask with a fresh credential; a refused one (401) is renewed once."""
        for _ in range(2):
            authorization = await self._credential.authorization()
            signed = dict(headers) | {
                "authorization": authorization,
                "x-github-api-version": API_VERSION,
            }
            status, answered, content = await self._exchange(asked, signed, body)
            if status != 401:
                return status, answered, content
            self._credential.forget(authorization)
        raise refused_credential(asked, read_message(content))

    async def _exchange(self, asked: ApiRequest, headers: dict[str, str], body: bytes) -> Response:
        """Ask once; raise what the answer, or its absence, means for us."""
        status = 0
        try:
            status, answered, content = await self._follow(asked, headers, body)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as gone:
            _raise(self._failure(asked, gone, sent=False), gone)
        except (aiohttp.ClientError, TimeoutError) as lost:
            _raise(self._failure(asked, lost, sent=True), lost)
        finally:
            if self._wrote and (change := _change(asked, body)):
                await self._wrote(change, status)
        now = self._over.clock.now()
        _raise(judge_answer(asked, status=status, headers=answered, body=content, now=now))
        return status, answered, content

    def _failure(self, asked: ApiRequest, cause: Exception, *, sent: bool) -> Verdict:
        return judge_failure(asked, why_not(cause), now=self._over.clock.now(), sent=sent)

    async def _follow(self, asked: ApiRequest, headers: dict[str, str], body: bytes) -> Response:
        """Send, and repeat a redirected POST verbatim at its new place.

        aiohttp would make a GET of it at 301 and 302; GitHub means "repeat the request there".
        Another host gets nothing: the redirect is then the answer.
        (https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects)
        """
        url = asked.url
        for _ in range(_MOST_HOPS):
            status, answered, content = await self._send(asked.method, url, headers, body)
            target = urljoin(url, answered.get("location", ""))
            moved = asked.method == "POST" and status in (301, 302, 307, 308)
            if not moved or urlsplit(target)[:2] != urlsplit(url)[:2]:
                break
            url = target
        return status, answered, content

    async def _send(self, method: str, url: str, headers: dict[str, str], body: bytes) -> Response:
        if self._certain and method != "GET":
            await self._certain()
        async with self._session.request(
            method,
            url,
            headers=headers,
            data=body,
            timeout=self._timeout,
            allow_redirects=method != "POST",
        ) as response:
            return response.status, response.headers, await response.read()


_MUTATION = re.compile(r"mutation\b[^{]*\{\s*(?:\w+:\s*)?(\w+)")


def _change(asked: ApiRequest, body: bytes) -> str:
    """What a request may change; '' for one that only reads."""
    if asked.method == "GET" or not asked.url.endswith("/graphql"):
        return "" if asked.method == "GET" else asked.name
    found = _MUTATION.search(str(json.loads(body).get("query")))
    return f"GraphQL {found[1]}" if found else ""


@cache
def user_agent() -> str:
    """Name us to GitHub, which refuses requests without a User-Agent."""
    try:
        return f"cairn/{metadata.version('cairn')}"
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return "cairn/dev"


def _raise(verdict: Verdict, cause: Exception | None = None) -> None:
    if verdict is not None:
        raise verdict from cause
