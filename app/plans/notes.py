"""What a plan says about the push that changed it last."""

from __future__ import annotations

from collections.abc import Sequence

from app.progress.tasks import cell, named
from handlers.permissions import Role
from handlers.pushes import Start
from handlers.replies import quoted
from handlers.table import START
from runner.roadmap.diff import RoadmapDiff
from runner.roadmap.task import Task

_SHOWN = 10
_LINE = 300


def started(run: str, tasks: Sequence[Task]) -> str:
    """Which run works on what."""
    listed = "\n".join(f"- {named(task)}" for task in tasks[:_SHOWN])
    more = f"\n- … {len(tasks) - _SHOWN:,} more" if len(tasks) > _SHOWN else ""
    return (
        f"The last push changed the roadmap. Run `{run}` works on exactly the tasks that are new "
        f"or changed; a comment below tells how far it is:\n\n{listed}{more}"
    )


def unclear(found: RoadmapDiff | None) -> str:
    """Which tasks are started by nothing because nobody can say whether they are new."""
    if not found or not found.unclear:
        return ""
    listed = "\n".join(f"- {cell(str(each), _LINE)}" for each in found.unclear[:_SHOWN])
    return (
        "The last push starts none of these, for nobody can tell which of them are new (an id for "
        f"each would):\n\n{listed}"
    )


def refused(start: Start, *, login: str, role: Role) -> str:
    """Why the last push starts nothing, and what to do; '' when there was nothing to start."""
    why = {
        "": "",
        "unreadable": "the roadmap before it cannot be read (its commit is gone, as after a force "
        "push), so that nobody knows which tasks are new",
        "bot": f"it came from {quoted(login)}, a bot that this server's `CAIRN_ALLOWED_BOTS` does "
        "not name",
        "permission": f"it came from {quoted(login)}, who has the permission *{role}* on this "
        f"repository, and a run needs *{START.needs}* or more",
    }[start.refused]
    if not why:
        return ""
    return (
        f"**The last push starts nothing:** {why}. Somebody with the permission *{START.needs}* "
        f"can comment `{START.words}` here."
    )
