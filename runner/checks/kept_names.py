"""Public names and what functions take stay as they are, unless the task says otherwise.

What would break code of the repository is refused. What nobody in it uses may be intended: the
model is asked once, and people are told if it stays.


"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from runner.checks.interfaces import (
    Given,
    Interface,
    Offer,
    Parameters,
    fits,
    interface,
    is_looked_at,
    is_private,
    lost,
    same_places,
)
from runner.checks.uses import CodeFiles, Use, uses_of
from runner.code.languages import CODE_SUFFIXES
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint, LostName
from runner.text.patterns import lazy_pattern

_MOST = 6
_LONGEST = 3000
_GOES = lazy_pattern(
    r"\b(?:remov|delet|drop|renam|mov(?:e|ing)|replac|deprecat|merg|inlin|extract|split|unif"
    r"|combin|consolidat|clean|get rid|obsolet|retir|strip|rework|refactor|rewrit|simplif"
    r"|restructur|entfern|lösch|umbenenn|ersetz|verschieb|supprim|retir|enlev|renomm|remplac"
    r"|déplac|elimin|borr|quit|renombr|reemplaz|apag|substitu|rimuov|rinomin|sostitu|spost"
    r"|verwijder|hernoem|vervang|verplaats|usu[nń]|zastąp|przenie|удал|переимен|замен|перемест)"
    r"|删除|移除|重命名|替换|改名|移动|移到|削除|リネーム|置き換|移動|삭제|제거|이름",
    re.IGNORECASE,
)
_PLACE = lazy_pattern(
    r"\b(?:in|into|inside|by|for|from|with|within|using)\s+(?:the\s+)?[`'\"(]*$", re.IGNORECASE
)
_GONE = lazy_pattern(
    r"[`'\"()]*\s+(?:\w+\s+){0,4}(?:(?:removed|deleted|renamed|moved|replaced|dropped|merged|goes)\b"
    r"|entfern|gelösch|lösch|umbenenn|umbenannt|ersetz|verschieb|supprim|remplac|renomm|elimin|verwijder)"
    r"|[`'\"()]*\s*\w?\s*(?:删除|移除|重命名|替换|改名|移动|移到|削除|リネーム|置き換|移動|삭제|제거)",
    re.IGNORECASE,
)
_TAKES = lazy_pattern(
    r"\b(?:argument|parameter|param|arg|kwarg|keyword|positional|signature|option|default|takes?"
    r"|accepts?|pass(?:es|ed)?|required?|return)s?\b",
    re.IGNORECASE,
)
_NEEDS = lazy_pattern(
    r"\b(?:required?s?|mandatory|needs?|must|no default|without)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Loss:
    """A public name that is gone (no ``why``), or a function that takes less (``why``).

    ``mentioned`` says that the task speaks of something like it, ``needed`` that it counts on it.
    """

    path: str
    name: str
    offer: Offer
    now: Offer | None = None
    why: str = ""
    mentioned: bool = False
    needed: bool = False

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


def losses(
    changes: ChangeSet, *, read: Callable[[str], bytes | None], task_text: str
) -> tuple[Loss, ...]:
    """Return what changed files no longer offer although the task (``said``) does not ask for it.

    ``read`` returns what a file held before.
    """
    found: list[Loss] = []
    new = {
        path: interface(path, write.content)
        for path, write in changes.files.items()
        if write and is_looked_at(path)
    }
    for path, write in changes.files.items():
        old = read(path) if is_looked_at(path) else None
        before = interface(path, old) if old else None
        after = new.get(path) or _twin(path, new) or (Interface() if write is None else None)
        if before and after and not (write is None and _file_goes(path, task_text)):
            found += _between(path, before, _with_package(path, after, new))
    return tuple(
        replace(
            loss, mentioned=_mentioned(loss, task_text), needed=_counts_on(loss.called, task_text)
        )
        for loss in found
        if not _meant(loss, task_text)
    )


def _twin(path: str, new: dict[str, Interface | None]) -> Interface | None:
    """Return the package that replaces a module, or the reverse."""
    package = path.removesuffix(".py") + "/__init__.py"
    module = path.removesuffix("/__init__.py") + ".py"
    return new.get(package) or (new.get(module) if path.endswith("/__init__.py") else None)


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


def _meant(loss: Loss, task_text: str) -> bool:
    """Whether the task itself asks for it: it says that this name goes, or takes something else."""
    if not loss.why:
        return _goes(_said(loss.called), task_text)
    words = re.findall(r"`(\w+)`", loss.why)
    if not _says(loss.called, task_text) or not words:
        return False
    if "requires" in loss.why or "default" in loss.why:
        return all(_says(word, task_text) for word in words) and bool(_NEEDS.search(task_text))
    return all(_goes(_said(word), task_text) for word in words)


def _counts_on(name: str, task_text: str) -> bool:
    """Whether a task names it as code, and does not speak of anything that goes."""
    said = re.search(rf"`(?:\w+\.)?{re.escape(name)}(?:\([^`]*)?`", task_text)
    return said is not None and _GOES.search(task_text) is None


def _mentioned(loss: Loss, task_text: str) -> bool:
    if not _says(loss.called, task_text):
        return False
    if not loss.why:
        return bool(_GOES.search(task_text))
    words = re.findall(r"`(\w+)`", loss.why)
    shown = re.search(rf"(?<!\w){re.escape(loss.called)}\(", task_text)
    return bool(shown or _TAKES.search(task_text) or any(_as_code(w, task_text) for w in words))


def _as_code(word: str, task_text: str) -> bool:
    """Whether the text has a word in code, or the word is no ordinary one: not "for each item"."""
    spans = re.findall(r"`([^`\n]+)`", task_text)
    return any(_says(word, span) for span in spans) or ("_" in word and _says(word, task_text))


def _file_goes(path: str, task_text: str) -> bool:
    return _goes(rf"(?<!\w){re.escape(path.rpartition('/')[2])}(?!\w)", task_text)


def _goes(said: str, task_text: str) -> bool:
    """Whether the text says that a name goes: "rename `a`", and not "rename it in `a`".

    ``said`` is the pattern of the name.
    """
    for found in re.finditer(said, task_text):
        before = task_text[max(0, found.start() - 80) : found.start()]
        near = re.split(r"[.;]\s", before)[-1]
        if _GOES.search(near) and not _PLACE.search(near):
            return True
        if _GONE.match(task_text[found.end() : found.end() + 60]):
            return True
    return False


def _says(name: str, task_text: str) -> bool:
    return re.search(_said(name), task_text) is not None


def _said(name: str) -> str:
    """The pattern of a name as a whole word that is no file's: `words`, not `src/words.js`."""
    return rf"(?<![\w/]){re.escape(name)}(?!\w|/|(?:{_ENDINGS})\b)"


_ENDINGS = "|".join(map(re.escape, CODE_SUFFIXES))


def verdict(
    found: Sequence[Loss], repository: CodeFiles, *, asked: Collection[str], last: bool
) -> NameFindings:
    """Judge losses: refuse what code uses, ask once about the rest, and warn of it afterwards.

    ``asked`` are keys that were asked about before; with the ``last`` answer nothing can be asked.
    """
    complaints: list[Complaint] = []
    kept_so: list[Loss] = []
    keys: list[str] = []
    for loss in found:
        if use := _broken(loss, repository):
            complaints.append(_refused(loss, use))
        elif loss.needed and not loss.why:
            complaints.append(_missed(loss))
        elif (loss.why or loss.offer.telling) and not (loss.mentioned or is_private(loss.path)):
            if loss.key in asked or last:
                kept_so.append(loss)
            else:
                keys.append(loss.key)
                complaints.append(_question(loss))
    return NameFindings(
        tuple(complaints[:_MOST]),
        tuple(map(_warning, kept_so)),
        tuple(keys),
        tuple(LostName(loss.path, loss.name, loss.why) for loss in kept_so),
    )


def are_compared(changes: ChangeSet, *, read: Callable[[str], bytes | None]) -> bool:
    """Whether a change touches a file whose names others may rely on."""
    return any(is_looked_at(path) and read(path) for path in changes.files)


def _broken(loss: Loss, repository: CodeFiles) -> Use | None:
    """Return a place that no longer works."""
    for use in uses_of(loss.name, loss.path, repository, gone=not loss.why):
        old, new = loss.offer.takes, loss.now.takes if loss.now else None
        if not loss.why:
            return use
        if old and new and use.given and fits(use.given, old) and not _works(use.given, old, new):
            return use
    return None


def _works(call: Given, old: Parameters, new: Parameters) -> bool:
    return fits(call, new) and same_places(call, old, new)


def _refused(loss: Loss, use: Use) -> Complaint:
    place = f"{use.path}, line {use.line}, still uses it"
    if loss.why:
        what = f"`{loss.name}` in {loss.path} {loss.why}, but {place} as it was."
        how = "Let it take what it took before (below), or change every place that uses it."
        return _complaint(loss, "ChangedSignature", what, how)
    what = f"`{loss.name}` is gone from {loss.path}, but {place}."
    return _complaint(loss, "LostName", what, "Put it back as it was (below).")


def _missed(loss: Loss) -> Complaint:
    what = f"`{loss.name}` is gone from {loss.path}, but the task speaks of it as of what is there."
    return _complaint(loss, "LostName", what, "Put it back as it was (below).")


def _question(loss: Loss) -> Complaint:
    if loss.why:
        what = f"`{loss.name}` in {loss.path} {loss.why}, which the task does not ask for."
        error, back = "SignatureChanged", "Let it take what it took before (below)."
    else:
        what = f"`{loss.name}` is gone from {loss.path}, which the task does not ask for."
        error, back = "UnusedNameGone", "Put it back as it was (below)."
    sure = "Only if the task cannot be done otherwise, give the same answer again."
    return _complaint(loss, error, what, f"{back} {sure}")


def _warning(loss: Loss) -> str:
    if loss.why:
        return f"`{loss.name}` in `{loss.path}` {loss.why}; the task does not say so"
    return f"`{loss.name}` is gone from `{loss.path}`; nothing in the repository uses it"


def _complaint(loss: Loss, error: str, message: str, advice: str) -> Complaint:
    source = loss.offer.source
    shown = source if len(source) <= _LONGEST else source[:_LONGEST] + "\n[... cut ...]"
    return Complaint(loss.path, error, message, excerpt=shown, advice=advice)
