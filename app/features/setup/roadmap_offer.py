"""Offer a first roadmap, made from open issues with a label.

Anybody can open an issue, so only its title is taken, as one line in which nothing is active. Who
may label issues chooses them, and nothing starts before a person merged the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from app.github.api import RepositoryApi
from app.github.one_pull import Offered
from runner.config.model import CONFIG_PATH
from runner.text.sanitize import inert_line, sanitize

MOST_ISSUES = 50
_LONGEST = 200
TITLE = "Propose a first roadmap"


@dataclass(frozen=True, slots=True)
class LabelledIssue:
    """An open issue; its title is foreign text."""

    number: int
    title: str
    url: str


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


def roadmap_text(path: str, issues: Sequence[LabelledIssue], label: str, offered: Offered) -> str:
    """Say where the first roadmap is (Markdown)."""
    if offered.state == "pushed":
        return f"Cairn proposed a `{path}` in {offered.url}, and somebody has changed it since."
    return (
        f"Cairn proposes a `{path}` in {offered.url}: {len(issues)} "
        f"task{'s' * (len(issues) != 1)}, from the open issues with the label `{label}`. "
        "Nothing starts before it is merged."
    )


def no_issues(path: str, label: str, similar: Sequence[str] = ()) -> str:
    """There is nothing to make a first roadmap of; ``similar`` files may be the one that is."""
    if similar:
        there = sanitize(similar[0], plain=True).replace("`", "'")
        return (
            f"There is no `{path}`. If `{there}` is the roadmap, name it in `{CONFIG_PATH}` "
            f"(`roadmap.path: {there}`), or comment `/execute {there}`."
        )
    return (
        f"There is no `{path}`, and no open issue has the label `{label}`. Put the label on "
        "the issues that are to become tasks and comment `/execute setup` again, or write "
        f"`{path}` yourself."
    )


def body(path: str, issues: Sequence[LabelledIssue]) -> str:
    """What the description says of a first roadmap."""
    numbers = ", ".join(f"[{each.number}]({each.url})" for each in issues)
    return (
        f"This pull request adds `{path}` with one task for each of these issues: {numbers}. Only "
        "their titles were taken, and no model was asked. Edit the file before you merge it: say "
        "what has to be done, name files, and delete what is not a task. Merging it closes no "
        "issue."
    )
