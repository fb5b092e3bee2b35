"""As much of GitHub as the handlers speak to, in memory, over real HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

OUR_LOGIN = "cairn[bot]"


@dataclass
class SmallGitHub:
    """One repository ``o/r``; what the bot did to it can be read from the fields."""

    permissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    reactions: list[tuple[int, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    locked: bool = False

    def grants(self, login: str, user_id: int, role: str, base: str | None = None) -> None:
        """Let an account have a role (``base``: what ``permission`` says, if different)."""
        user = {"login": login, "id": user_id, "type": "User"}
        self.permissions[login] = {
            "permission": base or role,
            "role_name": role,
            "user": user,
        }

    def said(self) -> list[str]:
        """Return what our App wrote, in order."""
        return [c["body"] for c in self.comments if c["user"]["login"] == OUR_LOGIN]

    def application(self) -> web.Application:
        """Return the server."""
        app = web.Application()
        app.router.add_get("/repos/o/r/collaborators/{login}/permission", self._permission)
        app.router.add_post("/repos/o/r/issues/comments/{id}/reactions", self._react)
        app.router.add_get("/repos/o/r/issues/7/comments", self._list)
        app.router.add_post("/repos/o/r/issues/7/comments", self._comment)
        app.router.add_patch("/repos/o/r/issues/comments/{id}", self._edit)
        return app

    async def _permission(self, request: web.Request) -> web.Response:
        self.asked.append(request.match_info["login"])
        found = self.permissions.get(request.match_info["login"])
        if found is None:
            return web.json_response({"message": "Not Found"}, status=404)
        return web.json_response(found)

    async def _react(self, request: web.Request) -> web.Response:
        if self.locked:
            return web.json_response({"message": "Unable to react, locked"}, status=403)
        content = (await request.json())["content"]
        self.reactions.append((int(request.match_info["id"]), content))
        return web.json_response({"content": content}, status=201)

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response(self.comments)

    async def _comment(self, request: web.Request) -> web.Response:
        if self.locked:
            return web.json_response({"message": "Unable to comment, locked"}, status=403)
        body = (await request.json())["body"]
        user = {"login": OUR_LOGIN, "id": 99, "type": "Bot"}
        comment = {"id": 900 + len(self.comments), "body": body, "user": user}
        self.comments.append(comment)
        return web.json_response(comment, status=201)

    async def _edit(self, request: web.Request) -> web.Response:
        wanted = int(request.match_info["id"])
        (comment,) = [each for each in self.comments if each.get("id") == wanted]
        comment["body"] = (await request.json())["body"]
        return web.json_response(comment)
