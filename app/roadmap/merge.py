"""``cairn merge-roadmap``: a merge driver that git calls for roadmaps.

https://git-scm.com/docs/gitattributes#_defining_a_custom_merge_driver
"""

from __future__ import annotations

import asyncio

from app.local.files import UnusableRoadmap, read_roadmap, replace_unless_changed
from app.roadmap.commands import complain
from app.terminal import any_encoding
from runner.errors import Outage
from runner.git.command import Finished, hermetic
from runner.roadmap.replay import RoadmapEdits, merged_roadmaps

_MOST_CONFLICTS = 127
"""What git merge-file returns at most for conflicts; a higher code is an error."""


def merge(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge two roadmaps into the file ``ours``; 1 if a person has to look, 2 if it cannot be read.

    ``path`` is what people call the file. Where boxes and lines cannot both be kept, git merges
    the file as text, with conflict markers.
    """
    any_encoding()
    name = path or ours
    try:
        old, mine, new = (read_roadmap(each) for each in (base, ours, theirs))
        merged = merged_roadmaps(name, RoadmapEdits(old, mine), new)
        if merged is not None:
            replace_unless_changed(ours, mine, merged)
            return 0
        text = asyncio.run(_as_text(base, ours, theirs))
        replace_unless_changed(ours, mine, text.stdout)
    except (UnusableRoadmap, Outage) as error:
        complain(f"{name} was not merged: {error}")
        return 2
    complain(_look(name, text))
    return 1


async def _as_text(base: str, ours: str, theirs: str) -> Finished:
    labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
    done = await hermetic().call("merge-file", "-p", *labels, "--", ours, base, theirs)
    if done.exit_code > _MOST_CONFLICTS:
        raise Outage("git", done.stderr.strip() or "git merge-file failed")
    return done


def _look(name: str, text: Finished) -> str:
    if text.exit_code:
        return f"{name}: both sides changed the same lines; edit what is between the markers."
    return (
        f"{name}: merged as text, but tasks may be missing or doubled; read it before you commit."
    )
