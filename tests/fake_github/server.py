"""The HTTP side: every request is checked, answered, checked again and logged."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from email.utils import format_datetime
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from tests.fake_github import auth, spec
from tests.fake_github.answers import Answer, Call, Refused, missing
from tests.fake_github.courier import Courier
from tests.fake_github.faults import Fault
from tests.fake_github.graphql import answer_graphql
from tests.fake_github.registering import PAGES, answer_page
from tests.fake_github.rendering import unreadable
from tests.fake_github.requests import body_complaints, read_query
from tests.fake_github.review_threads import ROUTES as THREADS
from tests.fake_github.routes_apps import ROUTES as APPS
from tests.fake_github.routes_checks import ROUTES as CHECKS
from tests.fake_github.routes_git import ROUTES as GIT
from tests.fake_github.routes_issues import ROUTES as ISSUES
from tests.fake_github.routes_pulls import ROUTES as PULLS
from tests.fake_github.routes_repos import ROUTES as REPOS
from tests.fake_github.smart_http import GIT_PATH, serve_git
from tests.fake_github.stack_actions import ROUTES as STACKS
from tests.fake_github.state import App, Request, Token
from tests.fake_github.world import World

ROUTES: dict[str, Callable[[Call], Answer]] = {
    **APPS,
    **CHECKS,
    **GIT,
    **ISSUES,
    **PULLS,
    **REPOS,
    **STACKS,
    **THREADS,
}
AGENT = (
    "Missing or invalid User Agent string. See http://developer.github.com/v3/#user-agent-required"
)
VERSION = "X-GitHub-Api-Version"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


LOG = re.compile(r"/logs/(\d+)\Z")


ARCHIVED = "Repository was archived so is read-only."


class Front:
    """Takes requests for REST, GraphQL and git at one address."""

    def __init__(self, world: World, courier: Courier, prefix: str) -> None:
        self.world = world
        self.courier = courier
        self.prefix = prefix

    def application(self, routes: Iterable[web.AbstractRouteDef] = ()) -> web.Application:
        """The aiohttp application; bodies of 40 MB are the most it takes."""
        made = web.Application(client_max_size=40 << 20)
        made.router.add_routes(routes)
        made.router.add_route("*", "/{tail:.*}", self.handle)
        return made

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, with the fault that is due for it."""
        path = request.rel_url.raw_path
        inner = path.removeprefix(self.prefix) if path.startswith(self.prefix + "/") else path
        fault = self._fault(request.method, unquote(inner))
        if fault and fault.hold:
            await fault.hold.wait()
        if fault and fault.slow:
            self.world.clock.advance(fault.slow)
        if fault is None or not fault.answers:
            return await self._serve(request, path, inner)
        if fault.after:
            await self._serve(request, path, inner)
        return self._broken(request, inner, fault)

    def _fault(self, method: str, path: str) -> Fault | None:
        return next((f for f in self.world.faults if f.strikes(method, path)), None)

    def _broken(self, request: web.Request, path: str, fault: Fault) -> web.StreamResponse:
        if not fault.after:
            self._log(request, path, 0 if fault.drop else fault.status or 0, None)
        if fault.drop:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        body = fault.body if fault.body is not None else {"message": "Server Error"}
        if isinstance(body, str):
            return web.Response(status=fault.status or 502, text=body, headers=fault.headers)
        return web.json_response(body, status=fault.status or 502, headers=fault.headers)

    async def _serve(self, request: web.Request, path: str, inner: str) -> web.StreamResponse:
        if GIT_PATH.match(path):
            return await self._git(request, path)
        if logged := LOG.match(path):
            return self._job_log(request, int(logged[1]))
        if request.method == "POST" and PAGES.match(path):
            return await answer_page(self.world, request)
        if path in (f"{self.prefix}/graphql", "/api/graphql"):
            return await self._graphql(request)
        if not path.startswith(self.prefix + "/"):
            self.world.violations.append(f"unknown address {request.method} {path}")
            return web.json_response({"message": "Not Found"}, status=404)
        raw = await request.read()
        answer = self._rest(request, inner, raw)
        response = self._response(request, inner, answer, raw)
        self.courier.flush()
        return response

    def _job_log(self, request: web.Request, number: int) -> web.Response:
        """The log of a job, at an address of somebody else: no token goes there."""
        if "Authorization" in request.headers:
            self.world.violations.append(f"a token was sent to {request.path}")
        runs = (repo.checks.get(number) for repo in self.world.repositories.values())
        run = next(filter(None, runs), {})
        return web.Response(text=str(run.get("log", "")))

    async def _git(self, request: web.Request, path: str) -> web.StreamResponse:
        response = await serve_git(self.world, request)
        self.world.requests.append(Request(request.method, path, response.status))
        self.courier.flush()
        return response

    async def _graphql(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            self._manners(request)
            identity = auth.identify(self.world, request.headers.get("Authorization", ""))
            answer = answer_graphql(self.world, identity, json.loads(raw))
        except Refused as error:
            answer = Answer(error.status, error.body, error.headers)
        response = self._response(request, "/graphql", answer, raw)
        self.courier.flush()
        return response

    def _rest(self, request: web.Request, path: str, raw: bytes) -> Answer:
        try:
            self._manners(request)
            moved = self._moved(request, path)
            return moved or self._operate(request, self._by_id(path), raw)
        except Refused as error:
            return Answer(error.status, error.body, error.headers)

    def _manners(self, request: web.Request) -> None:
        self.world.count_request()
        where = f"{request.method} {request.path}"
        if not request.headers.get("User-Agent"):
            self.world.violations.append(f"{where}: no User-Agent")
            raise Refused(403, AGENT)
        if VERSION not in request.headers:
            self.world.violations.append(f"{where}: no {VERSION}")

    def _moved(self, request: web.Request, path: str) -> Answer | None:
        """The redirect of a renamed repository: 301 for GET, 307 for the rest."""
        match = re.match(r"/repos/([^/]+/[^/]+)(/.*)?\Z", path)
        number = self.world.renamed.get(unquote(match[1]).lower()) if match else None
        if match is None or number is None:
            return None
        query = f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""
        location = f"{self.world.api_url}/repositories/{number}{match[2] or ''}{query}"
        get = request.method == "GET"
        said = "Moved Permanently" if get else "Temporary Redirect"
        body = {"message": said, "url": location}
        return Answer(301 if get else 307, body, {"location": location})

    def _by_id(self, path: str) -> str:
        match = re.match(r"/repositories/(\d+)(/.*)?\Z", path)
        if match is None:
            return path
        repo = self.world.repo_by_id(int(match[1]))
        if repo is None:
            raise missing()
        return f"/repos/{repo.full_name}{match[2] or ''}"

    def _operate(self, request: web.Request, path: str, raw: bytes) -> Answer:
        where = f"{request.method} {path}"
        found = spec.find(request.method, path)
        if found is None:
            self.world.violations.append(f"unknown operation {where}")
            raise missing()
        operation, params = found
        identity = auth.identify(self.world, request.headers.get("Authorization", ""))
        self._allowed(operation, identity, where)
        query, wrong = read_query(operation, dict(request.rel_url.query))
        body = self._body(raw)
        wrong += body_complaints(operation, body)
        if wrong:
            self.world.violations += [f"{where}: {text}" for text in wrong]
            raise Refused(422, "Invalid request.\n\n" + "\n".join(wrong))
        self.world.violations += [f"{where}: {text}" for text in unreadable(body)]
        return self._run(operation, where, (path, params, query, body, identity, request))

    def _allowed(self, operation: spec.Operation, identity: App | Token | None, where: str) -> None:
        try:
            auth.authorise(operation, identity)
        except Refused as error:
            if error.status == 403:
                self._unable(where, error)
            raise

    def _unable(self, where: str, error: Refused) -> None:
        needed = error.headers.get("x-accepted-github-permissions", "")
        self.world.violations.append(f"permission missing for {where} (needs {needed})")

    def _body(self, raw: bytes) -> Any:
        try:
            return json.loads(raw) if raw else None
        except ValueError as error:
            raise Refused(400, "Problems parsing JSON") from error

    def _run(self, operation: spec.Operation, where: str, parts: tuple[Any, ...]) -> Answer:
        path, params, query, body, identity, request = parts
        handler = ROUTES.get(operation.id)
        if handler is None:
            self.world.violations.append(f"{where}: {operation.id} is not built in the fake")
            raise Refused(501, f"{operation.id} is not built in the fake")
        accept = request.headers.get("Accept", "")
        call = Call(self.world, operation, path, params, query, body, identity, accept)
        try:
            _refuse_archived(request.method, path, call)
            answer = handler(call)
        except Refused as error:
            if "x-accepted-github-permissions" in error.headers:
                self._unable(where, error)
            answer = Answer(error.status, error.body, error.headers)
        self._check(operation, where, answer)
        return answer

    def _check(self, operation: spec.Operation, where: str, answer: Answer) -> None:
        check = spec.response_check(operation.id, str(answer.status))
        if answer.raw is not None or (check is None and answer.status >= 300):
            return
        if str(answer.status) not in operation.raw["responses"]:
            self.world.violations.append(f"{where}: status {answer.status} is not described")
        for text in spec.complaints(check, answer.body) if check else ():
            self.world.violations.append(f"{where}: answer {answer.status} off schema: {text}")

    def _response(
        self, request: web.Request, path: str, answer: Answer, raw: bytes
    ) -> web.StreamResponse:
        headers = self._limits() | answer.headers
        if answer.raw is not None:
            body, kind = answer.raw, "application/octet-stream"
        else:
            body, kind = json.dumps(answer.body).encode(), "application/json"
        etag = f'W/"{hashlib.sha256(body).hexdigest()}"'
        status = answer.status
        if request.method == "GET" and status == 200:
            headers["etag"] = etag
            status = 304 if request.headers.get("If-None-Match") == etag else 200
        self._log(request, path, status, raw)
        if status in (204, 304):
            return web.Response(status=status, headers=headers)
        return web.Response(status=status, body=body, content_type=kind, headers=headers)

    def _limits(self) -> dict[str, str]:
        used = self.world.used
        return {
            "x-ratelimit-limit": "5000",
            "x-ratelimit-remaining": str(5000 - used),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(int(self.world.window().timestamp())),
            "x-ratelimit-resource": "core",
            "x-github-request-id": f"FAKE:{len(self.world.requests)}",
            "date": format_datetime(self.world.clock.now(), usegmt=True),
        }

    def _log(self, request: web.Request, path: str, status: int, raw: bytes | None) -> None:
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw
        query = request.rel_url.query_string
        self.world.requests.append(Request(request.method, unquote(path), status, body, query))


def _refuse_archived(method: str, path: str, call: Call) -> None:
    """Nothing of an archived repository can be changed."""
    if method != "GET" and path.startswith("/repos/") and call.repo.archived:
        raise Refused(403, ARCHIVED)
