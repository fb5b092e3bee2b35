"""Failures of imports: circular, not made yet, elsewhere, or a package that is not installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from runner.code.missing import INSTALLED_AS, Language, Missing, missing_in
from runner.recovery.facts import MANIFESTS, FailureFacts
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
        what = "a circular import"
        if found:
            what = f"{what} of {found['module']}"
            module = found["module"].replace(".", "/")
            around |= facts.changed & {f"{module}.py", f"{module}/__init__.py"}
        seen = f"{message.test or 'the tests'}: {what}; {_REMEDY}"
        ours = around & facts.changed
        if len(ours) > 1 and ours == around & (facts.changed | facts.paths):
            names = " and ".join(sorted(ours))
            both = f"{names} are both written by this task, and each needs the other"
            return Classification("task_too_complex", (both, seen))
        return Classification("unknown", (seen,))
    return None


def listing(manifests: Mapping[str, str], name: str) -> str:
    """Return the manifest that lists a package, '' when none does."""
    names = {_plain(name), _plain(INSTALLED_AS.get(name, name))}
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
_CODE = (
    *(".py", ".pyi", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".json"),
    *(".go", ".rs"),
)


def modules(facts: FailureFacts) -> Classification | None:
    """Decide about imports that were not found, when they are what most failures are about."""
    own = _SAYS_MODULE.search(facts.manifests.get("go.mod", ""))
    found = [
        (message, missing_in(message.text, own[1] if own else "")) for message in facts.messages
    ]
    about = [(message, each) for message, missing in found for each in missing]
    if not about or 2 * sum(bool(missing) for _, missing in found) < len(found):
        return None
    seen = [f"{m.test or 'the tests'}: {each.name} cannot be imported" for m, each in about[:3]]
    names = list(dict.fromkeys(each for _, each in about))[:_MOST_NAMES]
    for judge in (_later, _elsewhere, _package):
        for each in names:
            if decided := judge(facts, each):
                return replace(decided, evidence=(*decided.evidence, *seen))
    return None


def _later(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A module of the repository that an open task is going to make."""
    task = naming_path(facts.others, lambda file: _makes(file, missing))
    if task is None:
        return None
    text = f"{task_name(task)} has yet to make {missing.name}"
    return Classification("missing_dependency", (text,), waits_for=task.key)


def _makes(file: str, missing: Missing) -> bool:
    """Whether a file would be the module: a folder of sources is no part of its name."""
    stem = without_suffix(file)
    if missing.language == "go":
        return missing.path in (stem.rpartition("/")[0], stem)
    return stem in (missing.path, f"src/{missing.path}", f"lib/{missing.path}")


def _elsewhere(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A module of the repository that no task will make, or that is somewhere else."""
    files = facts.paths | facts.changed
    last = missing.path.rpartition("/")[2]
    named = (path for path in files if path.endswith(_CODE))
    if places := sorted(p for p in named if without_suffix(p).rpartition("/")[2] == last):
        text = f"{', '.join(places[:3])} exists, but the import names another path"
        return Classification("unknown", (text,))
    inside = missing.inside
    if missing.language == "python":
        # the first names that Python code of this repository can be imported by
        parts = [path.removesuffix(".py").split("/") for path in files if path.endswith(".py")]
        tops = {part for each in parts for part in each[: 2 if each[0] in ("src", "lib") else 1]}
        inside = inside or missing.path.partition("/")[0] in tops
    if not inside:
        return None
    text = f"{missing.name} should be part of this repository; no open task makes it"
    return Classification("unknown", (text,))


def _package(facts: FailureFacts, missing: Missing) -> Classification | None:
    """A package: what the manifests list and whether setup may run again decide."""
    top = missing.name.split(".")[0] if missing.language == "python" else missing.name
    if missing.language == "python" and top in sys.stdlib_module_names:
        return None
    name = INSTALLED_AS.get(top, top)
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
