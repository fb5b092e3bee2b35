"""What a question tells of the project itself: its guides, how it is tested, that tests are wanted.

All of it is the repository's own text, so it is shown as material, and bounded.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from runner.code.languages import is_among_tests, is_test_file
from runner.context.facts import has, says_more
from runner.context.library import Library, readable
from runner.context.search import names_in
from runner.loop.deps import Deps
from runner.loop.reading import contents
from runner.prompts.forms import kind_of
from runner.recovery.facts import open_others
from runner.state.changes import Snapshot
from runner.state.run_state import RunState
from runner.verify import configuration, tools_of

_GUIDES = (
    "AGENTS.md",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
)
_MOST_GUIDES = 3
_OTHERWISE = re.compile(
    r"\b(?:no|without|not|never|nor|don'?t)\b(?:\W+\w+){0,4}?\W+tests?\b|\btests?\b[^.\n]{0,40}\b"
    r"(?:already|exist|not needed|separate|later)",
    re.IGNORECASE,
)


async def guides(deps: Deps, base: Snapshot, about: Collection[str]) -> Mapping[str, bytes]:
    """Return what the repository tells its contributors, the nearest to the files first."""
    # of all folders around these files, the innermost first
    above = [str(folder) for path in about for folder in PurePosixPath(path).parents]
    paths = [*(f"{folder}/AGENTS.md" for folder in above if folder != "."), *_GUIDES]
    there = [path for path in dict.fromkeys(paths) if readable(base.entries, path)]
    found = await contents(deps, base, there[:_MOST_GUIDES])
    return {path: found[path] for path in there if path in found and says_more(found[path])}


async def test_command(state: RunState, deps: Deps, base: Snapshot) -> str:
    """Say with what the tests are run; '' if nobody knows."""
    verify = state.request.options.verify
    if verify.verify_mode in ("syntax", "off"):
        return ""
    if verify.verify_commands:
        first = verify.verify_commands[:3]
        return "; ".join(c[2] if c[:2] == ("sh", "-c") else shlex.join(c) for c in first)[:300]
    old = await contents(deps, base, configuration(base.entries))
    return ", ".join(dict.fromkeys(tool.name for tool in tools_of(base.entries, old.get)))


def wants_tests(state: RunState, library: Library, base: Snapshot) -> str:
    """Ask for a test where the repository has some and neither task nor roadmap says otherwise.

    '' where a test speaks of what the task names already, or another task is to write one.
    """
    task = state.task
    tests = [path for path in sorted(base.entries) if is_test_file(path)]
    text = f"{task.text}\n{task.details}"
    if not tests or kind_of(task) != "code" or _OTHERWISE.search(text):
        return ""
    others = tuple(open_others(state))
    files = [path for each in (task, *others) for path in each.files]
    titles = "\n".join(other.title for other in others)
    if any(map(is_among_tests, files)) or re.search(r"\btests?\b", titles, re.IGNORECASE):
        return ""
    names = [name.lower() for name in names_in(text)]
    known = (library.facts[path].terms for path in tests if path in library.facts)
    if any(has(terms, name) for terms in known for name in names):
        return ""
    return f"The project has tests, like `{tests[0]}`. Add one for this task."
