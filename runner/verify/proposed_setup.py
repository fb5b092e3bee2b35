"""What ``.github/cairn.yml`` could say so that a repository's tests can start. Pure.

It is made from the repository's own files: their lock file says which installer, their groups and
extras which of the dependencies are the tests'.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from runner.verify.python_layout import table

READ = (
    *("pyproject.toml", "setup.cfg", "tox.ini", "package.json", "manage.py"),
    *("requirements.txt", "setup.py"),
)
"""Files whose content is looked at."""

Read = Callable[[str], bytes | None]

_OF_TESTS = re.compile(r"^(?:tests?|testing|dev|develop|development|ci)$")
_REQUIREMENTS = re.compile(
    r"^requirements(?:[-_./](?:tests?|testing|dev|ci|base|main))?\.(?:txt|in)$"
)
_OTHERS = (
    ("go.mod", "go mod download"),
    ("Cargo.toml", "cargo fetch"),
    ("pom.xml", "mvn -q dependency:go-offline"),
    ("build.gradle", "gradle --quiet dependencies"),
    ("build.gradle.kts", "gradle --quiet dependencies"),
    ("Gemfile", "bundle install"),
    ("composer.json", "composer install"),
)
_NODE = (
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
    ("package.json", "npm install"),
)
_HEAD = """\
# What the tests need, installed once for the same lock files.
sandbox:
  network: setup
  setup:
"""


def proposed_setup(paths: Collection[str], read: Read, missing: Sequence[str] = ()) -> str:
    """Return the file's text; ``missing`` are Python packages that are known to be needed."""
    commands = [*_python(paths, read, missing), *_node(paths)]
    commands += [command for path, command in _OTHERS if path in paths]
    if not commands:
        return ""
    text = _HEAD + "".join(f"    - {_yaml(command)}\n" for command in dict.fromkeys(commands))
    return text + _verify(paths, read)


def _python(paths: Collection[str], read: Read, missing: Sequence[str]) -> Iterator[str]:
    """Commands that install what a Python project's tests need."""
    tests = any(path.endswith(".py") for path in paths)
    pyproject = _toml(read("pyproject.toml"))
    more = [name for name in dict.fromkeys(missing)]
    if "uv.lock" in paths:
        yield "pip install uv"
        yield "uv sync --frozen --all-extras --all-groups --no-install-project"
    elif "poetry.lock" in paths or table(pyproject, "tool", "poetry"):
        yield "pip install poetry"
        yield "poetry install --no-root --all-extras"
    elif "pdm.lock" in paths:
        yield "pip install pdm"
        yield "pdm install --no-self --group :all"
    elif tests:
        yield from _by_pip(paths, read, pyproject)
    if tests and (more or not _asks_for_pytest(paths, read)):
        yield f"pip install {' '.join(dict.fromkeys(['pytest', *more]))}"


def _by_pip(paths: Collection[str], read: Read, pyproject: Mapping[str, Any]) -> Iterator[str]:
    files = sorted(path for path in paths if _REQUIREMENTS.match(path))
    extras = _chosen(table(pyproject, "project", "optional-dependencies"))
    extras = extras or _chosen(_extras_of_cfg(read))
    groups = _chosen(table(pyproject, "dependency-groups"))
    if files:
        yield "pip install " + " ".join(f"-r {path}" for path in files)
    if groups:
        yield "pip install --upgrade pip"
        yield "pip install " + " ".join(f"--group {name}" for name in groups)
    if pyproject.get("project") or "setup.py" in paths or "setup.cfg" in paths:
        named = f"[{','.join(extras)}]" if extras else ""
        yield f'pip install -e ".{named}"' if named else "pip install -e ."


def _chosen(groups: Mapping[str, Any]) -> list[str]:
    """The groups of the tests; a name with ``test`` in it before one for developers."""
    named = [name for name in groups if isinstance(name, str) and _OF_TESTS.match(name)]
    return [name for name in named if name.startswith("test")] or named


def _extras_of_cfg(read: Read) -> dict[str, Any]:
    text = (read("setup.cfg") or b"").decode("utf-8", "replace")
    _, _, section = text.partition("[options.extras_require]")
    section = section.split("\n[", 1)[0]
    return dict.fromkeys(re.findall(r"^([\w-]+)\s*=", section, re.MULTILINE))


def _asks_for_pytest(paths: Collection[str], read: Read) -> bool:
    """Whether the manifests name pytest, so that installing them brings it."""
    texts = (read(path) or b"" for path in READ if path in paths and path != "tox.ini")
    return any(re.search(rb"\bpytest\b[\s\"'<>=~^]", text) for text in texts)


def _node(paths: Collection[str]) -> Iterator[str]:
    if "package.json" in paths:
        yield next(command for path, command in _NODE if path in paths)


def _verify(paths: Collection[str], read: Read) -> str:
    """Commands of the tests where no tool that is known finds them."""
    if "manage.py" in paths and not _has_pytest_django(read):
        return "verify:\n  commands:\n    - python manage.py test\n"
    if "runtests.py" in paths:
        return "verify:\n  commands:\n    - python runtests.py\n"
    return ""


def _has_pytest_django(read: Read) -> bool:
    texts = (read(path) or b"" for path in ("pyproject.toml", "setup.cfg", "tox.ini"))
    return any(b"DJANGO_SETTINGS_MODULE" in text for text in texts)


def _toml(content: bytes | None) -> Mapping[str, Any]:
    try:
        return tomllib.loads((content or b"").decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _yaml(command: str) -> str:
    """A line as YAML reads it back."""
    plain = re.fullmatch(r"[\w./=<>~^,@+-][\w ./=<>~^,@+-]*", command)
    return command if plain else json.dumps(command)
