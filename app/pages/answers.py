"""Answers as a page or as JSON, with the headers that keep a page to itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

from app.pages import words

# https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html; form-action,
# frame-ancestors and base-uri do not fall back to default-src
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept, Cookie",
}

_ASSETS = {"pages.css": "text/css", "live.js": "text/javascript"}


def wants_page(request: web.Request) -> bool:
    """Say whether a person with a browser asks; programs name JSON or nothing in particular."""
    return "text/html" in request.headers.get("Accept", "")


def answer(
    request: web.Request, template: str, data: Mapping[str, Any], *, status: int = 200
) -> web.Response:
    """Return ``data`` as the page or, unless a browser asks, as JSON."""
    if not wants_page(request):
        return web.json_response(dict(data), status=status, headers=HEADERS)
    return page(template, data, status=status)


def page(template: str, data: Mapping[str, Any], *, status: int = 200) -> web.Response:
    """Render a page; every value in it is escaped."""
    text = _environment().get_template(f"{template}.html.j2").render(**data)
    return web.Response(text=text, status=status, content_type="text/html", headers=HEADERS)


def problem(request: web.Request, text: str, *, status: int) -> web.Response:
    """Say what is wrong and what to do."""
    if not wants_page(request):
        return web.json_response({"error": text}, status=status, headers=HEADERS)
    return page("problem", {"text": text, "status": status}, status=status)


def masked(value: Any, mask: Callable[[str], str]) -> Any:
    """Return a JSON value in which every text is masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: masked(inner, mask) for key, inner in value.items()}
    if isinstance(value, list):
        return [masked(inner, mask) for inner in value]
    return value


async def asset(request: web.Request) -> web.Response:
    """Serve the style sheet and the script; they hold nothing of anybody."""
    name = request.match_info["name"]
    if name not in _ASSETS:
        raise web.HTTPNotFound
    # the set-up's last page is styled although its server may be gone by then
    headers = {**HEADERS, "Cache-Control": "max-age=3600" if name == "pages.css" else "no-store"}
    return web.Response(body=_content(name), content_type=_ASSETS[name], headers=headers)


@cache
def _content(name: str) -> bytes:
    return (resources.files("app.pages") / "static" / name).read_bytes()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("app.pages", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["moment"] = words.moment
    environment.globals["statuses"] = words.STATUSES
    environment.filters["number"] = lambda value: "–" if value is None else f"{value:,}"  # noqa: RUF001
    environment.filters["money"] = lambda value: f"${value:.4f}" if value else "–"  # noqa: RUF001
    environment.filters["when"] = lambda value: value.replace("T", " ").replace("+00:00", " UTC")
    return environment
