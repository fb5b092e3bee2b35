"""The repository's own template for pull requests, at the end of ours.

GitHub puts it into what people open in the browser, and into nothing that comes from its API
(https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/creating-a-pull-request-template-for-your-repository).
Of several templates in a folder GitHub takes none by itself; ``cairn.md`` there is meant for us,
and an empty one says that nothing is wanted. People tick and fill in what is in it, so an existing
part is never written again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.github.comments import marker, section
from runner.state.changes import EXECUTABLE, FILE, TreeEntry
from runner.text.sanitize import sanitize

_FOLDERS = (".github/", "", "docs/")
_NAMES = (
    "pull_request_template/cairn.md",
    "pull_request_template.md",
    "pull_request_template.txt",
    "pull_request_template",
)
_LONGEST = 10_000
"""Characters; a longer template is left out, because half a checklist helps nobody."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANK = re.compile(r"\n{3,}")
_NAME = "template"
_TITLE = "### From this repository's pull request template"


def template_path(entries: Mapping[str, TreeEntry]) -> str | None:
    """Return where the template of a tree is; its name may be written in any case."""
    found = {
        path.lower(): path
        for path, entry in entries.items()
        if "pull_request_template" in path.lower() and entry.mode in (FILE, EXECUTABLE)
    }
    wanted = (f"{folder}{name}" for name in _NAMES for folder in _FOLDERS)
    return next((found[path] for path in wanted if path in found), None)


def template_text(content: bytes) -> str:
    """Return what people read of a template; '' where nothing is left to read."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    shown = _BLANK.sub("\n\n", sanitize(_COMMENT.sub("", text), links=True)).strip()
    return shown if len(shown) <= _LONGEST else ""


def with_template(body: str, text: str, *, before: str = "") -> str:
    """Put a template at the end of a description; what ``before`` has of it stays as it is."""
    kept = section(before, _NAME)
    part = kept or (f"{_TITLE}\n\n{text}" if text else "")
    if not part:
        return body
    return f"{body.rstrip()}\n\n{marker(_NAME, 'begin')}\n{part}\n{marker(_NAME, 'end')}\n"
