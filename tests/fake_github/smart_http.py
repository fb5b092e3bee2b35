"""Git over HTTP: ``git http-backend`` behind the token check."""

from __future__ import annotations

import asyncio
import gzip
import re
from urllib.parse import unquote

from aiohttp import web

from tests.fake_github import auth, ripple
from tests.fake_github.answers import Refused
from tests.fake_github.objects import environment
from tests.fake_github.state import Repo, Token
from tests.fake_github.world import World

GIT_PATH = re.compile(
    r"/([^/]+)/([^/]+?)(?:\.git)?(/info/refs|/git-upload-pack|/git-receive-pack)\Z"
)


async def serve_git(world: World, request: web.Request) -> web.StreamResponse:
    """Serve fetch and push. 401 without a good token, 403 for a push without contents: write."""
    match = GIT_PATH.match(request.rel_url.raw_path)
    assert match is not None
    name = unquote(f"{match[1]}/{match[2]}").lower()
    if name in world.renamed:
        return _moved(world, request, world.renamed[name], match[3])
    pushing = "git-receive-pack" in request.rel_url.raw_path_qs
    try:
        token = auth.identify(world, request.headers.get("Authorization", ""))
        repo = _repo(world, name, token, pushing=pushing)
    except Refused as error:
        headers = {"WWW-Authenticate": 'Basic realm="GitHub"'} if error.status == 401 else {}
        return web.Response(status=error.status, text=str(error), headers=headers)
    before = repo.bare.refs() if pushing else {}
    response = await _backend(request, repo, match[3])
    if match[3] == "/git-receive-pack":
        world.outbox += ripple.moved(world, repo, before, world.app.bot)
    return response


def _moved(world: World, request: web.Request, number: int, rest: str) -> web.StreamResponse:
    repo = world.repo_by_id(number)
    assert repo is not None
    query = request.rel_url.raw_query_string
    location = f"{world.server_url}/{repo.full_name}.git{rest}" + (f"?{query}" if query else "")
    return web.Response(status=301, headers={"Location": location})


def _repo(world: World, name: str, token: object, *, pushing: bool) -> Repo:
    repo = world.repositories.get(name)
    if not isinstance(token, Token):
        raise Refused(401, "Authentication required")
    if repo is None or not world.visible(token, repo):
        raise Refused(404, "Repository not found.")
    needed = {"contents": "write" if pushing else "read"}
    if not auth.grants(token.permissions, needed):
        world.violations.append(f"permission missing for git on {repo.full_name} (needs {needed})")
        raise Refused(403, "Write access to repository not granted.")
    return repo


_ABILITIES: dict[str, bytes] = {}
"""What git says first by version 2 of its protocol: nothing of it is about the repository."""


async def _backend(request: web.Request, repo: Repo, rest: str) -> web.StreamResponse:
    asked = f"{rest}?{request.rel_url.raw_query_string} {request.headers.get('Git-Protocol')}"
    said = _ABILITIES.get(asked) or await _said(request, repo, rest)
    if asked == "/info/refs?service=git-upload-pack version=2" and b"version 2" in said:
        _ABILITIES[asked] = said
    return _cgi(said)


async def _said(request: web.Request, repo: Repo, rest: str) -> bytes:
    body = await request.read()
    if request.headers.get("Content-Encoding") == "gzip" and body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    variables = environment() | {
        "GIT_PROJECT_ROOT": str(repo.bare.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repo.bare.path.name}{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.rel_url.raw_query_string,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_USER": "x-access-token",
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        "git", "http-backend", stdin=pipe, stdout=pipe, stderr=pipe, env=variables
    )
    out, _ = await process.communicate(body)
    return out


def _cgi(out: bytes) -> web.StreamResponse:
    head, _, body = out.partition(b"\r\n\r\n")
    pairs = [line.partition(":") for line in head.decode().split("\r\n") if line]
    headers = {name: value.strip() for name, _, value in pairs}
    status = int(headers.pop("Status", "200").split()[0]) if head else 500
    return web.Response(status=status, body=body, headers=headers)
