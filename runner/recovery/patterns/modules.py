"""A module that was not found: still to be made, somewhere else, or a package nobody installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace

from runner.recovery.facts import MANIFESTS, Facts, Said
from runner.recovery.patterns.missing import Language, Missing, missing_in
from runner.recovery.patterns.names import naming_path, naming_word, told, without_suffix
from runner.recovery.patterns.packages import installed_as, listing
from runner.recovery.values import Classification

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


def modules(facts: Facts) -> Classification | None:
    """Decide about imports that were not found, when they are what most failures are about."""
    found = [(said, _of(facts, said)) for said in facts.said]
    about = [(said, each) for said, missing in found for each in missing]
    if not about or 2 * sum(bool(missing) for _, missing in found) < len(found):
        return None
    seen = [_line(said, each) for said, each in about[:3]]
    names = list(dict.fromkeys(each for _, each in about))[:_MOST_NAMES]
    for judge in (_later, _elsewhere, _package):
        for each in names:
            if decided := judge(facts, each):
                return replace(decided, evidence=(*decided.evidence, *seen))
    return None


def _of(facts: Facts, said: Said) -> tuple[Missing, ...]:
    own = _SAYS_MODULE.search(facts.manifests.get("go.mod", ""))
    return missing_in(said.text, own[1] if own else "")


def _line(said: Said, missing: Missing) -> str:
    return f"{said.test or 'the tests'}: {missing.name} cannot be imported"


def _later(facts: Facts, missing: Missing) -> Classification | None:
    """A module of the repository that an open task is going to make."""
    if _there(facts, missing):
        return None
    task = naming_path(facts.others, lambda file: _would_be(facts, missing, file))
    if task is None and _inside(facts, missing) and not _own(facts, missing):
        task = naming_word(facts.others, missing.name, *_words(missing))
    if task is None:
        return None
    said = f"{told(task)} is still to make {missing.name}"
    return Classification("missing_dependency", (said,), waits_for=task.key)


def _elsewhere(facts: Facts, missing: Missing) -> Classification | None:
    """A module of the repository that nobody is going to make, or that lies somewhere else."""
    places = sorted(_named_like(facts, missing))
    if places:
        said = f"{', '.join(places[:3])} is there: the import names it by another path"
        return Classification("unknown", (said,))
    if not _inside(facts, missing):
        return None
    whose = "this task itself should make it" if _own(facts, missing) else "no open task makes it"
    said = f"{missing.name} would be a part of this repository; {whose}"
    return Classification("unknown", (said,))


def _package(facts: Facts, missing: Missing) -> Classification | None:
    """A package: what the manifests list and whether setup may run again decide."""
    top = missing.name.split(".")[0] if missing.language == "python" else missing.name
    if missing.language == "python" and top in sys.stdlib_module_names:
        return None
    name = installed_as(top)
    nobody = f"{name} is no part of the repository, and no open task makes it"
    listed = listing(facts.manifests, top)
    if listed:
        said = f"{listed} lists {name}, yet it is not installed"
        return Classification("environment_issue", (said, nobody))
    manifest = next((p for p in _MANIFEST_OF.get(missing.language, ()) if p in facts.manifests), "")
    if facts.setup and manifest:
        said = f"{manifest} may be given {name}, and setup installs it; the task does not say so"
        return Classification("task_too_vague", (said, nobody))
    why = "setup installs no packages here" if not facts.setup else "no manifest could list it"
    said = f"{name} is not installed: no manifest lists it, and {why}"
    return Classification("environment_issue", (said, nobody))


def _there(facts: Facts, missing: Missing) -> bool:
    return any(without_suffix(path) == missing.path for path in facts.paths | facts.changed)


def _would_be(facts: Facts, missing: Missing, file: str) -> bool:
    """Whether a file that a task names would be found by this import."""
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


def _inside(facts: Facts, missing: Missing) -> bool:
    """Whether the name can only mean a part of this repository."""
    top = missing.path.partition("/")[0]
    return missing.inside or (missing.language == "python" and top in _tops(facts))


def _tops(facts: Facts) -> set[str]:
    """The first names that Python code of this repository can be imported by."""
    found = set()
    for path in facts.paths | facts.changed:
        if path.endswith(".py"):
            first, _, rest = path.removesuffix(".py").partition("/")
            found |= {first, rest.partition("/")[0]} if first in ("src", "lib") else {first}
    return found


def _own(facts: Facts, missing: Missing) -> bool:
    return any(_would_be(facts, missing, file) for file in facts.task.files)


def _named_like(facts: Facts, missing: Missing) -> Iterator[str]:
    """Files whose own name is that of the module, wherever they lie."""
    last = missing.path.rpartition("/")[2]
    for path in facts.paths | facts.changed:
        stem = without_suffix(path)
        if path.endswith(_CODE) and stem.rpartition("/")[2] == last:
            yield path


def _words(missing: Missing) -> tuple[str, ...]:
    """The last part of the name as a title says it, one or several."""
    last = missing.path.rpartition("/")[2]
    spoken = last.replace("_", " ")
    return tuple(dict.fromkeys((last, spoken, spoken.removesuffix("s"), f"{spoken}s")))
