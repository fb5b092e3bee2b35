"""Files beside the code that nobody may have asked for: documentation, change logs, CI, settings.

They count as asked for where the task, or the project's own rules for contributors, speak of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from runner.context.grammars import language_of
from runner.validators.asked import TaskWords

Side = Literal["documentation", "change log", "legal", "CI", "settings", "leftover"]

GUIDANCE = re.compile(
    r"(?:^|/)(?:CONTRIBUTING|AGENTS|CLAUDE|GEMINI|HACKING|DEVELOP(?:MENT|ING|ERS?)?"
    r"|PULL_REQUEST_TEMPLATE|copilot-instructions)\.(?:md|rst|txt|adoc)$|(?:^|/)(?:CONTRIBUTING|\.cursorrules)$",
    re.IGNORECASE,
)
"""Where projects say what a change has to bring with it."""
_MOST_GUIDANCE = 6
MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|Pipfile|go\.mod"
    r"|package\.json|Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?)$"
)
"""Where a project names itself, its version and the packages it needs."""

_SIDES: tuple[tuple[Side, str], ...] = (
    ("leftover", r"^~|\.(?:log|tmp|bak|orig|rej|swp|pyc)$|(?:^|/)(?:\.DS_Store|nohup\.out)$"
                 r"|(?:^|/)(?:__pycache__|\.pytest_cache|\.mypy_cache|node_modules)/|^src/hello\.py$"),
    ("CI", r"^\.github/(?:workflows|actions)/|^\.(?:circleci|gitlab|buildkite|woodpecker)/"
           r"|(?:^|/)(?:\.gitlab-ci|\.travis|\.?appveyor|azure-pipelines|bitbucket-pipelines"
           r"|\.?codecov|dependabot|renovate)\.(?:ya?ml|json)$|(?:^|/)Jenkinsfile$"),
    ("settings", r"(?:^|/)\.(?:git(?:ignore|attributes)|editorconfig|flake8"
                 r"|pre-commit-config\.ya?ml|pylintrc|coveragerc|dockerignore|npmrc|nvmrc"
                 r"|python-version|tool-versions|readthedocs\.ya?ml|(?:prettier|eslint|stylelint|markdownlint|yamllint)[.\w]*)$"
                 r"|^\.(?:vscode|idea|devcontainer)/|^\.github/cairn\.yml$|^\.gitmodules$"
                 r"|(?:^|/)(?:(?:GNU)?Makefile|justfile|Taskfile\.ya?ml)$"
                 r"|(?:^|/)(?:ruff\.toml|mypy\.ini|pyrightconfig\.json|biome\.json)$"),
    ("change log", r"(?:^|/)(?:CHANGE[-_ ]?LOGS?|CHANGES|HISTORY|NEWS|RELEASE[-_ ]?NOTES?|RELEASES"
                   r"|UPGRADING|WHATSNEW)(?:\.\w{2,5})?$|(?:^|/)(?:changelog(?:\.d|s)?"
                   r"|newsfragments?|\.changes?(?:ets?)?|whatsnew|releasenotes)/"),
    ("legal", r"(?:^|/)(?:LICEN[SC]ES?|COPYING|NOTICE|AUTHORS|CONTRIBUTORS|MAINTAINERS|CODEOWNERS"
              r"|CODE_OF_CONDUCT|SECURITY|CITATION)(?:\.\w{2,5})?$"),
    ("documentation", r"(?:^|/)(?:README[.\w-]*|CONTRIBUTING[.\w]*|TODO[.\w]*)$"
                      r"|^(?:docs?|documentation|wiki|website|man)/|^[^/]+\.(?:md|rst|adoc|mdx)$"),
)  # fmt: skip
_PATTERNS = tuple((side, re.compile(pattern, re.IGNORECASE)) for side, pattern in _SIDES)
_WORDS: dict[Side, tuple[str, ...]] = {
    "leftover": (),
    "CI": ("ci", "workflow", "pipeline", "actions", "travis", "github", "gitlab", "tox", "nox",
           "coverage", "codecov", "deploy", "publish", "python", "node", "drop", "support"),
    "settings": ("config", "setting", "ignor", "lint", "hook", "tool", "editor", "pre", "setup",
                 "ruff", "flake8", "mypy", "pyright", "eslint", "prettier", "formatter", "coverage",
                 "make", "build", "target"),
    "change log": ("changelog", "changes", "news", "history", "release", "version"),
    "legal": ("licen", "copyright", "author", "contribut", "maintainer", "credit",
              "legal", "security", "citation"),
    "documentation": ("document", "readme", "guide", "tutorial", "manual", "handbook",
                      "wiki", "typo", "spell", "wording", "grammar", "instruction", "anleitung",
                      "beschreib", "dokumentier", "sphinx", "mkdocs", "rst", "markdown", "website",
                      "readthedocs", "translat", "faq", "докум", "описа", "文档", "文檔", "说明",
                      "ドキュメント", "説明", "문서"),
}  # fmt: skip
_BEGINNING = ("scaffold", "skeleton", "bootstrap", "initiali", "boilerplate", "rebrand")
_VERSION = re.compile(r"\bv\d{1,4}\.\d{1,4}|\b\d{1,4}\.\d{1,4}\.\d{1,4}\b")
_CJK = tuple(word for words in _WORDS.values() for word in words if ord(word[0]) > 0x2E80)
_RULE: dict[Side, re.Pattern[str]] = {
    "change log": re.compile(r"change ?log|changes|release notes?|news|towncrier|history", re.I),
    "documentation": re.compile(r"\bdoc(?:s|ument\w*)\b|readme", re.I),
    "legal": re.compile(r"authors|contributors|licen[sc]e header", re.I),
}


def side_of(path: str) -> Side | None:
    """Return which kind of file beside the code a path is; None for any other file."""
    side = next((side for side, pattern in _PATTERNS if pattern.search(path)), None)
    is_code = language_of(path) not in ("", "html", "css") and not path.endswith("/conf.py")
    return None if side == "documentation" and is_code else side


def guidance_among(paths: Mapping[str, object]) -> list[str]:
    """The paths of the project's rules for contributors, those nearest the root first."""
    found = (path for path in paths if GUIDANCE.search(path))
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_GUIDANCE]


def asked_for(path: str, side: Side, asked: TaskWords, guidance: Mapping[str, bytes]) -> bool:
    """Say whether the task or the project's rules want a file of this side changed."""
    if asked.names_file(path) or asked.mentions(*_BEGINNING):
        return True
    if side == "documentation" and any(side_of(named) == side for named in asked.files):
        return False  # it says which
    if asked.mentions(*_WORDS[side]) or (side == "documentation" and asked.prose & {"doc", "docs"}):
        return True
    if any(word in asked.text for word in _CJK) or re.search(r"\bset(?:ting)?[ -]up\b", asked.text):
        return True
    if side == "change log" and _VERSION.search(asked.text):
        return True
    rule = _RULE.get(side)
    said = "\n".join(text.decode("utf-8", "replace") for text in guidance.values())
    return TaskWords(said).names_file(path) or (rule is not None and rule.search(said) is not None)
