"""What tasks of one project need of other projects: ``(depends on api#1.2)``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from runner.loop.stacking import content_at, plan_of
from runner.ports import Repository
from runner.roadmap.edit import find
from runner.roadmap.lint.rules import DEPENDS
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap
from runner.state.publishing import Stack
from runner.state.run_state import TaskElsewhere

_LONGEST = 20_000
_NAMED = re.compile(r"[`*]*([A-Za-z][\w-]*)#([^\s`*]+)[`*]*")


async def needed_elsewhere(
    repository: Repository, stack: Stack, roadmap: Roadmap, plans: Mapping[str, str]
) -> dict[str, tuple[TaskElsewhere, ...]]:
    """Return what open tasks need of other plans and is not done on the base branch, by key.

    ``plans`` are the plans of the repository's projects, as configured, by name. What no project is
    called is left alone. Raises ``Outage`` and ``TaskError``.
    """
    projects = {name.lower(): name for name in plans}
    base, known = stack.base or stack.tip, dict[str, Roadmap]()
    found: dict[str, tuple[TaskElsewhere, ...]] = {}
    for task in roadmap.tasks if plans else ():
        said = (each["ref"] for each in DEPENDS.finditer(f"{task.text}\n{task.details}"[:_LONGEST]))
        named = (_NAMED.fullmatch(text.rstrip(".")) for text in (*task.depends_text, *said))
        for project, id in dict.fromkeys(match.groups() for match in named if match):
            if task.checked or (name := projects.get(project.lower())) is None:
                continue
            if name not in known:
                path = await plan_of(repository, base, plans[name])
                content = await content_at(repository, base, path) or b""
                known[name] = await asyncio.to_thread(parse_roadmap, path, content)
            other = find(known[name], id)
            if other and other.checked:
                continue
            shown = stack.others.get(known[name].path, ())
            pull = next((each.number for each in shown if other and other.key in each.tasks), 0)
            need = TaskElsewhere(f"{name}#{id}", pull, known=other is not None)
            found[task.key] = (*found.get(task.key, ()), need)
    return found
