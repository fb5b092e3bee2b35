"""What a task names, letter by letter: files, code, tests. No sentence of it is read.

Only what people wrote counts; a plan by a model names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from runner.code.languages import language_of, names_a_file
from runner.roadmap.task import Task
from runner.text.patterns import lazy_pattern

_PATH = lazy_pattern(
    r"(?<![\w./@:-])(?:[\w@+-][\w@.+-]*/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,4}(?![\w/])"
)
_SPAN = lazy_pattern(r"`([^`\n]{1,120})`")
_CODE = lazy_pattern(r"(?:\w+(?:\.|::|#))*[^\W\d]\w*(?P<call>\(.*\))?(?:\s*->.*)?")
_WRITTEN = lazy_pattern(
    r"(?<![\w.])(?:_*[^\W\d_]\w*_\w+|[A-Za-z]+[a-z][A-Z]\w*|[^\W\d]\w+(?=\((?!e?s\))))"
)
_WORD = lazy_pattern(r"[^\W\d]\w*")


@dataclass(frozen=True)
class TaskWords:
    """A task's text, with all that people wrote above it, and the paths that its marks name."""

    text: str
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, task: Task) -> TaskWords:
        """Read a task."""
        above = (task.place.label, task.place.section, *(h.text for h in task.place.headings))
        text = "\n".join((task.text, task.details, *task.acceptance, *above))
        return cls(text, task.files)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths it names, in code spans or not."""
        written = (*self.files, *_PATH.findall(self.text))
        return frozenset(path for path in written if "/" in path or names_a_file(path))

    @cached_property
    def names(self) -> frozenset[str]:
        """The identifiers it names: in code spans, called, or written as only code is."""
        spans = (
            _CODE.fullmatch(span) for span in _SPAN.findall(self.text) if span not in self.paths
        )
        code = (name for span in spans if span for name in _WORD.findall(span[0].partition("(")[0]))
        return frozenset((*code, *_WRITTEN.findall(self._without_paths)))

    @cached_property
    def marked(self) -> frozenset[str]:
        """What it names as code, there or not: called, or in a code span, or a path with folders.

        Another word of such a form may be a product: TypeScript, Node.js.
        """
        spans = _SPAN.findall(self.text)
        code = (word for span in spans for word in _WRITTEN.findall(span))
        called = re.findall(r"[^\W\d]\w+(?=\((?!e?s\)))", self._without_paths)
        places = (*spans, *self.files)
        paths = (p for p in self.paths if "." in p and ("/" in p or p in places))
        return frozenset((*paths, *code, *called))

    @cached_property
    def _without_paths(self) -> str:
        return _PATH.sub(" ", self.text)

    def names_file(self, path: str) -> bool:
        """Whether it names the file: by its path, the end of it, its name, or a folder it is in."""
        name = path.rpartition("/")[2]
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\w)", self.text):
            return True
        return any(path.startswith(file) for file in self.files if file.endswith("/"))


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Every identifier in the texts."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


def has_word(text: str, name: str) -> bool:
    """Whether a text has a name as a complete word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


GUIDANCE = lazy_pattern(
    r"(?:^|/)(?:CONTRIBUTING|AGENTS|CLAUDE|GEMINI|HACKING|DEVELOP(?:MENT|ING|ERS?)?"
    r"|PULL_REQUEST_TEMPLATE|copilot-instructions)\.(?:md|rst|txt|adoc)$|(?:^|/)(?:CONTRIBUTING|\.cursorrules)$",
    re.IGNORECASE,
)
"""Where projects say what a change has to include."""
_MOST_GUIDANCE = 6
MANIFEST = lazy_pattern(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|Pipfile|go\.mod"
    r"|package\.json|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?)$"
)
"""Where a project names itself, its version and the packages it needs."""
_LOCK = lazy_pattern(
    r"(?:^|/)(?:[\w.-]+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum"
    r"|go\.work|bun\.lockb?|packages\.lock\.json|gradle\.lockfile)$"
)
_LEFTOVER = lazy_pattern(
    r"^~|\.(?:log|tmp|bak|orig|rej|swp|pyc)$|(?:^|/)(?:\.DS_Store|nohup\.out)$"
    r"|(?:^|/)(?:__pycache__|\.pytest_cache|\.mypy_cache|node_modules)/|^src/hello\.py$",
    re.IGNORECASE,
)
_SETTINGS = lazy_pattern(
    r"^\.github/|^\.(?:circleci|gitlab|buildkite|woodpecker|vscode|idea|devcontainer)/"
    r"|(?:^|/)\.[^/]+$|(?:^|/)(?:(?:GNU)?Makefile|justfile|Jenkinsfile|Taskfile\.ya?ml)$"
    r"|(?:^|/)(?:azure-pipelines|bitbucket-pipelines|appveyor|codecov)\.ya?ml$"
    r"|(?:^|/)(?:ruff\.toml|mypy\.ini|pyrightconfig\.json|biome\.json)$",
    re.IGNORECASE,
)
_PAGES = lazy_pattern(
    r"(?:^|/)(?:README[.\w-]*|(?:CHANGE[-_ ]?LOGS?|CHANGES|HISTORY|NEWS|RELEASE[-_ ]?NOTES?|TODO"
    r"|LICEN[SC]ES?|COPYING|NOTICE|AUTHORS|CONTRIBUT\w+|MAINTAINERS|CODEOWNERS|CODE_OF_CONDUCT"
    r"|SECURITY|CITATION)(?:\.\w{2,5})?)$|(?:^|/)(?:changelog(?:\.d|s)?|newsfragments?|\.changes?(?:ets?)?)/"
    r"|^(?:docs?|documentation|wiki|website|man)/|^[^/]+\.(?:md|rst|adoc|mdx)$",
    re.IGNORECASE,
)


def says_what_is_installed(path: str) -> bool:
    """Whether setting the project up reads the file: a manifest, with its scripts, or a lock."""
    return MANIFEST.search(path) is not None or _LOCK.search(path) is not None


def is_leftover(path: str) -> bool:
    """Whether a file is what tools leave behind, or the example of the answer's form."""
    return _LEFTOVER.search(path) is not None


def is_prose(path: str) -> bool:
    """Whether a file is for people to read: documentation, change logs, licences."""
    code = language_of(path) not in ("", "html", "css") and not path.endswith("/conf.py")
    return not code and _PAGES.search(path) is not None


def is_text(path: str) -> bool:
    """Whether a file is text that no test can show to be right, wherever it is."""
    return is_prose(path) or path.lower().endswith((".md", ".rst", ".adoc"))


def is_beside(path: str) -> bool:
    """Whether a file stands beside the code: for people to read, or settings of tools and CI."""
    return is_prose(path) or _SETTINGS.search(path) is not None


def guidance_among(paths: Mapping[str, object] | Collection[str]) -> list[str]:
    """The paths of the project's rules for contributors, those nearest the root first."""
    found = (path for path in paths if GUIDANCE.search(path))
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_GUIDANCE]
