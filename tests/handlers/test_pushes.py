"""What is kept of a push, and what it starts."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.events import MalformedPayload
from handlers.issue_thread import Role
from handlers.pushes import MOST_TASKS, PushStart, RoadmapPush, changes_tasks, read_push, started_by
from runner.roadmap.diff import RoadmapDiff, diff
from runner.roadmap.parse import parse_roadmap

ZERO = "0" * 40
OLD = "- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md`\n"


def payload(**other: Any) -> dict[str, Any]:
    """A push to the default branch, as far as we read it."""
    account = {"id": 7, "login": "writer", "type": "User"}
    repository = {"id": 1, "full_name": "o/r", "default_branch": "main", "private": False}
    return {
        "ref": "refs/heads/main",
        "before": "a" * 40,
        "after": "b" * 40,
        "created": False,
        "deleted": False,
        "forced": False,
        "repository": repository,
        "installation": {"id": 9},
        "sender": account,
        **other,
    }


def changed(new: str, old: str = OLD) -> RoadmapDiff:
    """The difference between two roadmaps."""
    return diff(*(parse_roadmap("ROADMAP.md", text.encode()) for text in (old, new)))


def titles(start: PushStart, text: str) -> list[str]:
    """The titles of the tasks that are started."""
    tasks = parse_roadmap("ROADMAP.md", text.encode()).tasks
    return [task.title for task in tasks if task.key in start.tasks]


def push(diff: RoadmapDiff | None, *, role: Role = "write", bot: bool = False) -> RoadmapPush:
    """A push where pushes start work."""
    return RoadmapPush(trigger="execute", diff=diff, role=role, bot=bot)


def test_a_push_to_the_default_branch_is_kept() -> None:
    """Both ends, the repository and who pushed; zeros mean that there was nothing before."""
    event = read_push(delivery="d", payload=payload())
    first = read_push(delivery="d", payload=payload(before=ZERO, created=True))

    assert event is not None
    assert (event.before, event.after, event.sender.id) == ("a" * 40, "b" * 40, 7)
    assert (event.repository.id, event.repository.installation_id, event.delivery) == (1, 9, "d")
    assert first is not None
    assert first.before == ""


@pytest.mark.parametrize(
    "other",
    [
        {"ref": "refs/heads/feature"},
        {"ref": "refs/tags/main"},
        {"ref": "refs/heads/main/more"},
        {"deleted": True, "after": ZERO},
    ],
)
def test_other_pushes_are_dropped(other: dict[str, Any]) -> None:
    """Branches besides the default one, tags and deletions mean nothing."""
    assert read_push(delivery="d", payload=payload(**other)) is None


@pytest.mark.parametrize("field", ["ref", "before", "after", "repository", "sender"])
def test_a_push_that_lacks_something_is_named(field: str) -> None:
    """What GitHub promises and does not send is named."""
    broken = payload()
    del broken[field]

    with pytest.raises(MalformedPayload, match=field):
        read_push(delivery="d", payload=broken)


def test_new_and_changed_open_tasks_are_started() -> None:
    """What is done, optional, a check or as it was before is not."""
    new = (
        "- [ ] 1.1 Write `one.md` in verse\n- [x] 1.2 Write `two.md`\n- [ ] 1.3 Write `three.md`\n"
        "- [x] 1.4 Write `four.md`\n- [ ] 1.5 Write `five.md` (optional)\n"
        "\n## Acceptance Criteria\n- [ ] It reads well\n"
    )

    start = started_by(push(changed(new)))

    assert titles(start, new) == ["Write one.md in verse", "Write three.md"]
    assert start.refused == ""


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace("[ ]", "[x]"),
        OLD.replace("[x]", "[ ]"),
        "\n".join(reversed(OLD.splitlines())) + "\n",
        f"# A title\n\n{OLD}",
        OLD.replace("\n", "\r\n"),
    ],
    ids=["ticked", "unticked", "moved", "text", "crlf"],
)
def test_ticks_moves_and_other_text_start_nothing(new: str) -> None:
    """They say nothing new about any task."""
    found = changed(new)

    assert started_by(push(found)) == PushStart()
    assert not changes_tasks(found)


def test_what_could_be_several_tasks_starts_nothing() -> None:
    """Where nobody can say which task is new, none is taken for it."""
    found = changed("- [ ] Same\n- [ ] Same\n- [ ] Same\n", "- [ ] Same\n- [ ] Same\n")

    assert started_by(push(found)).tasks == ()


@pytest.mark.parametrize(
    ("role", "bot", "refused"),
    [
        ("read", False, "permission"),
        ("triage", False, "permission"),
        ("none", False, "permission"),
        ("admin", True, "bot"),
        ("write", False, ""),
        ("maintain", False, ""),
    ],
)
def test_who_may_start_work_by_a_push(role: Role, bot: bool, refused: str) -> None:
    """The same permission as for the command, and no bot that nobody allowed."""
    start = started_by(push(changed(OLD + "- [ ] 1.3 More\n"), role=role, bot=bot))

    assert start.refused == refused
    assert bool(start.tasks) == (not refused)


def test_a_roadmap_that_cannot_be_compared_starts_nothing() -> None:
    """Nobody knows what is new, so that the plan says why and waits for a command."""
    assert started_by(push(None)) == PushStart(refused="unreadable")
    assert changes_tasks(None)


@pytest.mark.parametrize("trigger", ["plan", "off"])
def test_without_the_trigger_nothing_is_started_or_refused(trigger: Any) -> None:
    """Where pushes start nothing there is nothing to refuse."""
    found = changed(OLD + "- [ ] 1.3 More\n")

    assert started_by(RoadmapPush(trigger=trigger, diff=found, role="none")) == PushStart()


def test_one_push_starts_so_many_tasks_at_most() -> None:
    """A roadmap of thousands of new tasks is bounded."""
    many = "".join(f"- [ ] T{n} Write `f{n}.md`\n" for n in range(MOST_TASKS + 20))

    assert len(started_by(push(changed(many, ""))).tasks) == MOST_TASKS
