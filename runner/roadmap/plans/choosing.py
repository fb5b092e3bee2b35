"""Which plan is meant: the roadmap that is there, else the one plan of a tool with open tasks, else
a plan file, which is read like a roadmap.

A run never works on two plans, and none is guessed: several active ones are listed for people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.plans.form import is_closed

USUAL = "ROADMAP.md"
"""Where no other path is configured; if it is not there, plans of other tools are looked for."""
_PLAN_FILES = ("IMPLEMENTATION_PLAN.md", "PLAN.md", "fix_plan.md")
"""What agents call the plan that they write, where no tool gives it a form."""
_MOST = 50
"""Plans that are read to find the active one."""
_FEATURE = ".specify/feature.json"
"""Where spec-kit keeps which feature is worked on."""

Reader = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]


def plans_in(setting: str, paths: Collection[str], projects: Iterable[str] = ()) -> list[str]:
    """Return the files that a setting can mean: a path, a pattern, or the usual roadmap.

    Where the repository has none at its top, it is one of the plans of its ``projects``, given by
    their settings, or of a tool; where a project has none, that of a tool in its folder.
    """
    if setting in paths:
        return [setting]
    folder, _, name = setting.rpartition("/")
    if name == USUAL:
        if not folder and (own := [p for each in projects for p in plans_in(each, paths)]):
            return own
        start = f"{folder}/" if folder else ""
        there = [path for path in paths if path.startswith(start)]
        forms = ((path, form_of(path)) for path in there)
        of_tools = sorted(path for path, form in forms if form.paths and not form.apart)
        return of_tools or [start + each for each in _PLAN_FILES if start + each in paths]
    if not re.search(r"[*?\[]", setting):
        return []
    from runner.text.gitignore import matching

    return [path for path in matching(setting, paths) if not is_closed(path)]


async def plan_at(
    setting: str, paths: Collection[str], read: Reader, projects: Iterable[str] = ()
) -> str:
    """Return the plan that a setting means now; the setting itself where that is none or several.

    Where all of several are done it is the last one by name. ``paths`` are the files of a tree,
    ``read`` returns what is in some of them; ``projects`` are as for ``plans_in``.
    """
    found = plans_in(setting, paths, projects)
    if len(found) < 2:
        return found[0] if found else setting
    contents = await read([*found[:_MOST], *({_FEATURE} & {*paths})])
    active = [path for path in found[:_MOST] if _is_active(path, contents.get(path, b""))]
    chosen = [path for path in active if path == _feature(contents.get(_FEATURE, b""))]
    if not active:
        chosen = found[-1:]
    elif len(found) <= _MOST and len(active) == 1:
        chosen = active
    return chosen[0] if chosen else setting


def _is_active(path: str, content: bytes) -> bool:
    return any(task.runnable and not task.checked for task in parse_roadmap(path, content).tasks)


def _feature(content: bytes) -> str:
    """The list of the feature that spec-kit was told to work on, if it was."""
    try:
        folder = json.loads(content)["feature_directory"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return f"{folder}/tasks.md"
