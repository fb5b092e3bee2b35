"""Offer a first roadmap, made from open issues with a label, as one pull request.

Anybody can open an issue, so only its title is taken, as one line in which nothing is active. Who
may label issues chooses them, and nothing starts before a person merged the file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from app.github.api import RepositoryApi
from app.github.one_pull import Offered, OfferedPulls, of_one_file
from app.github.pulls import PREFIX
from runner.errors import TaskError
from runner.ports import Repository
from runner.state.changes import blob_sha
from runner.state.run_state import RunState
from runner.text.sanitize import inert_line, sanitize

ROADMAP_BRANCH = f"{PREFIX}roadmap"
MOST_ISSUES = 50
_LONGEST = 200
_TITLE = "Propose a first roadmap"


@dataclass(frozen=True, slots=True)
class LabelledIssue:
    """An open issue; its title is foreign text."""

    number: int
    title: str
    url: str


Labelled = Callable[[str], Awaitable[Sequence[LabelledIssue]]]
"""The open issues with a label, the oldest first. Raises ``Outage`` or ``TaskError``."""


async def labelled(api: RepositoryApi, label: str) -> list[LabelledIssue]:
    """Return the open issues with a label, as many as one roadmap gets."""
    asked = {"state": "open", "labels": label, "sort": "created", "direction": "asc"}
    query = urlencode({**asked, "per_page": "100"})
    found: list[LabelledIssue] = []
    async for each in api.items(f"issues?{query}", "list the issues that are to become tasks"):
        if "pull_request" not in each and len(found) < MOST_ISSUES:
            found.append(LabelledIssue(each["number"], each["title"], each["html_url"]))
    return found


def first_roadmap(issues: Sequence[LabelledIssue]) -> str:
    """Return a roadmap with one task for each issue."""
    tasks = [
        f"- [ ] 1.{number} {_title(each)} ([issue {each.number}]({each.url}))"
        for number, each in enumerate(issues, 1)
    ]
    return "\n".join(["# Roadmap", "", "## 1 First tasks", "", *tasks, ""])


def _title(issue: LabelledIssue) -> str:
    """One line without markup: what could be a checkbox, a link or HTML is plain text."""
    plain = " ".join(inert_line(sanitize(issue.title, plain=True)).split())
    plain = "".join(" " if sign in "[]()<>`|" else sign for sign in plain)
    return " ".join(plain.split())[:_LONGEST].strip() or f"Issue {issue.number}"


class RoadmapOffer:
    """The offer to one repository, whose default branch is ``branch``, in the name of a ``run``."""

    def __init__(
        self,
        repository: Repository,
        pulls: OfferedPulls,
        labelled: Labelled,
        *,
        branch: str,
        run: str,
    ) -> None:
        self._repository = repository
        self._pulls = pulls
        self._labelled = labelled
        self._branch = branch
        self._run = run

    async def answer(self, state: RunState, label: str) -> str:
        """Offer a roadmap where there is none; say where it is (Markdown), or ''.

        Doing it twice leaves one. Raises ``Outage`` or ``TaskError``.
        """
        path, base = state.request.roadmap, state.stack.base
        if not base or path in (await self._repository.snapshot(base)).entries:
            return ""
        issues = await self._labelled(label)
        if not issues:
            return (
                f"There is no `{path}`, and no open issue has the label `{label}`. Put it on the "
                "issues that are to become tasks and comment `/execute setup` again, or write "
                f"`{path}` yourself."
            )
        try:
            offered = await self._offer(path, base, issues)
        except TaskError as error:
            return f"Cairn could not propose a `{path}`: {sanitize(error.message, plain=True)}"
        if offered.state == "pushed":
            return f"Cairn proposed a `{path}` in {offered.url}, and somebody has changed it since."
        return (
            f"Cairn proposes a `{path}` in {offered.url}: {len(issues)} "
            f"task{'s' * (len(issues) != 1)}, from the open issues with the label `{label}`. "
            "Nothing starts before it is merged."
        )

    async def _offer(self, path: str, base: str, issues: Sequence[LabelledIssue]) -> Offered:
        content = first_roadmap(issues).encode()
        source = blob_sha(content)
        known = await self._pulls.known(ROADMAP_BRANCH)
        if known and known.state == "open" and known.source == source:
            return known
        shown = of_one_file(
            path,
            content,
            await self._repository.snapshot(base),
            run=self._run,
            branch=ROADMAP_BRANCH,
            below=self._branch,
            parent=base,
            title=_TITLE,
            body=_body(path, issues),
        )
        return await self._pulls.offer(shown, source)


def _body(path: str, issues: Sequence[LabelledIssue]) -> str:
    numbers = ", ".join(f"[{each.number}]({each.url})" for each in issues)
    parts = [
        f"This pull request adds `{path}` with one task for each of these issues: {numbers}. Only "
        "their titles were taken, and no model was asked.",
        "- **To change something**, edit the file on this branch: say what has to be done, name "
        "files, and delete what is no task. Cairn does not overwrite what people push here.\n"
        "- **To use it**, merge this pull request and comment `/execute` on an issue. Merging it "
        "starts nothing, and it closes no issue.\n"
        "- **If you do not want it**, close this pull request. Cairn opens it again only when "
        "somebody comments `/execute setup`.",
    ]
    return "\n\n".join(parts)
