"""Compose a context within a budget of tokens: each part gets its share, the best comes first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from runner.code.languages import is_among_tests
from runner.code.symbols import Definition, Symbols
from runner.context.cut import cut, hard_cut, wanted_by
from runner.context.facts import NOTHING, no_source, says_more
from runner.context.library import Library, layout, project_type
from runner.context.rank import Ranking
from runner.context.search import terms
from runner.context.tokens import Count
from runner.text.counting import counted
from runner.text.encoding import text_of

_LINE = 2
"""Tokens around a line: its bullet and its end."""

_FENCES = 12
"""Tokens around a quoted file."""


@dataclass(frozen=True, slots=True)
class QuotedFile:
    """A file as it is quoted; ``partial`` when lines were left out, ``wanted`` when it is named."""

    path: str
    text: str
    partial: bool = False
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A path or task, and lines about it."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class ContextParts:
    """What a context may hold besides the task's own words; lists have the best first."""

    details: str = ""
    section: str = ""
    project: str = ""
    layout: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rules: tuple[QuotedFile, ...] = ()
    specification: tuple[QuotedFile, ...] = ()
    guides: tuple[QuotedFile, ...] = ()
    files: tuple[QuotedFile, ...] = ()
    users: tuple[Listed, ...] = ()
    earlier: tuple[Listed, ...] = ()
    recalled: tuple[str, ...] = ()
    outlines: tuple[Listed, ...] = ()


Item = QuotedFile | Listed | str
_DROPPED = (
    "outlines",
    "recalled",
    "guides",
    "layout",
    "earlier",
    "users",
    "rules",
    "files",
    "specification",
    "notes",
)
"""What is dropped first, from its end, if everything is too long; then the texts."""


def cost(item: Item, count: Count) -> int:
    """Return about how many tokens an item takes where it is rendered."""
    if isinstance(item, str):
        return count(item) + _LINE
    if isinstance(item, QuotedFile):
        return count(item.text) + count(item.path) + _FENCES
    return count(item.name) + _LINE + sum(count(line) + _LINE for line in item.lines)


def fitting(items: Iterable[str], *, limit: int, count: Count) -> tuple[str, ...]:
    """Return the lines from the first one on that take at most ``limit`` tokens together."""
    kept: list[str] = []
    for item in items:
        limit -= cost(item, count)
        if limit < 0:
            break
        kept.append(item)
    return tuple(kept)


def listed(items: Iterable[Listed], *, limit: int, count: Count, most: int) -> tuple[Listed, ...]:
    """Return the items that fit into ``limit`` tokens; one that is too long is left out."""
    kept: list[Listed] = []
    for item in islice(items, most):
        if (price := cost(item, count)) <= limit:
            kept.append(item)
            limit -= price
    return tuple(kept)


def within(
    parts: ContextParts, render: Callable[[ContextParts], str], *, limit: int, count: Count
) -> tuple[ContextParts, str]:
    """Render, dropping the least useful until everything has at most ``limit`` tokens.

    Return what is left with its text. This holds for every text: of a task that alone is longer the
    beginning is kept.
    """
    text = render(parts)
    while (over := count(text) - limit) > 0:
        fewer = _less(parts, over, count)
        if fewer is None:
            return parts, hard_cut(text, limit=limit, count=count)
        parts = fewer
        text = render(parts)
    return parts, text


def _less(parts: ContextParts, over: int, count: Count) -> ContextParts | None:
    """Drop items worth about ``over`` tokens, else a text; None when nothing is left to drop."""
    for name in _DROPPED:
        items: list[Item] = list(getattr(parts, name))
        gone = 0
        while items and gone < over:
            gone += cost(items.pop(), count)
        if gone:
            return replace(parts, **{name: tuple(items)})  # type: ignore[arg-type]
    for name in ("section", "details", "project"):
        if getattr(parts, name):
            return replace(parts, **{name: ""})  # type: ignore[arg-type]
    return None


DETAILS, SECTION, LAYOUT, USERS, EARLIER, RECALLED, RELATED, OUTLINES = (
    0.35, 0.10, 0.10, 0.12, 0.12, 0.06, 0.30, 0.10,
)  # fmt: skip
"""Shares of the limit. Named files get the rest, outlines what is left after them."""

SPECIFICATION, RULES = 0.30, 0.08
"""The shares of what a plan's own files say about the task, and of what they say of every task."""

GUIDES, _LEAST_GUIDE = 0.08, 60
"""The share of what the repository tells its contributors, and the fewest tokens of one text."""

TESTS_ALONE, RELATED_ALONE = 0.35, 0.55
"""The share of named files that are all tests, and of others where no source is named."""

_WORTH, _HINT = 0.65, 0.25
"""How near to the best a file's score must be to be quoted, and to be outlined.

Measured on 14 changes of real projects: up to 0.8 and 0.3 every file that a change edits and that
is shown with 0.35 and 0.12 is shown as well, with 9 % (at 16,000 tokens) or 10 % (at 32,000) less.
"""

_USES_SHOWN, _SIGNATURES = 3, 6
_LINES = (150, 60, 30, 15, 8)


@dataclass(frozen=True)
class Material:
    """All that is known. ``contents`` are of the files worth showing, best first after ``named``.

    ``paths`` is the full tree, ``named`` the files the task or its plan names, ``text`` the task's
    words. ``guides`` are what the repository tells contributors, ``tested`` what runs its tests.
    Of a plan's specification ``cited`` are the parts that the task names, ``beside`` other files.
    """

    text: str
    details: str
    section: str
    paths: Collection[str]
    named: Sequence[str]
    library: Library
    ranking: Ranking
    contents: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    guides: Mapping[str, bytes] = field(default_factory=dict)
    rules: Mapping[str, bytes] = field(default_factory=dict)
    cited: Sequence[QuotedFile] = ()
    beside: Sequence[QuotedFile] = ()
    tested: str = ""
    earlier: Sequence[Listed] = ()
    recalled: Sequence[str] = ()


def compose(material: Material, *, limit: int, whole: int, left: int, count: Count) -> ContextParts:
    """Return the parts of a context of ``limit`` tokens, of which ``left`` are not used up yet.

    What comes first has its share of ``whole``, the limit of the largest context of the task, so
    that all begin alike.
    """
    kind = project_type(material.paths)
    tested = f"{kind}; tested with {material.tested}" if material.tested else kind
    parts = ContextParts(
        details=hard_cut(material.details, limit=int(whole * DETAILS), count=count),
        section=hard_cut(material.section, limit=int(whole * SECTION), count=count),
        project=tested if kind else "",
        rules=tuple(_guides(material.rules, int(whole * RULES), count)),
        specification=tuple(_specification(material, int(limit * SPECIFICATION), count)),
        guides=tuple(_guides(material.guides, int(whole * GUIDES), count)),
        layout=_layout(material, int(limit * LAYOUT), count),
        notes=material.notes[:10],
        users=listed(_users(material), limit=int(limit * USERS), count=count, most=30),
        earlier=listed(material.earlier, limit=int(limit * EARLIER), count=count, most=30),
        recalled=fitting(material.recalled, limit=int(limit * RECALLED), count=count),
    )
    left -= sum(cost(text, count) for text in (parts.details, parts.section, parts.project))
    for items in (
        parts.layout,
        parts.notes,
        parts.rules,
        parts.specification,
        parts.guides,
        parts.users,
        parts.earlier,
        parts.recalled,
    ):
        left -= sum(cost(item, count) for item in items)
    files = _named_files(material, limit, left - int(limit * OUTLINES), count)
    left -= sum(cost(file, count) for file in files)
    sources = any(not is_among_tests(file.path) for file in files)
    share = RELATED if sources else RELATED_ALONE
    room = min(left - int(limit * OUTLINES), int(limit * share))
    related = _related_files(material, {f.path for f in files}, room, count)
    left -= sum(cost(file, count) for file in related)
    files += related
    seen = {file.path for file in files if not file.partial}
    outlines = listed(_outlines(material, seen), limit=left, count=count, most=60)
    return replace(parts, files=tuple(files), outlines=outlines)


def _specification(material: Material, left: int, count: Count) -> Iterator[QuotedFile]:
    """What the task names, one after the other, then other files: of a long one what is near it."""
    about = wanted_by(material.text)
    for file in (*material.cited, *material.beside):
        room = left - cost(QuotedFile(file.path, ""), count)
        if room < _LEAST_GUIDE:
            return
        if file in material.cited:
            text = hard_cut(file.text.strip(), limit=room, count=count)
        else:
            whole = count(file.text) <= room
            most = room if whole else room // 2
            text = cut(
                file.text.strip(), Symbols(), about=about, limit=most, count=count, head=False
            )
        shown = QuotedFile(file.path, text, partial=text != file.text.strip())
        left -= cost(shown, count)
        yield shown


def _guides(guides: Mapping[str, bytes], left: int, count: Count) -> Iterator[QuotedFile]:
    """What contributors are told, from its beginning; of a long text the first part."""
    for path, content in guides.items():
        room = left - cost(QuotedFile(path, ""), count)
        if room < _LEAST_GUIDE:
            return
        text = text_of(path, content).strip()
        file = QuotedFile(path, hard_cut(text, limit=room, count=count))
        left -= cost(file, count)
        yield file


def _layout(material: Material, limit: int, count: Count) -> tuple[str, ...]:
    near = [*material.named, *list(material.contents)[:5]]
    for most in _LINES:
        lines = layout(material.paths, near=near, most=most)
        if sum(cost(line, count) for line in lines) <= limit:
            return tuple(lines)
    return fitting(lines, limit=limit, count=count)


def _named_files(material: Material, limit: int, left: int, count: Count) -> list[QuotedFile]:
    """The files the task is about: complete while they fit, else a part of each.

    Tests alone leave room for what they test.
    """
    found: list[QuotedFile] = []
    wanted = [path for path in material.named if path in material.contents]
    if all(map(is_among_tests, wanted)):
        left = min(left, int(limit * TESTS_ALONE))
    for at, path in enumerate(wanted):
        room = max(left // 2, left // (len(wanted) - at)) if at < len(wanted) - 1 else left
        if shown := _shown(material, path, room, count, wanted=True):
            found.append(shown)
            left -= cost(shown, count)
    return found


def _related_files(
    material: Material, seen: Collection[str], room: int, count: Count
) -> list[QuotedFile]:
    scores, found = material.ranking.scores, list[QuotedFile]()
    others = [path for path in material.contents if path not in seen]
    best = max((scores.get(path, 0.0) for path in others), default=0.0)
    for path in others:
        if scores.get(path, 0.0) < best * _WORTH or len(found) == 8:
            break
        if shown := _shown(material, path, room * 2 // 3, count, wanted=False):
            found.append(shown)
            room -= cost(shown, count)
    return found


def _shown(
    material: Material, path: str, room: int, count: Count, *, wanted: bool
) -> QuotedFile | None:
    content = material.contents[path]
    room -= cost(QuotedFile(path, ""), count)
    why = no_source(content)
    if not wanted and (path in material.guides or not says_more(content)):
        return None
    if room < 40 or (why and (not wanted or "lines" not in why)):
        return None
    text = text_of(path, content).rstrip("\n")
    symbols = material.library.facts.get(path, NOTHING).symbols
    about = wanted_by(material.text)
    fits = cut(text, symbols, about=about, limit=room, count=count, head=wanted)
    return QuotedFile(path, fits, partial=fits != text, wanted=wanted)


def _users(material: Material) -> Iterator[Listed]:
    """Who uses what is going to change, with the lines that do."""
    users, scores = material.ranking.users, material.ranking.scores
    for path in sorted(users, key=lambda path: (-scores.get(path, 0.0), path)):
        if not users[path] and path in material.named:
            continue  # it is quoted, and no line of it is special
        lines = text_of(path, material.contents.get(path, b"")).split("\n")
        yield Listed(path, tuple(_uses(lines, users[path])))


def _uses(lines: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    if not names:
        return
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names[:10]))})\b")
    found = [(at, line) for at, line in enumerate(lines, 1) if pattern.search(line[:500])]
    for at, line in found[:_USES_SHOWN]:
        yield f"{at}: {line.strip()[:160]}"
    if len(found) > _USES_SHOWN:
        yield f"... and {counted(len(found) - _USES_SHOWN, 'more line')}"


def _outlines(material: Material, seen: Collection[str]) -> Iterator[Listed]:
    """The symbol map: signatures of the files that come next."""
    scores, about = material.ranking.scores, set(terms(material.text))
    best = max(scores.values(), default=0.0)
    for path in sorted(scores, key=lambda path: (-scores[path], path)):
        if scores[path] < best * _HINT:
            return
        known = material.library.facts.get(path, NOTHING).symbols.definitions
        if path not in seen and known:
            yield Listed(path, signatures(known, about=about))


def signatures(
    definitions: Sequence[Definition], *, about: Collection[str] = (), most: int = _SIGNATURES
) -> tuple[str, ...]:
    """Return the signatures closest to ``about``, in the order of the file, methods indented."""
    close = sorted(
        range(len(definitions)),
        key=lambda at: (
            -sum(term in about for term in terms(definitions[at].name)),
            definitions[at].depth,
            at,
        ),
    )
    chosen = sorted(close[:most])
    lines = [f"{'  ' * min(definitions[at].depth, 3)}{definitions[at].signature}" for at in chosen]
    rest = len(definitions) - len(chosen)
    return (*lines, *([f"... and {rest} more"] if rest else []))
