"""``validate``: everything that is checked before a byte is written, in one pure call.

Besides the checks in other modules: UTF-8, sizes, misspelled folders (``src/util/`` for
``src/utils/``), marks of merge conflicts, and secrets that a change adds, which are reported by
line and kind, never by value. Tests, examples and documents have fake secrets and conflicts on
purpose and are not searched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from runner.checks import data_formats, grammars, markup, paths, programs, sql
from runner.checks import grammars as grammar
from runner.checks.blanks import added_lines
from runner.checks.paths import protection
from runner.code.languages import CODE_SUFFIXES, LANGUAGES, language_of
from runner.state.changes import EXECUTABLE, FILE, ChangeSet, Snapshot
from runner.state.findings import Complaint
from runner.text import mask
from runner.text.encoding import UNKNOWN, encoding_of, is_utf8, text_of
from runner.text.mask import HIDDEN, Mask
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import numbered


def check_encoding(path: str, content: bytes, old: bytes | None = None) -> Complaint | None:
    """Return what is wrong with a file's encoding, or None.

    It is UTF-8 unless it says otherwise, or ``old``, the file before, was something else: what an
    answer may write into such a file is decided where it is written.
    """
    encoding = encoding_of(path, content)
    if encoding.is_wide:
        return None
    name = "utf-8" if encoding.name == UNKNOWN else encoding.name
    try:
        content.decode(name)
        if b"\0" not in content or b"\0" in (old or b""):
            return None
        at, what = content.index(b"\0"), "a null byte"
    except UnicodeDecodeError as error:
        if old is not None and not is_utf8(old):
            return None
        said = "UTF-8" if name == "utf-8" else f"{name}, which its first lines name"
        at, what = error.start, f"not valid {said}"
    before = content[:at]
    line, start = before.count(b"\n") + 1, before.rfind(b"\n") + 1
    column = len(before[start:].decode("utf-8", "replace")) + 1
    message, advice = f"Byte 0x{content[at]:02x} is {what}.", "Write the file as UTF-8 text."
    return Complaint(path, "EncodingError", message, line, column, advice=advice)


@dataclass(frozen=True, slots=True)
class Limits:
    """``files`` in one change set (deletions count), bytes of one file, bytes of all together."""

    files: int = 100
    file_bytes: int = 1 << 20
    total_bytes: int = 4 << 20


def check_limits(changes: ChangeSet, limits: Limits) -> Iterator[Complaint]:
    """Yield what is too large."""
    sizes = {path: len(write.content) for path, write in changes.files.items() if write}
    for path, size in sizes.items():
        if size > limits.file_bytes:
            message = f"The file has {size} bytes; {limits.file_bytes} are allowed."
            yield Complaint(path, "TooLarge", message)
    if len(changes.files) > limits.files:
        message = f"{len(changes.files)} files are changed; {limits.files} are allowed."
        yield Complaint("", "TooLarge", message)
    if sum(sizes.values()) > limits.total_bytes:
        message = f"{sum(sizes.values())} bytes are written; {limits.total_bytes} are allowed."
        yield Complaint("", "TooLarge", message)


def check_near_miss(
    added: Collection[str], deleted: Collection[str], paths: Collection[str]
) -> Iterator[Complaint]:
    """Yield a complaint for a new file in a new folder when its twin exists in a like-named one.

    Moving the file (deleting the twin) is not a mistake.
    """
    folders = {path.rpartition("/")[0] for path in paths}
    for path in added:
        folder, _, name = path.rpartition("/")
        if folder in folders:
            continue
        same_name = [p for p in paths if p.rpartition("/")[2] == name and _alike(folder, p)]
        if len(same_name) == 1 and same_name[0] not in deleted:
            message = f"{path} does not exist, but {same_name[0]} does."
            advice = f"Did you mean {same_name[0]}?"
            yield Complaint(path, "NearMissPath", message, advice=advice)


def _alike(folder: str, other: str) -> bool:
    """Whether exactly one part differs, and that by a letter or two."""
    ours, theirs = folder.split("/"), other.rpartition("/")[0].split("/")
    if len(ours) != len(theirs):
        return False
    different = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    return min(len(a), len(b)) >= 3 and difflib.SequenceMatcher(None, a, b).ratio() >= 0.8


_MOST = 10
_TESTS = lazy_pattern(
    r"(?:^|/)(?:tests?|testing|testdata|fixtures?|examples?|samples?|mocks?|__tests__|__mocks__|specs?"
    r"|docs?)/|(?:^|/)(?:test_|conftest\.)|[._-](?:tests?|specs?|example|sample|template|dist)(?:\.|$)"
    r"|\.(?:md|rst|adoc)$",
    re.IGNORECASE,
)
_KEY_IS_VALUE = lazy_pattern(r"(?:^|/)(?:\.env[^/]*|[^/]*\.(?:env|ini|cfg|conf|properties))$", re.I)
_KEY_BLOCK = lazy_pattern(r"-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END|\Z)", re.DOTALL)


_ELSEWHERE = (
    "Read it from the environment or from a secret store; a value for tests says that it is fake."
)


def check_secrets(path: str, content: bytes, old: bytes | None) -> Iterator[Complaint]:
    """Yield the secrets in those lines of ``content`` that ``old`` has not (at most ten)."""
    text = content.decode("utf-8", "replace")
    if _TESTS.search(path) or not mask.has_trigger(text):
        return
    new = added_lines(text, (old or b"").decode("utf-8", "replace"))
    unquoted = _KEY_IS_VALUE.search(path) is not None
    count, start = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        rest = text[start : start + len(line) + 400]
        start += len(line) + 1
        if count >= _MOST or number not in new or not mask.has_trigger(line):
            continue
        kinds: dict[str, str] = {}
        for kind, value in mask.secrets_in(line, rest=rest, unquoted=unquoted):
            kinds.setdefault(kind, value)
        for kind, value in kinds.items():
            # no line moves
            plain = _KEY_BLOCK.sub(lambda found: HIDDEN + "\n" * found[0].count("\n"), text)
            hidden = plain.replace(value, HIDDEN).split("\n")
            excerpt = numbered("\n".join(map(Mask((value,)), hidden)), number)
            message = f"Line {number} adds what looks like a secret ({kind})."
            yield Complaint(path, "Secret", message, number, excerpt=excerpt, advice=_ELSEWHERE)
            count += 1


_MARKS = ("<<<<<<<", "=======", ">>>>>>>")


def check_conflicts(path: str, content: bytes, old: bytes | None) -> Complaint | None:
    """Return a complaint about the marks of a merge conflict or an edit that are left in a file."""
    if _TESTS.search(path) or b"<<<<<<<" not in content or b"<<<<<<<" in (old or b""):
        return None
    text = content.decode("utf-8", "replace")
    places: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        if len(places) < len(_MARKS) and line.partition(" ")[0] == _MARKS[len(places)]:
            places.append(number)
    if len(places) < len(_MARKS):
        return None
    message = (
        f"Lines {places[0]} to {places[2]} are two versions between the marks of a conflict "
        "(<<<<<<<, =======, >>>>>>>)."
    )
    advice = "Write the one that the file should contain, without marks."
    excerpt = numbered(text, places[0])
    return Complaint(path, "ConflictMarks", message, places[0], 1, excerpt, advice=advice)


REFUSED = frozenset(
    {
        "UnsafePath",
        "ProtectedPath",
        "PathConflict",
        "CaseCollision",
        "NearMissPath",
        "WeakenedTest",
    }
)
"""Complaints that no other content of the same file would settle: a repair begins without it."""

_LFS = b"version https://git-lfs.github.com/spec/"
_MOST_BROKEN = 10  # files that are said to be; a hostile one may take seconds
_DEFAULT = Limits()


def validate(
    changes: ChangeSet,
    base: Snapshot,
    *,
    read: Callable[[str], bytes | None],
    protect: Sequence[str] = (),
    limits: Limits = _DEFAULT,
) -> tuple[Complaint, ...]:
    """Return every reason why the change set may not be written (none: it may).

    ``read`` returns a file's content in ``base``; ``protect`` are gitignore patterns beside the
    defaults (see ``protect_file`` for one file, such as the roadmap).
    """
    found = [*check_limits(changes, limits), *_places(changes, base, read, protection(protect))]
    small = {
        path: write.content
        for path, write in changes.files.items()
        if write and len(write.content) <= limits.file_bytes
    }
    broken = 0
    for path, content in small.items():
        if broken < _MOST_BROKEN:
            old = read(path)
            complaint = syntax_complaint(path, content, old)
            # a grammar may be older than the language, and a file may have been broken before
            excused = complaint and old is not None and check_for(path) not in EXACT
            if excused and not check_encoding(path, content, old):
                worse = faults(path, content) > faults(path, old or b"")
                complaint = complaint if worse or not syntax_complaint(path, old or b"") else None
            complaint = complaint or check_conflicts(path, content, old)
            found += [complaint] if complaint else []
            broken += complaint is not None
    secrets = (
        each for path, text in small.items() for each in check_secrets(path, text, read(path))
    )
    return (*found, *secrets)


@lru_cache(maxsize=8)  # a file is looked at when it is shown, when it is changed and in the end
def syntax_complaint(path: str, content: bytes, old: bytes | None = None) -> Complaint | None:
    """Return what is wrong with one file's encoding or syntax, or None.

    ``old`` is the file before, which may have been in another encoding than UTF-8.
    """
    wrong = check_encoding(path, content, old)
    check = check_for(path)
    if wrong or check is None:
        return wrong
    if encoding_of(path, content).is_wide:
        content = text_of(path, content).encode("utf-8", "replace")  # grammars read UTF-8
    return check(path, content)


def _places(
    changes: ChangeSet,
    base: Snapshot,
    read: Callable[[str], bytes | None],
    is_protected: Callable[[str], bool],
) -> Iterator[Complaint]:
    sound: list[str] = []
    for path, write in changes.files.items():
        complaint = paths.check_shape(path) or paths.check_target(path, base)
        if complaint is None and is_protected(path):
            message, advice = f"{path} is protected.", "Leave it as it is."
            complaint = Complaint(path, "ProtectedPath", message, advice=advice)
        if complaint is None and (read(path) or b"").startswith(_LFS) and path in base.entries:
            message = f"{path} is a Git LFS pointer."
            complaint = Complaint(path, "UnsafePath", message, advice="Leave it.")
        if complaint is None and write and write.mode not in {None, FILE, EXECUTABLE}:
            complaint = Complaint(path, "UnsafePath", f"{path} would not be an ordinary file.")
        if complaint:
            yield complaint
        elif write:
            sound.append(path)
    deleted = {path for path, write in changes.files.items() if write is None}
    yield from paths.collisions(sound, deleted, base)
    added = [path for path in sound if path not in base.entries]
    yield from check_near_miss(added, deleted, base.entries) if added else ()


Check = Callable[[str, bytes], Complaint | None]

_SPECIAL: dict[str, Check] = {
    ".py": programs.check_python,
    ".pyi": programs.check_python,
    ".json": data_formats.check_json,
    ".webmanifest": data_formats.check_json,
    ".ipynb": data_formats.check_json,
    ".yaml": data_formats.check_yaml,
    ".yml": data_formats.check_yaml,
    ".toml": data_formats.check_toml,
    ".sql": sql.check_sql,
    ".sh": programs.check_shell,
    ".bash": programs.check_shell,
    ".js": programs.check_javascript,
    ".mjs": programs.check_javascript,
    ".cjs": programs.check_javascript,
    ".jsx": programs.check_javascript,
    ".ts": programs.check_typescript,
    ".mts": programs.check_typescript,
    ".cts": programs.check_typescript,
    ".tsx": programs.check_typescript,
    ".css": markup.check_css,
}
"""Checks that know more than a grammar, or a format that is no language of code."""

_UNCHECKED = ("c", "cpp", "html", "css")
"""What only a compiler can judge, for its macros; and what browsers read however it is written."""

_BY_GRAMMAR = {
    name: partial(grammars.checked, language=name) for name in LANGUAGES if name not in _UNCHECKED
}
BY_SUFFIX: dict[str, Check] = {
    suffix: _BY_GRAMMAR[name] for suffix, name in CODE_SUFFIXES.items() if name in _BY_GRAMMAR
} | _SPECIAL
BY_NAME: dict[str, Check] = {
    "Pipfile": data_formats.check_toml,
    "poetry.lock": data_formats.check_toml,
    "uv.lock": data_formats.check_toml,
    "Cargo.lock": data_formats.check_toml,
    "Pipfile.lock": data_formats.check_json,
    ".clang-format": data_formats.check_yaml,
    "Gemfile": _BY_GRAMMAR["ruby"],
    "Rakefile": _BY_GRAMMAR["ruby"],
    ".bashrc": programs.check_shell,
}
EXACT: frozenset[Check] = frozenset(
    (
        programs.check_python,
        data_formats.check_json,
        data_formats.check_yaml,
        data_formats.check_toml,
    )
)
"""Checks that know all of their language; a grammar may be older than the code it sees."""


def check_for(path: str) -> Check | None:
    """Return the syntax check of a path; None when the language is not known here."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return BY_NAME.get(name) or BY_SUFFIX.get((dot + suffix).lower())


def faults(path: str, content: bytes) -> int:
    """Return how many errors a grammar sees in a file; 1 without a grammar."""
    language = language_of(path)
    return grammar.count(language, content) if language else 1
