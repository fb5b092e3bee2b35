"""What kind of project a tree is, and how it is laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from runner.context.grammars import language_of

_MARKS = {
    "pyproject.toml": "Python",
    "setup.py": "Python",
    "setup.cfg": "Python",
    "requirements.txt": "Python",
    "package.json": "JavaScript",
    "tsconfig.json": "TypeScript",
    "go.mod": "Go",
    "Cargo.toml": "Rust",
    "pom.xml": "Java (Maven)",
    "build.gradle": "Java (Gradle)",
    "build.gradle.kts": "Kotlin or Java (Gradle)",
    "CMakeLists.txt": "C or C++ (CMake)",
    "Makefile": "make",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "Dockerfile": "Docker",
}
_TESTS = frozenset({"test", "tests", "spec", "__tests__"})


def project_type(paths: Collection[str]) -> str:
    """Say in one line what the tree is made of; '' when nothing tells."""
    marks = [f"{kind} ({name})" for name, kind in _MARKS.items() if name in paths]
    counts = Counter(filter(None, map(language_of, paths)))
    files = [f"{count} {name}" for name, count in counts.most_common(3)]
    tests = sorted({top for top in (path.split("/")[0] for path in paths) if top in _TESTS})
    parts = [
        ", ".join(marks),
        f"files: {', '.join(files)}" if files else "",
        f"tests in {', '.join(f'{name}/' for name in tests)}" if tests else "",
    ]
    return "; ".join(filter(None, parts))


def layout(paths: Collection[str], *, near: Collection[str], most: int) -> list[str]:
    """Return at most ``most`` lines: every path, or folders with counts and the paths ``near``.

    The folders of ``near`` files are listed in full first, for their neighbours matter most.
    """
    everything = sorted(paths)
    if len(everything) <= most:
        return everything
    folders = Counter(path.rpartition("/")[0] for path in everything)
    close = {path.rpartition("/")[0] for path in near}
    kept = [path for path in everything if path.rpartition("/")[0] in close][: most // 2]
    counted = [
        f"{folder}/ ({count} files)" if folder else f"({count} files at the root)"
        for folder, count in sorted(folders.items(), key=lambda item: (item[0].count("/"), item))
    ]
    room = most - len(kept) - 1
    rest = len(counted) - room
    return [*kept, *counted[:room], *([f"... and {rest} more folders"] if rest > 0 else [])]
