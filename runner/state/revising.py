"""What reviewers ask of a checkpoint's pull request, and what a new attempt continues from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RevisionRequest:
    """Who asked for a revision of which pull request, and where.

    ``review`` is the id of their review (0: a command in a comment, with its ``text``). ``failing``
    is the commit on which checks of others fail; with ``fix`` somebody asked for a repair of them,
    as a pull request of its own. ``conflict`` is the head of a branch whose change, which is made
    on ``start``, is in conflict with the base; ``rebuild`` says why the branch is to become a
    single commit ('': the base is merged into it). ``number`` counts the revisions of the pull
    request of that kind, ``most`` is their limit.
    """

    pull: int
    by: str
    review: int = 0
    text: str = ""
    failing: str = ""
    fix: bool = False
    conflict: str = ""
    start: str = ""
    rebuild: str = ""
    number: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The exact text that a reviewer wants instead of some lines of the file, counted from 1."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A part of a pull request's diff; a reviewer means its ``last`` lines."""

    text: str
    last: int


@dataclass(frozen=True, slots=True)
class Point:
    """One thing that reviewers ask for: a thread, or what they wrote about the whole.

    ``text`` is everything they wrote in it, ``rest`` that without the ``suggestion`` blocks.
    ``thread`` and ``comment`` name the thread and its first comment ('' and 0 for the whole),
    ``path`` and the lines are where it is on the head of the branch (0: on the file, or nowhere).
    ``taken_up`` is the comment that the thread began with, if its author may not ask and a reviewer
    answers it: it says what they mean. ``diff`` has the lines that are no longer there.
    ``shortened`` says that ``text`` lacks its middle.
    """

    text: str
    by: str
    rest: str = ""
    thread: str = ""
    comment: int = 0
    path: str = ""
    start: int = 0
    end: int = 0
    suggestions: tuple[Suggestion, ...] = ()
    shortened: bool = False
    diff: DiffPart | None = None
    taken_up: str = ""

    @property
    def asked(self) -> str:
        """What is asked for: the reviewer's words, and those that they take up."""
        return f"{self.text}\n\n{self.taken_up}" if self.taken_up else self.text

    @property
    def shown(self) -> str:
        """All that a model is shown of it."""
        return f"{self.asked}\n{self.diff.text}" if self.diff else self.asked


@dataclass(frozen=True, slots=True)
class SkippedThread:
    """A thread that is not worked on: it is about a file (``path``) that is never written.

    Without a ``path`` there was no room for it.
    """

    thread: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """What keeps a pull request from its base, which changed the same ``paths``.

    ``applied`` are the paths of its change that nothing was in the way of; ``rebuild`` is as in
    ``RevisionRequest``.
    """

    paths: tuple[str, ...]
    applied: tuple[str, ...] = ()
    rebuild: str = ""


@dataclass(frozen=True, slots=True)
class UnclearChecks:
    """Failing checks that a repair does not go by.

    Those that do not say why (``silent``), whose log could not be read (``unread``), or that fail
    ``below`` the pull request, too.
    """

    silent: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """A checkpoint that is worked on again as reviewers ask.

    ``head`` is the newest commit of ``branch``, ``fork`` where that left the branch ``below``;
    ``base`` is the head of the branch below all of the stack.
    ``left_out`` are threads that it does not work on.
    ``kept`` are paths that the new attempt takes as they are on the head: the roadmap, and what
    people pushed. ``tasks`` are the keys of the tasks it does, ``by`` is who asked. ``repairs``
    says that ``points`` are what failing checks printed, ``fixes`` that the repair becomes a pull
    request against ``branch``, which may be anybody's; ``unclear`` are checks that it cannot
    repair. With a ``conflict`` the task is done again on ``fork``, a newer commit of ``below`` than
    ``head`` is on.
    """

    pull: int
    tasks: tuple[str, ...]
    branch: str
    head: str
    fork: str
    below: str
    base: str = ""
    kept: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    left_out: tuple[SkippedThread, ...] = ()
    by: str = ""
    repairs: bool = False
    fixes: bool = False
    unclear: UnclearChecks = field(default_factory=UnclearChecks)
    conflict: Conflict | None = None
