"""The demo's GitHub in a browser: its issue and its pull requests, and a field for comments."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from aiohttp import web

from app.server.http import from_elsewhere
from tests.fake_github import FakeGitHub
from tests.fake_github.state import Issue
from tools.pictures.sheet import Card, fenced, sheet

BY = "ada"
"""Who visitors comment as."""

_FORM = f"""\
<section><h1>Comment as {BY}, for example <code>/execute status</code>, or <code>/approve</code>
on a proposal; then reload this page</h1>
<form method="post"><p style="margin: 16px"><textarea name="body" rows="3" cols="70" required>\
</textarea><br><button>Comment</button></p></form></section></main>"""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "Cache-Control": "no-store",
}


class Site:
    """The pages of one repository of a fake GitHub."""

    def __init__(self, repository: str) -> None:
        self.github: FakeGitHub | None = None
        self._repository = repository

    def routes(self) -> list[web.RouteDef]:
        """Return the routes, at the addresses that GitHub has them at."""
        place = f"/{self._repository}/{{kind:issues|pull}}/{{number:[0-9]{{1,9}}}}"
        return [
            web.get("/", self._front),
            web.get(f"/{self._repository}", self._front),
            web.get(place, self._show),
            web.post(place, self._comment),
        ]

    async def _front(self, _request: web.Request) -> web.Response:
        assert self.github is not None
        issues = self.github.repo(self._repository).issues.values()
        links = "\n".join(
            f"- [#{each.number}](/{self._repository}/{'pull' if each.pull else 'issues'}/"
            f"{each.number}) {each.title}"
            for each in sorted(issues, key=lambda issue: issue.number)
        )
        text = (
            f"It stands in for GitHub while the demo runs. Its issues and pull requests:\n\n{links}"
        )
        page = sheet(Card(f"The demo's repository {self._repository}", text))
        return web.Response(text=page, content_type="text/html", headers=_HEADERS)

    async def _show(self, request: web.Request) -> web.Response:
        issue = self._issue(request)
        cards = await asyncio.to_thread(lambda: list(self._cards(issue)))
        page = sheet(*cards).replace("</main>", _FORM)
        return web.Response(text=page, content_type="text/html", headers=_HEADERS)

    async def _comment(self, request: web.Request) -> web.Response:
        issue, body = self._issue(request), str((await request.post()).get("body", "")).strip()
        if from_elsewhere(request.headers) or not body:
            raise web.HTTPForbidden(text="Comment with the form of this page.")
        assert self.github is not None
        await self.github.comment(self._repository, issue.number, body, by=BY)
        return web.Response(status=303, headers={"Location": request.path})

    def _issue(self, request: web.Request) -> Issue:
        assert self.github is not None
        known = self.github.repo(self._repository).issues
        issue = known.get(int(request.match_info["number"]))
        if issue is None or (request.match_info["kind"] == "pull") != (issue.pull is not None):
            raise web.HTTPNotFound(text="The demo has no such issue or pull request.")
        return issue

    def _cards(self, issue: Issue) -> Iterator[Card]:
        assert self.github is not None
        pull = issue.pull
        state = (
            "merged" if pull and pull.merged else "draft" if pull and pull.draft else issue.state
        )
        labels = (state, *(label.name for label in issue.labels))
        kind = "Pull request" if pull else "Issue"
        yield Card(f"{kind} #{issue.number}: {issue.title}", issue.body or "", labels)
        if pull:
            bare = self.github.repo(self._repository).state.bare
            diff = bare.text("diff", f"{pull.base}...{pull.sha}")
            yield Card("Files changed", fenced(diff, "diff"))
        for comment in issue.comments:
            yield Card(f"{comment.user.login} commented", comment.body)
