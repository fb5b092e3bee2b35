"""What ``.github/cairn.yml`` could say so that a repository's tests can start. Pure.

It is made from the repository's own files: their lock file says which installer, their groups and
extras which of the dependencies are the tests'.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.verify.projects import project_files
from runner.verify.python_layout import MANIFESTS, table
from runner.verify.release_version import normal

READ = (
    *("pyproject.toml", "setup.cfg", "tox.ini", "package.json", "manage.py"),
    *("requirements.txt", "setup.py", "pytest.ini"),
)
"""Files whose content is looked at."""

Read = Callable[[str], bytes | None]

_OF_TESTS = re.compile(r"tests?|testing|dev|develop|development|ci")
_NOT_OF_TESTS = re.compile(
    r"docs?|documentation|lint(?:ing|ers?)?|format(?:ting)?|style|releas(?:e|ing)|publish(?:ing)?"
)
_REQUIREMENTS = re.compile(
    r"requirements(?:[-_./](?:tests?|testing|dev|ci|base|main))?\.(?:txt|in)"
)
_ANY_REQUIREMENTS = re.compile(r"requirements[\w./-]*\.(?:txt|in)")
_REQUIRED = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:[\[<>=!~;#@]|$)")
# https://packaging.python.org/en/latest/specifications/name-normalization/#name-format
_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_LISTS_OF_INI_FILES = ("install_requires", "tests_require", "deps", "required_plugins")
_OTHERS = (
    ("go.mod", "go mod download"),
    ("Cargo.toml", "cargo fetch"),
    ("pom.xml", "mvn -q dependency:go-offline"),
    ("build.gradle", "gradle --quiet dependencies"),
    ("build.gradle.kts", "gradle --quiet dependencies"),
    ("Gemfile", "bundle install"),
    ("composer.json", "composer install"),
)
# npx fetches what an image with Node seldom has
_NODE = (
    ("pnpm-lock.yaml", "npx --yes pnpm{} {}install --frozen-lockfile"),
    ("yarn.lock", "npx --yes yarn{} {}install --frozen-lockfile"),
    ("package-lock.json", "npm {}ci"),
    ("npm-shrinkwrap.json", "npm {}ci"),
    ("package.json", "npm {}install"),
)
_IN_FOLDER = {"pnpm": "--dir {} ", "yarn": "--cwd {} ", "npm": "--prefix {} "}
_MOST_PROJECTS = 10
_HEAD = """\
# What the tests need, installed once for the same lock files.
sandbox:
  network: setup
  setup:
"""


@dataclass(frozen=True, slots=True)
class ProposedLine:
    """One line of the file, without its place in it, and why it is there (Markdown)."""

    text: str
    why: str


_NETWORK = ProposedLine(
    "network: setup", "lets the commands below use the network; the tests never have one"
)


@dataclass(frozen=True, slots=True)
class ProposedSetup:
    """The file's ``text`` ('' where nothing can be proposed), and the reason for each line.

    ``unnamed`` are the packages that seem to be missing and that no file of the repository names.
    No line installs them: who guesses a package from a module's name may get somebody else's.
    """

    text: str = ""
    lines: tuple[ProposedLine, ...] = ()
    unnamed: tuple[str, ...] = ()


def proposed_setup(
    paths: Collection[str],
    read: Read,
    missing: Sequence[str] = (),
    *,
    pytest: bool = False,
    by_pip: bool = False,
) -> ProposedSetup:
    """Return what to write; ``missing`` are Python packages that seem to be needed.

    Those are installed only if a manifest names them. ``pytest`` says that it is there already. A
    lock file decides which installer is used; ``by_pip`` is the second way, without it.
    """
    packages = dict.fromkeys(name for name in missing if _PACKAGE.fullmatch(name))
    pyproject = _toml(read("pyproject.toml"))
    named = _required(paths, read, pyproject, every=True)
    wanted = [name for name in packages if normal(name) in named]
    commands = list(_python(paths, read, pyproject, wanted, pytest=pytest, by_pip=by_pip))
    commands += _node(paths, read)
    commands += [_found(command, path) for path, command in _OTHERS if path in paths]
    unnamed = tuple(name for name in packages if name not in wanted)
    if not commands:
        return ProposedSetup(unnamed=unnamed)
    unique = {each.text: each for each in commands}.values()
    text = _HEAD + "".join(f"    - {_yaml(each.text)}\n" for each in unique)
    verify = _verify(paths, read)
    text += "".join(f"verify:\n  commands:\n    - {each.text}\n" for each in verify)
    return ProposedSetup(text, (_NETWORK, *unique, *verify), unnamed)


def _found(command: str, path: str) -> ProposedLine:
    return ProposedLine(command, f"`{path}` says what to install")


def _python(
    paths: Collection[str],
    read: Read,
    pyproject: Mapping[str, Any],
    wanted: Sequence[str],
    *,
    pytest: bool,
    by_pip: bool,
) -> Iterator[ProposedLine]:
    """Commands that install what a Python project's tests need."""
    tests = any(path.endswith(".py") for path in paths)
    locked = () if by_pip else tuple(_by_lock_file(paths, pyproject))
    if locked:
        yield from locked
    elif tests:
        yield from _by_pip(paths, read, pyproject)
        yield from _of_projects(paths)
    listed = _required(paths, read, pyproject, every=False)
    if tests and not (pytest or "pytest" in listed or _asks_for_pytest(paths, read)):
        yield ProposedLine("pip install pytest", "no file of the repository names pytest")
    if left := [name for name in wanted if normal(name) not in {*listed, "pytest"}]:
        are, them = ("is", "it") if len(left) == 1 else ("are", "them")
        why = f"{_names(left)} {are} missing, and this repository's own files name {them}"
        yield ProposedLine(f"pip install {' '.join(left)}", why)


def _by_lock_file(paths: Collection[str], pyproject: Mapping[str, Any]) -> Iterator[ProposedLine]:
    """What installs the versions of a lock file: the dependencies, the extras and the tests' group.

    Not the project itself, whose build may need what is not here, and nothing for docs or linters.
    """
    extras = [
        name
        for name in {
            **table(pyproject, "project", "optional-dependencies"),
            **table(pyproject, "tool", "poetry", "extras"),
        }
        if _PACKAGE.fullmatch(name) and not _NOT_OF_TESTS.fullmatch(name)
    ]
    groups = {
        **table(pyproject, "dependency-groups"),
        **table(pyproject, "tool", "poetry", "group"),
    }
    groups |= table(pyproject, "tool", "pdm", "dev-dependencies")
    chosen = _chosen(groups)
    words: list[str] = []
    if "uv.lock" in paths:
        tool, why = "uv", "`uv.lock` is a lock file of uv"
        words = ["uv sync --frozen --no-install-project", *(f"--extra {name}" for name in extras)]
        words += ["--no-default-groups", *(f"--group {name}" for name in chosen)] if chosen else []
    elif "poetry.lock" in paths or table(pyproject, "tool", "poetry"):
        tool, why = "poetry", "the project is managed with Poetry"
        words = ["poetry install --no-root", *(f"--extras {name}" for name in extras)]
        if table(pyproject, "tool", "poetry", "dev-dependencies"):
            chosen = chosen or ["dev"]
        words += [f"--only main,{','.join(chosen)}"] if chosen else []
    elif "pdm.lock" in paths:
        tool, why = "pdm", "`pdm.lock` is a lock file of PDM"
        words = ["pdm install --frozen-lockfile --no-self"]
        words += [f"--group {name}" for name in dict.fromkeys((*extras, *chosen))]
    if words:
        yield ProposedLine(f"pip install {tool}", why)
        with_groups = f", with those of {_names(chosen)}" if chosen else ""
        why = f"installs the locked dependencies{with_groups}, but not the project itself"
        yield ProposedLine(" ".join(words), why)


def _required(
    paths: Collection[str], read: Read, pyproject: Mapping[str, Any], *, every: bool
) -> frozenset[str]:
    """The packages that manifests name: ``every`` one, or those that the commands install."""
    lines: list[object] = []
    there = filter(_ANY_REQUIREMENTS.fullmatch, paths) if every else _requirements(paths)
    for path in there:
        lines += (read(path) or b"").decode("utf-8", "replace").splitlines()
    project = table(pyproject, "project")
    extras, groups = table(project, "optional-dependencies"), table(pyproject, "dependency-groups")
    lists = [project.get("dependencies")]
    lists += [extras[name] for name in (extras if every else _chosen(extras))]
    lists += [groups[name] for name in (groups if every else _chosen(groups))]
    if every:
        lists += [
            *table(pyproject, "tool", "pdm", "dev-dependencies").values(),
            table(pyproject, "tool", "uv").get("dev-dependencies"),
            table(pyproject, "tool", "pytest", "ini_options").get("required_plugins"),
        ]
        poetry = table(pyproject, "tool", "poetry")
        sections = [poetry, *table(poetry, "group").values()]
        for section in (each for each in sections if isinstance(each, Mapping)):
            lines += [*table(section, "dependencies"), *table(section, "dev-dependencies")]
        lines += _of_ini_files(read)
    for each in lists:
        lines += each.split() if isinstance(each, str) else each if isinstance(each, list) else []
    names = (_REQUIRED.match(line) for line in lines if isinstance(line, str))
    return frozenset(normal(found[1]) for found in names if found)


def _of_ini_files(read: Read) -> Iterator[str]:
    """The lines of the lists of requirements in setup.cfg, tox.ini and pytest.ini."""
    for path in ("setup.cfg", "tox.ini", "pytest.ini"):
        parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",))
        try:
            parser.read_string((read(path) or b"").decode("utf-8", "replace"))
        except configparser.Error:
            continue
        for name, section in parser.items():
            for key, value in section.items():
                if name == "options.extras_require" or key in _LISTS_OF_INI_FILES:
                    yield from value.split(None if key == "required_plugins" else "\n")


def _requirements(paths: Collection[str]) -> list[str]:
    """The files of requirements that are installed."""
    return sorted(path for path in paths if _REQUIREMENTS.fullmatch(path))


def _by_pip(
    paths: Collection[str], read: Read, pyproject: Mapping[str, Any]
) -> Iterator[ProposedLine]:
    files = _requirements(paths)
    extras = _chosen(table(pyproject, "project", "optional-dependencies"))
    extras = extras or _chosen(_extras_of_cfg(read))
    groups = _chosen(table(pyproject, "dependency-groups"))
    if files:
        command = "pip install " + " ".join(f"-r {path}" for path in files)
        verb = "lists" if len(files) == 1 else "list"
        yield ProposedLine(command, f"{_names(files)} {verb} what to install")
    if groups:
        yield ProposedLine("pip install --upgrade pip", "an older pip does not know `--group`")
        command = "pip install " + " ".join(f"--group {name}" for name in groups)
        yield ProposedLine(command, f"`pyproject.toml` has these dependencies: {_names(groups)}")
    if pyproject.get("project") or "setup.py" in paths or "setup.cfg" in paths:
        named = f"[{','.join(extras)}]" if extras else ""
        command = f'pip install -e ".{named}"' if named else "pip install -e ."
        with_extras = f" with its extras for tests: {_names(extras)}" if extras else ""
        yield ProposedLine(command, f"installs the project and its dependencies{with_extras}")


def _of_projects(paths: Collection[str]) -> Iterator[ProposedLine]:
    """What installs Python projects below the root, into one environment."""
    for folder in _projects(paths, "requirements.txt"):
        path = f"{folder}/requirements.txt"
        yield ProposedLine(f"pip install -r {path}", f"`{path}` lists what to install")
    for folder in dict.fromkeys(f for name in MANIFESTS for f in _projects(paths, name)):
        if any(f"{folder}/{name}" in paths for name in ("pyproject.toml", "setup.py")):
            yield ProposedLine(f"pip install -e ./{folder}", f"`{folder}` is a project of its own")


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _chosen(groups: Mapping[str, Any]) -> list[str]:
    """The groups of the tests; a name with ``test`` in it before one for developers."""
    named = [name for name in groups if isinstance(name, str) and _OF_TESTS.fullmatch(name)]
    return [name for name in named if name.startswith("test")] or named


def _extras_of_cfg(read: Read) -> dict[str, Any]:
    text = (read("setup.cfg") or b"").decode("utf-8", "replace")
    _, _, section = text.partition("[options.extras_require]")
    section = section.split("\n[", 1)[0]
    return dict.fromkeys(re.findall(r"^([\w-]+)\s*=", section, re.MULTILINE))


def _asks_for_pytest(paths: Collection[str], read: Read) -> bool:
    """Whether the manifests name pytest, so that setup installs it."""
    texts = (read(path) or b"" for path in READ if path in paths and path != "tox.ini")
    return any(re.search(rb"\bpytest\b[\s\"'<>=~^]", text) for text in texts)


def _node(paths: Collection[str], read: Read) -> Iterator[ProposedLine]:
    """What installs the packages of the root; without any, of each project below it."""
    if "package.json" in paths:
        yield _installing("", paths, read)
        return
    for folder in _projects(paths, "package.json"):
        yield _installing(folder, paths, read)


def _installing(folder: str, paths: Collection[str], read: Read) -> ProposedLine:
    start = f"{folder}/" if folder else ""
    path, command = next((path, install) for path, install in _NODE if f"{start}{path}" in paths)
    name = re.sub(r"[^a-z]", "", path.partition("-")[0].partition(".")[0])
    manager = name if name in ("pnpm", "yarn") else "npm"
    there = _IN_FOLDER[manager].format(folder) if folder else ""
    if manager == "npm":
        return _found(command.format(there), f"{start}{path}")
    version = _version_of(manager, read(f"{start}package.json"))
    line = command.format(version, there)
    if manager == "yarn" and f"{start}.yarnrc.yml" in paths:  # the file of Yarn 2 and later
        line = line.replace(f"yarn{version} ", f"@yarnpkg/cli-dist{version} ")
        line = line.replace("--frozen-lockfile", "--immutable")
    return _found(line, f"{start}{path}")


def _version_of(manager: str, package: bytes | None) -> str:
    """The version that ``packageManager`` names, as npm writes it (``@9.1.0``); '' for none."""
    found = re.search(rb'"packageManager"\s*:\s*"(\w+)(@\d[\w.-]*)', package or b"")
    return found[2].decode() if found and found[1].decode() == manager else ""


def _projects(paths: Collection[str], manifest: str) -> list[str]:
    """The first folders below the root that have a manifest, by names a shell takes as they are."""
    found = [path.rpartition("/")[0] for path in project_files(paths, manifest)]
    return [folder for folder in found if re.fullmatch(r"\w[\w./-]*", folder)][:_MOST_PROJECTS]


def _verify(paths: Collection[str], read: Read) -> list[ProposedLine]:
    """The command of the tests where no tool that is known finds them."""
    if "manage.py" in paths and not _has_pytest_django(read):
        why = "`manage.py` is Django's, and no settings for pytest-django were found"
        return [ProposedLine("python manage.py test", why)]
    if "runtests.py" in paths:
        return [ProposedLine("python runtests.py", "`runtests.py` runs the tests")]
    return []


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
