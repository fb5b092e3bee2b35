"""What a route receives and gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.fake_github.spec import Operation
from tests.fake_github.state import App, Comment, Issue, Repo, Token, User

if TYPE_CHECKING:
    from tests.fake_github.world import World


class Refused(Exception):
    """An answer that is an error, in GitHub's form. ``errors`` is the list of a 422."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.headers: dict[str, str] = more.pop("headers", {})
        self.body = {
            "message": message,
            **more,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(status),
        }


def missing() -> Refused:
    """404, also for what the token may not see."""
    return Refused(404, "Not Found")


def invalid(message: str = "Validation Failed", *errors: dict[str, Any]) -> Refused:
    """422, with GitHub's list of errors where there is one."""
    return Refused(422, message, **({"errors": list(errors)} if errors else {}))


@dataclass(frozen=True)
class Answer:
    """A good answer. ``raw`` replaces the JSON body (raw file contents)."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None


@dataclass(frozen=True)
class Call:
    """One checked request to one operation. ``query`` values have the described types."""

    world: World
    operation: Operation
    path: str
    params: dict[str, str]
    query: dict[str, Any]
    body: Any
    identity: Token | App | None
    accept: str = ""

    @property
    def repo(self) -> Repo:
        """The repository the path names; 404 when the token may not see it."""
        repo = self.world.repositories.get(f"{self.params['owner']}/{self.params['repo']}".lower())
        if repo is None or not self.world.visible(self.identity, repo):
            raise missing()
        return repo

    @property
    def actor(self) -> User:
        """Who acts: the App's bot."""
        return self.world.app.bot

    @property
    def issue(self) -> Issue:
        """The issue (or pull request) the path names; a deleted one is 410, who may read sees.

        https://docs.github.com/en/rest/issues/issues#get-an-issue
        """
        number = int(self.params["issue_number"])
        found = self.repo.issues.get(number)
        if number in self.repo.deleted:
            raise Refused(410, "This issue was deleted")
        if found is None:
            raise missing()
        return found

    @property
    def pull(self) -> Issue:
        """The pull request the path names."""
        found = self.repo.issues.get(int(self.params["pull_number"]))
        if found is None or found.pull is None:
            raise missing()
        return found

    @property
    def comment(self) -> Comment:
        """The issue comment the path names."""
        wanted = int(self.params["comment_id"])
        for issue in self.repo.issues.values():
            for comment in issue.comments:
                if comment.id == wanted:
                    return comment
        raise missing()

    @property
    def token(self) -> Token:
        """The installation token of the request."""
        if not isinstance(self.identity, Token):
            raise Refused(401, "Requires authentication")
        return self.identity

    def page(self, items: list[Any]) -> tuple[list[Any], dict[str, str]]:
        """One page of ``items`` and the Link header (absent when one page is all)."""
        size = min(int(self.query.get("per_page", 30)), 100)
        number = max(int(self.query.get("page", 1)), 1)
        last = max(-(-len(items) // size), 1)
        wanted: dict[str, int] = {}
        if number > 1:
            wanted |= {"prev": min(number - 1, last), "first": 1}
        if number < last:
            wanted |= {"next": number + 1, "last": last}
        links = [f'<{self._link(page)}>; rel="{rel}"' for rel, page in wanted.items()]
        start = (number - 1) * size
        return items[start : start + size], {"link": ", ".join(links)} if links else {}

    def _link(self, page: int) -> str:
        path = self.path
        if "repo" in self.params:
            rest = path.split("/", 4)[4:]
            path = "/".join([f"/repositories/{self.repo.id}", *rest])
        query = {**self.query, "page": page}
        text = "&".join(f"{k}={_plain(v)}" for k, v in query.items())
        return f"{self.world.api_url}{path}?{text}"


def _plain(value: Any) -> str:
    return quote(str(value).lower() if isinstance(value, bool) else str(value), safe="")
