"""Answers that leave out parts of a file ("... rest unchanged ..."): put back, or refused.

A marker is a line that the file did not have before. It matters where something is missing: what it
stands for is put back if both its neighbours show exactly which lines those are; otherwise the
file is not written. Markers are recognised by word stems in many human languages, as in
``# ... reste du fichier inchangé ...``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from runner.code.languages import does_nothing, python_functions, python_tree
from runner.code.symbols import Definition, symbols_of
from runner.state.findings import Complaint
from runner.text.compared import Compared
from runner.text.patterns import lazy_pattern

Kind = Literal["certain", "phrase", "dots", "weak", ""]
"""``certain``: dots and words that leave something out; ``phrase``: words that do; ``dots``: only
dots, or dots before other words; ``weak``: a comment that may be a heading ("existing tests"); ''
for an ordinary line."""

_LONGEST, _MOST_WORDS, _SHORT = 120, 8, 4
_OPENING = lazy_pattern(
    r"^(?:<!--+|\{?/\*+|\*+(?!\*)|//+|#+|--+|;+|%+|\(\*|\"\"\"|'''|(?i:rem)\b|')\s*"
)
_CLOSING = lazy_pattern(r"\s*(?:--+>|\*+/\}?|\*\)|\"\"\"|'''|#+|//+)[\s;)}]*$")
_INLINE = lazy_pattern(r"\s(?:#|//|/\*|<!--)\s*(?P<text>\S.*)$")
_BRACKETS = (("[", "]"), ("(", ")"), ("<", ">"), ("{", "}"), ("*", "*"), ("_", "_"))
_DOTS = lazy_pattern(r"\.{3,}|…+|⋮+|\u2e31|(?<!\w)\.\.(?!\w)")


def _any(stems: str) -> re.Pattern[str]:
    """Match one of the stems, which commas and line ends divide."""
    return re.compile("|".join(filter(None, map(str.strip, re.split(r"[,\n]", stems)))), re.I)


_LEFT = _any(
    r"""
    \brest\b, remainder, remaining, everything else
    \bother (?:code|content|function|method|import|test|field|helper|class|definition|part|line)
    existing, previous, original
    \bprior\b, \bold (?:code|content)
    restlich, übrig, bestehend, vorhanden, bisherig, alles andere
    \breste\b, existant, précédent, \bautres?\b
    \bresto\b, restante, existente, \bdemás\b, anterior, \b(?:otr|outr|altr)[aoei]s?\b
    overige, bestaande, reszt, pozosta, istniej, zbyt, ostatn, stávaj, existuj
    \bresten\b, övrig, øvrig, befintlig, eksisterende, \bloput\b, olemassa, többi, meglév
    restul, existent, geri kalan, \bkalan, mevcut, còn lại, hiện có, \bsisa, yang ada
    остальн, остаток, существующ, прежн, решта, інш, наявн, останал
    其余, 其餘, 其他, 剩余, 剩餘, 剩下, 余下, 现有, 現有, 原有, 已有, 原来, 之前
    残り, 既存, その他, 他の, 以降, 나머지, 기존, 이하
    بقية, باقي, الموجود, שאר, הקיים, बाकी, शेष, मौजूदा, υπόλοιπ, υπάρχ, ที่เหลือ, เดิม
    """
)
_SAME = _any(
    r"""
    unchanged, unmodified, untouched, not (?:changed|modified|shown), no (?:other )?changes?\b
    \bsame\b, as (?:before|is|it was|they were)\b, \bstays?\b, \bremains?\b, omit, elided
    truncated, snip, skipped, left out, \bkeep, \bkept\b, identical, \bhere\b, continues?\b
    brevity, abbreviated
    unverändert, bleib, wie (?:bisher|zuvor|vorher|gehabt), \bgleich, ausgelassen, weggelassen
    gekürzt, inchangé, sans (?:changement|modification), identique, comme avant, change pas
    sin (?:cambi|modific), \bigual, inalterad, no cambia, sem (?:altera|mudan|modific), mantid
    mantém, invariat, senza modific, omess, immutat, come prima, uguale
    ongewijzigd, onveranderd, weggelaten, blijft, bez zmian, niezmien, pomini, beze změn, nezměn
    vynech, oförändra, uændre, uendre, utelämna, ennallaan, muuttumat, változatlan, neschimbat
    nemodificat, değişme, değişiklik, \bayn[ıi], giữ nguyên, không (?:thay )?đổi
    tidak berubah, \btetap, \bsama\b
    без изменен, не (?:из)?мен, неизмен, как (?:было|раньше|прежде|есть), опущен, пропущен, то же
    без змін, незмін
    不变, 不變, 未变, 未變, 没有变, 没变, 未修改, 未改, 省略, 略, 相同, 同上, 同前, 如前, 保持
    変更なし, 変更無, 変わら, そのまま, 同じ, 同様, 변경 없, 그대로, 동일, 생략
    دون تغيير, بدون تغيير, كما هو, لم يتغير, ללא שינוי, अपरिवर्तित, वही, जैसा
    αμετάβλητ, ίδι, χωρίς αλλαγ, เหมือนเดิม, ไม่เปลี่ยน
    """  # noqa: RUF001 - letters of these languages
)
_PART = lazy_pattern(
    r"\b(?:codes?|files?|functions?|methods?|class(?:es)?|implementations?|imports?|logic|body|bodies"
    r"|contents?|lines?|definitions?|modules?|tests?|documents?|sections?|scripts?|config(?:uration)?"
    r"|helpers?|handlers?|routes?|fields?|routines?|stuff|things?)\b",
    re.IGNORECASE,
)
_KEPT = lazy_pattern(
    r"unchanged|untouched|\b(?:stays?|remains?)\b|omitted|elided|truncated|not shown", re.IGNORECASE
)
_OURS = lazy_pattern(r"cut|lines \d+-\d+ left out.*")  # the notes of a file that is shown in part
_REST = lazy_pattern(
    r"(?:the )?(?:rest|remainder|(?:remaining|other|existing) \w+|everything else)"
    r"(?: of (?:the |this )?\w+)?(?: code| file)? (?:(?:stays?|remains?|is|are|kept|left) )?"
    r"(?:the )?(?:unchanged|same|as is|as before|untouched|omitted(?: for brevity)?|not shown)",
    re.IGNORECASE,
)
_ALONE = lazy_pattern(
    r"(?:unchanged(?: below| above| from here)?|unmodified|same(?: as before| as above)?|as before"
    r"|no changes?(?: here)?|snip(?:ped)?"
    r"|(?:omitted|truncated|elided|abbreviated|skipped)(?: for brevity)?"
    r"|(?:the )?(?:existing|previous|remaining) (?:code|implementation)(?: here| above| below)?"
    r"|(?:the )?(?:rest|remainder) of (?:the |this )?\w+)",
    re.IGNORECASE,
)


def kind_of(line: str, *, markdown: bool = False) -> Kind:
    """Say whether a line leaves something out; in Markdown ``#`` and ``*`` are not comments."""
    text = line.strip()
    if not text or len(text) > _LONGEST:
        return ""
    bare, marked = _bare(text, markdown=markdown)
    if not marked and (inline := _INLINE.search(f" {text}")) and not markdown:
        return _kind(_CLOSING.sub("", inline["text"]), marked=True, inline=True)
    return _kind(bare, marked=marked)


def _bare(text: str, *, markdown: bool) -> tuple[str, bool]:
    """Take comment marks and brackets off; also whether there were any."""
    bare = text
    if not markdown or text.startswith("<!--"):
        bare = _CLOSING.sub("", _OPENING.sub("", text)) if _OPENING.match(text) else text
    for opening, closing in _BRACKETS:
        inner = bare.strip()
        if inner.startswith(opening) and inner.endswith(closing) and len(inner) > 1:
            bare = inner[1:-1]
    return bare.strip(), bare != text


def _kind(text: str, *, marked: bool, inline: bool = False) -> Kind:
    words = _DOTS.sub(" ", text).strip(" .:;,!-\u2013\u2014=*_()[]<>{}")
    dots = _DOTS.search(text.strip())
    leads = dots is not None and dots.start() == 0
    if not words:
        return "dots" if dots and not inline else ""
    if leads and _OURS.fullmatch(words):
        return "certain"
    if len(words.split()) > _MOST_WORDS:
        return ""
    left, same = _LEFT.search(words), _SAME.search(words)
    if leads and (left or same):
        return "certain"
    if not marked:
        return ""
    if _REST.fullmatch(words):
        return "certain"
    kept = _KEPT.search(words) and _PART.search(words)
    if (left and same) or kept or _ALONE.fullmatch(words):
        return "phrase"
    if inline:
        return ""
    if len(words.split()) <= _SHORT and left and (dots or _PART.search(words)):
        return "weak"
    return "dots" if leads else ""


_TOO_MUCH = 0.3
"""The share of a file's, or of a definition's, lines that may not vanish beside a marker."""

_LEAST_GONE = 2
_MOST_DEFINITIONS = 20_000
_NAMED = 5
_MOST_IDLE = 8
_COMMENTS = ("#", "//", "/*", "<!--", "--", ";", "%", "{/*")
_MARKUP = (".md", ".mdx", ".markdown", ".rst", ".txt")


@dataclass(frozen=True, slots=True)
class Whole:
    """A text with nothing left out; ``note`` says what was done for that ('' for nothing).

    ``restored`` says that lines of the old text were put back, and that little else is gone.
    """

    text: str
    note: str = ""
    restored: bool = False


def whole(old: str, new: str, *, path: str, place: str) -> Whole | Complaint:
    """Return what a file becomes, or a complaint ``ElidedCode`` when parts of it are left out."""
    lines, before = new.split("\n"), old.split("\n")
    marks = _marks(old, new, path)
    if not marks:
        return Whole(new)
    shown = f"`{lines[min(marks)].strip()[:80]}`"
    restored = _restored(before, lines, sorted(marks))
    if restored is not None and not _lost(old, restored, path):
        missing = _counted(before) - _counted(restored.split("\n"))
        little = missing.total() <= _TOO_MUCH * len(before)
        return Whole(restored, f"{path}: put back what {shown} stands for", restored=little)
    if gone := _gone(old, new, path, marks):
        return _complaint(path, place, shown, gone)
    idle = {at for at, kind in marks.items() if kind == "certain" and _is_idle(lines[at])}
    kept = "\n".join(line for at, line in enumerate(lines) if at not in idle)
    return Whole(kept, f"{path}: took out {shown}, nothing is missing there" if idle else "")


def _marks(old: str, new: str, path: str) -> dict[int, Kind]:
    """Return the lines (from 0) that may leave something out, and how they say so."""
    lines, markdown = new.split("\n"), path.endswith(_MARKUP)
    there = Counter(line.strip() for line in old.split("\n"))
    marks: dict[int, Kind] = {}
    for at, line in enumerate(lines):
        if there[line.strip()] > 0:
            there[line.strip()] -= 1
        elif kind := kind_of(line, markdown=markdown):
            marks[at] = kind
    if path.endswith((".py", ".pyi")):
        return _of_python(old, new, marks) if marks or new.count("...") > old.count("...") else {}
    apart = _fenced(lines) if markdown and marks else ()
    return {at: kind for at, kind in marks.items() if at not in apart}


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines inside fences of a document: they only show code."""
    inside, found = False, set()
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif inside:
            found.add(at)
    return frozenset(found)


def _of_python(old: str, new: str, marks: dict[int, Kind]) -> dict[int, Kind]:
    """Leave out what is inside texts or is a stub's body; add the bodies that became stubs."""
    try:
        tree, before = python_tree(new), python_tree(old)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return marks
    real = {name for name, node, _ in python_functions(before) if not does_nothing(node)}
    found = dict(marks)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            last = node.end_lineno or node.lineno
            found = {a: k for a, k in found.items() if not node.lineno <= a + 1 <= last}
        elif isinstance(node, ast.ClassDef) and does_nothing(node):
            found.pop(node.body[-1].lineno - 1, None)
    functions = list(python_functions(tree))
    full = {name for name, node, meant in functions if meant or not does_nothing(node)}
    for name, function, _ in functions:
        last_one = function.body[-1]
        if name in real - full and ast.unparse(last_one) == "...":
            found[last_one.lineno - 1] = "certain"
        elif does_nothing(function) and name not in real - full:
            found.pop(last_one.lineno - 1, None)
    return found


def _restored(before: Sequence[str], lines: Sequence[str], marks: Sequence[int]) -> str | None:
    """Put back the lines between the neighbours of each marker; None if that is not certain.

    Each neighbour must be once in the old and once in the new text; the beginning and the end of
    the file are neighbours, too.
    """
    if not all(_is_apart(lines[mark]) for mark in marks):
        return None
    kept: list[str] = []
    start = 0
    for mark in marks:
        above = next((at for at in range(mark - 1, -1, -1) if lines[at].strip()), None)
        below = next((at for at in range(mark + 1, len(lines)) if lines[at].strip()), None)
        first = -1 if above is None else _only(before, lines, above)
        last = len(before) if below is None else _only(before, lines, below)
        if first is None or last is None or first >= last or above in marks or below in marks:
            return None
        kept += [*lines[start : 0 if above is None else above + 1], *before[first + 1 : last]]
        start = len(lines) if below is None else below
    return "\n".join([*kept, *lines[start:]])


def _only(before: Sequence[str], lines: Sequence[str], at: int) -> int | None:
    """Return the place of the one line of the old text that equals this line of the new."""
    line = lines[at]
    if before.count(line) != 1 or lines.count(line) != 1:
        return None
    return before.index(line)


def _lost(old: str, new: str, path: str) -> list[Definition]:
    """Return the definitions of the old text that the new one has not, or has twice."""
    before = _definitions(old, path)
    had, has = (Counter(d.name for d in found) for found in (before, _definitions(new, path)))
    return [d for d in before if has[d.name] < had[d.name] or has[d.name] > max(had[d.name], 1)]


def _definitions(text: str, path: str) -> Sequence[Definition]:
    return symbols_of(path, text.encode("utf-8", "replace"), most=_MOST_DEFINITIONS).definitions


def _gone(old: str, new: str, path: str, marks: dict[int, Kind]) -> list[str]:
    """Return the names and lines that vanished where that is too much, else nothing."""
    before = _counted(old.split("\n"))
    gone = before - _counted(new.split("\n"))
    names = Counter(d.name for d in _definitions(old, path))
    names -= Counter(d.name for d in _definitions(new, path))
    much = gone.total() > _TOO_MUCH * before.total()
    if set(marks.values()) == {"weak"} and len(new) > (1 - _TOO_MUCH) * len(old):
        return []
    if names or much or _in_place(old, new, marks, gone) or _inside(old, new, path, marks, gone):
        return [*names, *gone.elements()]
    return []


def _in_place(old: str, new: str, marks: dict[int, Kind], gone: Counter[str]) -> bool:
    """Whether a sure marker is where lines were."""
    before, lines = old.split("\n"), new.split("\n")
    certain = [at for at, kind in marks.items() if kind == "certain"]
    return bool(certain) and any(
        any(start <= at < end for at in certain) and bool(_counted(before[a:b]) & gone)
        for tag, a, b, start, end in Compared(before, lines).get_opcodes()
        if tag == "replace"
    )


def _inside(old: str, new: str, path: str, marks: dict[int, Kind], gone: Counter[str]) -> bool:
    """Whether a definition with a marker in it lost too many of its lines."""
    before, lines = {d.name: d for d in _definitions(old, path)}, old.split("\n")
    for definition in _definitions(new, path):
        was = before.get(definition.name)
        if was and any(definition.line <= at + 1 <= definition.end_line for at in marks):
            own = _counted(lines[was.line - 1 : was.end_line])
            lost = (own & gone).total()
            if lost >= _LEAST_GONE and lost > _TOO_MUCH * own.total():
                return True
    return False


def _counted(lines: Sequence[str]) -> Counter[str]:
    return Counter(line.strip() for line in lines if line.strip())


def _is_idle(line: str) -> bool:
    """Whether the line has nothing but a marker in a comment, which may be taken out."""
    return line.strip().startswith(_COMMENTS) and len(line.split()) <= _MOST_IDLE


def _is_apart(line: str) -> bool:
    """Whether the marker has its line for itself."""
    return line.strip().startswith((*_COMMENTS, "[", "(", "<", ".", "\u2026"))


def _complaint(path: str, place: str, shown: str, gone: Sequence[str]) -> Complaint:
    named = ", ".join(f"`{line[:60]}`" for line in gone[:_NAMED])
    more = ", ..." if len(gone) > _NAMED else ""
    message = f"{place} has {shown} in place of code of {path}, and this is missing: {named}{more}."
    advice = (
        "Leave nothing out: write every line of the file, or only edits (SEARCH/REPLACE) of the "
        "lines that change."
    )
    return Complaint(path, "ElidedCode", message, advice=advice)
