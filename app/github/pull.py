"""A pull request of ours as a value, read off GitHub's form and our hidden markers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from app.github.markers import first_kind, marked, marker

PREFIX = "cairn/"
"""What the name of every branch of ours begins with."""

Kind = Literal["checkpoint", "recovery"]


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request of ours: head and base branch, and which task of which roadmap it is.

    A ``recovery`` shows a proposal until it is ``applied``: then it is a member of the stack like a
    checkpoint. ``run`` is the one that proposed, ``fingerprint`` names what was proposed last;
    ``node`` is the id GraphQL wants, ``members`` are further tasks it does. ``on`` is the branch
    that its commits were made on ('' where it was not noted); GitHub's ``base`` may change since.
    """

    number: int
    url: str
    open: bool
    merged: bool
    head: str
    sha: str
    base: str
    task: str
    roadmap: str
    kind: Kind = "checkpoint"
    applied: bool = False
    run: str = ""
    fingerprint: str = ""
    draft: bool = False
    labels: frozenset[str] = field(default_factory=frozenset)
    node: str = ""
    members: tuple[str, ...] = ()
    on: str = ""
    body: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The keys of all tasks it ticks."""
        return (self.task, *self.members)

    @property
    def member(self) -> bool:
        """Say whether others can stand on it."""
        return self.kind == "checkpoint" or self.applied

    @property
    def asks(self) -> bool:
        """Say whether it shows a proposal that nobody has decided on yet."""
        return self.open and not self.member


def checkpoint_markers(tasks: Sequence[str], roadmap: str, *, on: str) -> list[str]:
    """What the description of a checkpoint of one or several tasks begins with."""
    return [
        marker("checkpoint", ",".join(tasks)),
        marker("roadmap", roadmap),
        marker("on", on),
    ]


def recovery_markers(
    task: str, roadmap: str, *, on: str, run: str, fingerprint: str, applied: bool
) -> list[str]:
    """What the description of a recovery begins with; all of them always stand there."""
    return [
        marker("recovery", task),
        marker("roadmap", roadmap),
        marker("on", on),
        marker("run", run),
        marker("proposal", fingerprint),
        marker("state", "applied" if applied else "proposed"),
    ]


def read_pull(found: Any, bot_login: str) -> Pull | None:
    """Read GitHub's form; None for what is not ours: another author, a fork, no marker."""
    head, body = found["head"], found["body"]
    kind = _kind(body)
    ours = (
        (found["user"] or {}).get("login") == bot_login
        and head["ref"].startswith(PREFIX)
        and (head["repo"] or {}).get("id") == found["base"]["repo"]["id"]
    )
    if not ours or kind is None:
        return None
    recovery = kind == "recovery"
    keys = (marked(body, kind) or "").split(",")
    return Pull(
        number=found["number"],
        url=found["html_url"],
        open=found["state"] == "open",
        merged=found["merged_at"] is not None,
        head=head["ref"],
        sha=head["sha"],
        base=found["base"]["ref"],
        task=keys[0],
        members=tuple(keys[1:]),
        roadmap=marked(body, "roadmap") or "",
        kind=kind,
        applied=recovery and marked(body, "state") == "applied",
        run=(marked(body, "run") or "") if recovery else "",
        fingerprint=(marked(body, "proposal") or "") if recovery else "",
        draft=bool(found.get("draft")),
        labels=frozenset(label["name"] for label in found["labels"]),
        node=found["node_id"],
        on=marked(body, "on") or "",
        body=body or "",
    )


def _kind(body: str | None) -> Kind | None:
    """The kind of our first marker: what text behind it says counts for nothing."""
    kinds: dict[str | None, Kind] = {"checkpoint": "checkpoint", "recovery": "recovery"}
    return kinds.get(first_kind(body))
