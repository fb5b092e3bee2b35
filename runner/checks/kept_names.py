"""Public names and what functions take stay as they are, whatever the task says.

What would break code of the repository is refused, and only a person may overrule that. What nobody
in it uses may be intended: the model is asked once, and people are told if it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.checks.asked import TaskWords
from runner.checks.interfaces import (
    Interface,
    Offer,
    fits,
    interface,
    is_looked_at,
    is_private,
    lost,
    same_places,
)
from runner.checks.uses import CodeFiles, Use, uses_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint, LostName

QUESTIONS = frozenset({"UnusedNameGone", "SignatureChanged"})
"""Complaints that ask: whoever gives no answer to them does not insist."""

_MOST = 6
_LONGEST = 3000


@dataclass(frozen=True, slots=True)
class Loss:
    """A public name that is gone (no ``why``), or a function that takes less (``why``)."""

    path: str
    name: str
    offer: Offer
    now: Offer | None = None
    why: str = ""

    @property
    def key(self) -> str:
        return f"{self.path}:{self.name}:{self.why}"

    @property
    def called(self) -> str:
        """What a task calls it: of what makes an object the class."""
        owner, _, last = self.name.rpartition(".")
        return owner if owner and last.startswith("__") else last


@dataclass(frozen=True, slots=True)
class NameFindings:
    """What to say about losses: complaints, or warnings of what was asked about before.

    ``asked`` are the keys of what the complaints ask about, ``lost`` what the warnings are about:
    None if nothing was compared.
    """

    complaints: tuple[Complaint, ...] = ()
    warnings: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    lost: tuple[LostName, ...] | None = None


def losses(changes: ChangeSet, *, read: Callable[[str], bytes | None]) -> tuple[Loss, ...]:
    """Return what changed files no longer offer. ``read`` returns what a file held before."""
    found: list[Loss] = []
    new = {
        path: interface(path, write.content)
        for path, write in changes.files.items()
        if write and is_looked_at(path)
    }
    for path, write in changes.files.items():
        old = read(path) if is_looked_at(path) else None
        before = interface(path, old) if old else None
        twin = path.removesuffix(".py") + "/__init__.py"  # the package that replaces a module
        if path.endswith("/__init__.py"):
            twin = path.removesuffix("/__init__.py") + ".py"
        after = new.get(path) or new.get(twin) or (Interface() if write is None else None)
        if before and after:
            found += _between(path, before, _with_package(path, after, new))
    return tuple(found)


def _with_package(path: str, after: Interface, new: dict[str, Interface | None]) -> Interface:
    """Return what a file of Go has with what its package has in other files of the change set."""
    if not path.endswith(".go"):
        return after
    folder = path.rpartition("/")[0]
    beside = [each for p, each in new.items() if each and p.rpartition("/")[0] == folder]
    return replace(after, there=after.there.union(*(each.there for each in beside)))


def _between(path: str, before: Interface, after: Interface) -> Iterator[Loss]:
    for name, offer in before.offers.items():
        owner, _, last = name.rpartition(".")
        if name in after.offers:
            now = after.offers[name]
            why = lost(offer.takes, now.takes) if offer.takes and now.takes else ""
            if why:
                yield Loss(path, name, offer, now, why)
        elif name in after.there or after.everything or (owner and owner not in after.there):
            continue
        elif not (owner and (offer.inherits or last.startswith("__"))):
            yield Loss(path, name, offer)


def verdict(
    found: Sequence[Loss],
    repository: CodeFiles,
    *,
    task: TaskWords,
    asked: Collection[str],
    last: bool,
    gone: Collection[str] = (),
    tests: Collection[str] = (),
) -> NameFindings:
    """Judge losses: refuse what code uses, ask once about the rest, and warn of it afterwards.

    Whatever the task says, what would no longer import is refused. What nothing uses is not asked
    about if the task names it, or if its whole file is ``gone`` and that is what the answer or the
    task is about. ``tests`` are those that come along: they say themselves how they call what takes
    less. ``asked`` are keys that were asked about before; with the ``last`` answer nothing
    can be asked.
    """
    complaints: list[Complaint] = []
    warnings: list[str] = []
    kept_so: list[Loss] = []
    keys: list[str] = []
    for loss in found:
        if use := _broken(loss, repository, tests):
            complaints.append(_refused(loss, use))
        elif (loss.why or loss.offer.telling) and not is_private(loss.path):
            meant = loss.called in task.names or loss.path in gone
            if loss.key in asked or last or meant:
                kept_so.append(loss)
                how = f"is gone from `{loss.path}`; nothing in the repository uses it"
                less = f"in `{loss.path}` {loss.why}; nothing calls it that way"
                warnings.append(f"`{loss.name}` {less if loss.why else how}")
            else:
                keys.append(loss.key)
                complaints.append(_question(loss))
    return NameFindings(
        tuple(complaints[:_MOST]),
        tuple(warnings),
        tuple(keys),
        tuple(LostName(loss.path, loss.name, loss.why) for loss in kept_so),
    )


def are_compared(changes: ChangeSet, *, read: Callable[[str], bytes | None]) -> bool:
    """Whether a change touches a file whose names others may rely on."""
    return any(is_looked_at(path) and read(path) for path in changes.files)


def _broken(loss: Loss, repository: CodeFiles, tests: Collection[str]) -> Use | None:
    """Return a place that no longer works; whether ``tests`` do is seen when they run."""
    for use in uses_of(loss.name, loss.path, repository, gone=not loss.why):
        old, new = loss.offer.takes, loss.now.takes if loss.now else None
        if not loss.why:
            return use
        if use.path in tests:
            continue
        if not (old and new and use.given and fits(use.given, old)):
            continue
        if not (fits(use.given, new) and same_places(use.given, old, new)):
            return use
    return None


def _refused(loss: Loss, use: Use) -> Complaint:
    place = f"{use.path}, line {use.line}, still uses it"
    if loss.why:
        what = f"`{loss.name}` in {loss.path} {loss.why}, but {place} as it was."
        how = "Let it take what it took before (below), or change every place that uses it."
        return _complaint(loss, "ChangedSignature", what, how)
    what = f"`{loss.name}` is gone from {loss.path}, but {place}."
    return _complaint(loss, "LostName", what, "Put it back as it was (below).")


def _question(loss: Loss) -> Complaint:
    if loss.why:
        what = f"`{loss.name}` in {loss.path} {loss.why}, which the task does not name."
        error, back = "SignatureChanged", "Let it take what it took before (below)."
    else:
        what = f"`{loss.name}` is gone from {loss.path}, which the task does not name."
        error, back = "UnusedNameGone", "Put it back as it was (below)."
    sure = "Only if the task cannot be done otherwise, give the same answer again."
    return _complaint(loss, error, what, f"{back} {sure}")


def _complaint(loss: Loss, error: str, message: str, advice: str) -> Complaint:
    source = loss.offer.source
    shown = source if len(source) <= _LONGEST else source[:_LONGEST] + "\n[... cut ...]"
    return Complaint(loss.path, error, message, excerpt=shown, advice=advice)
