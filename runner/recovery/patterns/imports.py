"""Failures of imports: circular, not made yet, elsewhere, or a package that is not installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from runner.code.missing import INSTALLED_AS, Language, Missing, missing_in
from runner.recovery.facts import (
    MANIFESTS,
    FailureFacts,
    TestMessage,
)
from runner.roadmap.task import Task
from runner.state.proposal import Classification

_PYTHON = re.compile(
    r"(?:cannot import name '(?P<name>[^'\n]{1,200})' from partially initialized module|"
    r"partially initialized module) '(?P<module>[\w.]{1,200})'"
)
_GO = re.compile(r"import cycle not allowed")
_FRAME = re.compile(r"^(?P<file>[^\s:][^:\n]{0,300}\.py):\d+: in <module>", re.MULTILINE)
_REMEDY = "import inside the function that needs it, or under `if TYPE_CHECKING:`"


def circular(facts: FailureFacts) -> Classification | None:
    """Split what one answer ties into a circle; a circle with old code is for people."""
    for message in facts.messages:
        found = _PYTHON.search(message.text)
        if found is None and not _GO.search(message.text):
            continue
        around = {f["file"] for f in _FRAME.finditer(message.text)} - {message.file}
        if found:
            around |= {path for path in facts.changed if _is(path, found["module"])}
        seen = f"{message.test or 'the tests'}: a circular import{_circle_of(found)}; {_REMEDY}"
        ours = around & facts.changed
        if len(ours) > 1 and ours == around & (facts.changed | facts.paths):
            names = " and ".join(sorted(ours))
            both = f"{names} are both written by this task, and each needs the other"
            return Classification("task_too_complex", (both, seen))
        return Classification("unknown", (seen,))
    return None


def _is(path: str, module: str) -> bool:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") == module


def _circle_of(found: re.Match[str] | None) -> str:
    return f" of {found['module']}" if found else ""


def installed_as(name: str) -> str:
    """The name under which a package is installed, if it differs."""
    return INSTALLED_AS.get(name, name)


def listing(manifests: Mapping[str, str], name: str) -> str:
    """Return the manifest that lists a package, '' when none does."""
    names = {_plain(name), _plain(installed_as(name))}
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(each)}(?![\w-])" for each in names))
    return next((path for path, text in manifests.items() if pattern.search(_plain(text))), "")


def _plain(text: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/ ."""
    return re.sub(r"[_.]+", "-", text).lower()


_READ = 10_000


def naming_path(others: tuple[Task, ...], fits: Callable[[str], bool]) -> Task | None:
    """Return the first open task that names a file which fits."""
    return next((task for task in others if any(fits(file) for file in task.files)), None)


def naming_word(others: tuple[Task, ...], *words: str) -> Task | None:
    """Return the first open task whose own text or details have one of the words, as a word."""
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in words if word))
    return next(
        (task for task in others if pattern.pattern and pattern.search(words_of(task))), None
    )


def words_of(task: Task) -> str:
    """What a task itself says."""
    return f"{task.text}\n{task.details}"[:_READ]


def task_name(task: Task) -> str:
    """A task as evidence names it."""
    return f"task {task.name} ({' '.join(task.title.split())[:100]})"


def without_suffix(path: str) -> str:
    """A path without its ending, and without a name that means its folder."""
    stem = re.sub(r"\.[A-Za-z]{1,5}$", "", path.rstrip("/"))
    return re.sub(r"(?:/__init__|/index|/mod)$", "", stem)


_SAYS_MODULE = re.compile(r"^\s*module\s+(\S{1,200})", re.MULTILINE)
_MANIFEST_OF: dict[Language, tuple[str, ...]] = {
    "python": MANIFESTS[:7],
    "node": ("package.json",),
    "go": ("go.mod",),
    "rust": ("Cargo.toml",),
}

_MOST_NAMES = 20
_SUFFIXES: dict[Language, tuple[str, ...]] = {
    "python": (".py", ".pyi"),
    "node": (".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".json"),
    "go": (".go",),
    "rust": (".rs",),
}
_CODE = tuple(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)


def modules(facts: FailureFacts) -> Classification | None:
    """Decide about imports that were not found, when they are what most failures are about."""
    found = [(message, _of(facts, message)) for message in facts.messages]
    about = [(message, each) for message, missing in found for each in missing]
    if not about or 2 * sum(bool(missing) for _, missing in found) < len(found):
        return None
    seen = [_line(message, each) for message, each in about[:3]]
    names = list(dict.fromkeys(each for _, each in about))[:_MOST_NAMES]
    for judge in (_later, _elsewhere, _package):
        for each in names:
            if decided := judge(facts, each):
                return replace(decided, evidence=(*decided.evidence, *seen))
    return None


def _of(facts: FailureFacts, message: TestMessage) -> tuple[Missing, ...]:
    own = _SAYS_MODULE.search(facts.manifests.get("go.mod", ""))
    return missing_in(message.text, own[1] if own else "")


def _line(message: TestMessage, missing: Missing) -> str:
    return f"{message.test or 'the tests'}: {missing.name} cannot be imported"


def _later(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A module of the repository that an open task is going to make."""
    if _there(facts, missing):
        return None
    task = naming_path(facts.others, lambda file: _would_be(facts, missing, file))
    if task is None and _inside(facts, missing) and not _own(facts, missing):
        task = naming_word(facts.others, missing.name, missing.path.rpartition("/")[2])
    if task is None:
        return None
    text = f"{task_name(task)} has yet to make {missing.name}"
    return Classification("missing_dependency", (text,), waits_for=task.key)


def _elsewhere(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A module of the repository that no task will make, or that is somewhere else."""
    places = sorted(_named_like(facts, missing))
    if places:
        text = f"{', '.join(places[:3])} exists, but the import names another path"
        return Classification("unknown", (text,))
    if not _inside(facts, missing):
        return None
    whose = "this task itself should make it" if _own(facts, missing) else "no open task makes it"
    text = f"{missing.name} should be part of this repository; {whose}"
    return Classification("unknown", (text,))


def _package(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A package: what the manifests list and whether setup may run again decide."""
    top = missing.name.split(".")[0] if missing.language == "python" else missing.name
    if missing.language == "python" and top in sys.stdlib_module_names:
        return None
    name = installed_as(top)
    nobody = f"{name} is not part of the repository, and no open task makes it"
    listed = listing(facts.manifests, top)
    if listed:
        text = f"{listed} lists {name}, but it is not installed"
        return Classification("environment_issue", (text, nobody))
    manifest = next((p for p in _MANIFEST_OF.get(missing.language, ()) if p in facts.manifests), "")
    if facts.setup and manifest:
        text = f"{manifest} could list {name}, and setup would install it; the task does not say so"
        return Classification("task_too_vague", (text, nobody))
    why = "setup installs no packages here" if not facts.setup else "no manifest could list it"
    text = f"{name} is not installed: no manifest lists it, and {why}"
    return Classification("environment_issue", (text, nobody))


def _there(facts: FailureFacts, missing: Missing) -> bool:
    return any(without_suffix(path) == missing.path for path in facts.paths | facts.changed)


def _would_be(facts: FailureFacts, missing: Missing, file: str) -> bool:
    """Whether this import would find a file that a task names."""
    stem = without_suffix(file)
    if not file.endswith((*_SUFFIXES[missing.language], "/")):
        return False
    if missing.language == "go":
        return missing.path in (stem.rpartition("/")[0], stem)
    if not (stem == missing.path or stem.endswith(f"/{missing.path}")):
        return missing.inside and missing.language == "node" and missing.path.endswith(f"/{stem}")
    folder = stem.removesuffix(missing.path).rstrip("/")
    # `app/redis.py` is app.redis where app is a package; only from a folder of sources is it redis
    packaged = missing.language == "python" and f"{folder}/__init__.py" in facts.paths
    return not (folder and packaged)


def _inside(facts: FailureFacts, missing: Missing) -> bool:
    """Whether the name can only mean a part of this repository."""
    top = missing.path.partition("/")[0]
    return missing.inside or (missing.language == "python" and top in _tops(facts))


def _tops(facts: FailureFacts) -> set[str]:
    """The first names that Python code of this repository can be imported by."""
    found = set()
    for path in facts.paths | facts.changed:
        if path.endswith(".py"):
            first, _, rest = path.removesuffix(".py").partition("/")
            found |= {first, rest.partition("/")[0]} if first in ("src", "lib") else {first}
    return found


def _own(facts: FailureFacts, missing: Missing) -> bool:
    return any(_would_be(facts, missing, file) for file in facts.task.files)


def _named_like(facts: FailureFacts, missing: Missing) -> Iterator[str]:
    """Files with the name of the module, in any folder."""
    last = missing.path.rpartition("/")[2]
    for path in facts.paths | facts.changed:
        stem = without_suffix(path)
        if path.endswith(_CODE) and stem.rpartition("/")[2] == last:
            yield path
