"""``validate``: everything that is checked before a byte is written, in one pure call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runner.changes import ChangeSet
from runner.findings import Complaint
from runner.snapshot import EXECUTABLE, FILE, Snapshot
from runner.validators import encoding, limits, near_miss, paths, secrets
from runner.validators.languages import EXACT, check_for, faults
from runner.validators.limits import Limits
from runner.validators.protected import protection

REFUSED = frozenset(
    {"UnsafePath", "ProtectedPath", "PathConflict", "CaseCollision", "NearMissPath", "WeakenedTest"}
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
    return (
        *_sizes(changes, limits),
        *_places(changes, base, read, protection(protect)),
        *_contents(changes, read, limits),
        *_secrets(changes, read, limits),
    )


def syntax_complaint(path: str, content: bytes) -> Complaint | None:
    """Return what is wrong with one file's encoding or syntax, or None."""
    check = check_for(path)
    return encoding.check(path, content) or (check(path, content) if check else None)


def _sizes(changes: ChangeSet, allowed: Limits) -> Iterator[Complaint]:
    return limits.check(changes, allowed)


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
            complaint = Complaint(path, "ProtectedPath", f"{path} is protected: leave it as it is.")
        if complaint is None and (read(path) or b"").startswith(_LFS) and path in base.entries:
            complaint = Complaint(path, "UnsafePath", f"{path} is a Git LFS pointer: leave it.")
        if complaint is None and write and write.mode not in {None, FILE, EXECUTABLE}:
            complaint = Complaint(path, "UnsafePath", f"{path} would not be an ordinary file.")
        if complaint:
            yield complaint
        elif write:
            sound.append(path)
    deleted = {path for path, write in changes.files.items() if write is None}
    yield from paths.collisions(sound, deleted, base)
    added = [path for path in sound if path not in base.entries]
    yield from near_miss.check(added, deleted, base.entries) if added else ()


def _contents(
    changes: ChangeSet, read: Callable[[str], bytes | None], allowed: Limits
) -> Iterator[Complaint]:
    said = 0
    for path, write in changes.files.items():
        if write and len(write.content) <= allowed.file_bytes and said < _MOST_BROKEN:
            complaint = syntax_complaint(path, write.content)
            if complaint and not _said_before(path, write.content, read(path)):
                said += 1
                yield complaint


def _secrets(
    changes: ChangeSet, read: Callable[[str], bytes | None], allowed: Limits
) -> Iterator[Complaint]:
    for path, write in changes.files.items():
        if write and len(write.content) <= allowed.file_bytes:
            yield from secrets.check(path, write.content, read(path))


def _said_before(path: str, content: bytes, old: bytes | None) -> bool:
    """Whether a grammar finds no more in a file than in the one it replaces.

    A grammar may be older than the language, and a file may have been broken before.
    """
    if old is None or check_for(path) in EXACT or encoding.check(path, content):
        return False
    return syntax_complaint(path, old) is not None and faults(path, content) <= faults(path, old)
