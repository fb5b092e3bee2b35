"""What headings and labels say about the tasks below them, and the ids and keys of tasks.

A key hashes the written id, the task's words, the names of the headings above it and a count among
equals. Ticks, emoji and emphasis are not part of it, nor are the file's title and the numbers of
headings that also have words, so renumbering the phases keeps every key.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from runner.roadmap.checks import BEFORE, COLONS, MOST, is_bare_phase, is_checks, plain
from runner.roadmap.source import opens_with_status, plain_dashes, without_marks
from runner.roadmap.task import Heading
from runner.roadmap.words import WORDS, longest
from runner.text.patterns import lazy_pattern

# ruff: noqa: RUF001 (the marks of other languages are meant)


_EMPHASIS = lazy_pattern(r"\*\*|__")
_SHORT = 60
_STATED = lazy_pattern(
    r"(?:\*\*|__)(?P<key>[^*_\n]{1,80}?)[:：]?(?:\*\*|__)[:：]?\s*(?P<value>\S+(?:\s+\S+){0,4})\Z"
)
"""A key with a status for a value: "**Success criteria:** ✅ Done"."""
_BOLD_KEY = lazy_pattern(r"\s{0,9}(?:\*\*|__)[^*_\n]{1,80}(?:(?:\*\*|__)\s?[:：]|[:：](?:\*\*|__))")
_KEY = lazy_pattern(r"(?P<key>[^:：\n]{2,60})[:：](?:\*\*|__)?\s*(?P<value>\S.*)\Z", re.DOTALL)


def label(paragraph: str) -> str:
    """Return the label a paragraph ends with, without marks and colon; '' when it is prose."""
    line = paragraph.rsplit("\n", 1)[-1].strip()
    if not line or len(line) > MOST:
        return ""
    bare = line.strip("*_ ")
    bold = line.startswith(("**", "__")) and line.rstrip(COLONS).endswith(("**", "__"))
    # without colon or emphasis a label is one by its words, and no sentence
    short = len(bare) <= _SHORT and not bare.endswith((".", ",", ";"))
    named = plain(bare) in WORDS["work"] or (short and is_checks(bare))
    if bold or bare.endswith(tuple(COLONS)) or named:
        return without_marks(_EMPHASIS.sub("", bare)).rstrip(COLONS + " ")
    stated = _STATED.match(line)
    if stated and is_checks(stated["key"]) and opens_with_status(stated["value"]):
        return without_marks(stated["key"])
    return ""


def is_work(text: str) -> bool:
    """Say whether a label or heading introduces tasks ("Tasks", "Steps")."""
    words = plain(text)
    before = BEFORE.match(words)
    return words in WORDS["work"] or (before is not None and words[before.end() :] in WORDS["work"])


def is_files(text: str) -> bool:
    """Say whether a label or heading introduces a list of files."""
    return plain(text) in WORDS["files"]


def is_status(text: str) -> bool:
    """Say whether a heading is the name of a status ("✅ Completed", "In Progress")."""
    words = plain(text)
    head = re.split(r"\s*[-:/&|,]\s+|\s+(?:tasks|items|features|work)\b", words, maxsplit=1)[0]
    return words in WORDS["statuses"] or head in WORDS["statuses"]


def criteria(paragraph: str) -> list[str]:
    """Return the values of lines "Acceptance: it returns 0"; each extends to the next key line."""
    if not any(colon in paragraph for colon in COLONS):
        return []
    found: list[str] = []
    inside = False
    for line in paragraph.split("\n"):
        key = _KEY.match(line[: 4 * MOST].lstrip("-*+_ \t"))
        if key and is_checks(key["key"]) and not opens_with_status(key["value"]):
            found.append(key["value"].strip("*_ "))
            inside = True
        elif is_key_line(line):
            inside = False
        elif inside and len(found[-1]) < 4 * MOST:
            found[-1] += f" {line.strip()}"
    return found


def is_key_line(line: str) -> bool:
    """Say whether a line begins with a key in bold ("**Effort**: 2 hours")."""
    return _BOLD_KEY.match(line) is not None


# ruff: noqa: RUF001 (the marks of other languages are meant)


Path = tuple[Heading, ...]


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    return plain_dashes(without_marks(text))


_PART = r"\d{1,4}(?:\.\d{1,4})*"
_WORDED = lazy_pattern(
    rf"\[?(?P<word>{longest(WORDS['phases'] | WORDS['tasks'])})s?"
    r"(?![^\W\d一二三四五六七八九十])[\s#:-]*"
    rf"(?P<number>{_PART}|[IVX]{{1,5}}\b|[A-Z](?=\s*(?:[:.)-]|\Z))|[一二三四五六七八九十]{{1,3}})(?!\.?\w)",
    re.IGNORECASE,
)
_ORDINAL = lazy_pattern(
    rf"第?\s*(?P<number>\d{{1,3}}|[一二三四五六七八九十]{{1,3}})\s*(?:{longest(WORDS['counted'])})"
)
_NUMBERED = lazy_pattern(
    r"[\[(§]?(?P<number>\d{1,4}(?:\.\d{1,4})+(?=[\s.:)\]：]|\Z)"
    r"|\d{1,3}(?=[.:)\]](?:\s|\Z)|\s+-\s|[、：]))"
)
_CODED = lazy_pattern(r"\[?(?P<word>[A-Z]{1,8})-?(?P<number>\d{1,4}(?:\.\d{1,4})*)(?=[\s:.\])])")
_PHASE_WORD = lazy_pattern(rf"(?:{longest(WORDS['phases'])})(?![^\W\d])|MVP\b", re.IGNORECASE)
_STRONG = set(WORDS['phases']) - {
    "step", "week", "month", "quarter", "day", "iteration", "part", "chapter", "section", "level",
    "module", "schritt", "woche", "paso", "semana", "passo", "stap", "krok", "semaine", "шаг",
    "неделя", "крок", "步骤", "ステップ", "adım",
}  # fmt: skip
"""Words that name a phase anywhere; the others may count steps within one."""
_CJK = {character: number for number, character in enumerate("一二三四五六七八九", 1)}


@lru_cache(maxsize=4096)
def number(text: str) -> str:
    """Return the number a heading is written with ("1.2 X", "Phase 3", "第二阶段"), '' without."""
    found = _numbered(_bare(text))
    return arabic(found["number"]) if found else ""


def _numbered(text: str) -> re.Match[str] | None:
    return _WORDED.match(text) or _ORDINAL.match(text) or _NUMBERED.match(text)


def phase(path: Path) -> str | None:
    """Return the phase of a place: the first part of the nearest number, else a phase's name.

    A number that only counts ("Task 4", "Step 2", "3. X") gives way to one that says the phase
    ("1.7.2", "Phase 2"), also from further out.
    """
    numbers = [(heading, found) for heading in path if (found := number(heading.text))]
    for heading, found in reversed(numbers):
        if "." in found or names_a_phase(heading.text) or _ORDINAL.match(_bare(heading.text)):
            return found.split(".")[0]
    if numbers:
        return numbers[0][1]
    named = (h.text for h in reversed(path) if _PHASE_WORD.match(without_marks(h.text)))
    return next((without_marks(text) for text in named), None)


WHOLE = (
    r"(?:section|phase|milestone|sprint|stage|epic|module|part|chapter|thrust|этап|фаза|阶段"
    r"|フェーズ)"
)
"""Words of what has tasks of its own."""
_WHOLE_WORD = lazy_pattern(rf"{WHOLE}\b", re.IGNORECASE)
_OTHER_WORD = lazy_pattern(r"[^\W\d_]{2}")


def phase_name(text: str) -> str:
    """Return the word and number of the phase a text names: 'Phase 1: Core' → 'phase 1'.

    The number of "2. Shop (Phase 1)" is not that of the phase.
    """
    found = _WHOLE_WORD.search(text)
    if found is None or _OTHER_WORD.search(text, 0, found.start()):
        return ""
    return f"{found[0].casefold()} {number(text)}" if number(text) else ""


def is_of_a_phase(written: str | None) -> bool:
    """Say whether an id is that of a phase, section or sprint, which may have a section."""
    return bool(written and _WHOLE_WORD.match(written))


def names_a_phase(text: str) -> bool:
    """Say whether a text begins with a phase's word and number; a step or week only counts."""
    worded = _WORDED.match(_bare(text))
    return bool(worded and worded["word"].casefold() in _STRONG)


def divides_checks(path: Path, place: int) -> bool:
    """Say whether a heading only divides what the one around it heads: checks, by phases.

    "Phase 2" does so anywhere, "Phase 2 (MVP)" only right below a heading of checks, and "Phase 2:
    open tasks" nowhere.
    """
    text = path[place].text
    if is_bare_phase(text):
        return True
    if place == 0 or not names_a_phase(text) or not is_checks(path[place - 1].text):
        return False
    return words(text).rpartition(" ")[2] not in WORDS["work"]


def section_ends(paths: Iterable[Path], last: int) -> dict[int, int]:
    """By the line of each heading: the last one below it, up to the next of no deeper level."""
    ends: dict[int, int] = {}
    above: list[Heading] = []
    for path in paths:
        while above and above[-1].level >= path[-1].level:
            ends[above.pop().line] = path[-1].line - 1
        above.append(path[-1])
    return ends | dict.fromkeys((heading.line for heading in above), last)


def phase_heading(path: Path) -> Heading | None:
    """Return the highest heading on the path that has the number or name of its phase."""
    wanted = phase(path)
    return next((h for h in path if wanted and wanted == phase((h,))), None)


@lru_cache(maxsize=4096)
def is_task(text: str) -> str:
    """Say how a heading reads as a task: worded ("Task 4:"), numbered ("1.2 X"), ''."""
    text = _bare(text)
    if is_checks(text):
        return ""
    if worded := _WORDED.match(text):
        return "worded" if worded["word"].casefold() in WORDS["tasks"] else ""
    found = _CODED.match(text) or _NUMBERED.match(text)
    if found is None or (found.re is _NUMBERED and "." not in found["number"]):
        return ""
    return "numbered" if re.match(r"[\s.:)\]-]*[^\W\d]", text[found.end() :]) else ""


@lru_cache(maxsize=4096)
def words(text: str) -> str:
    """Return the words without number and marks, for comparing: 'Phase 1: Core ✅' → 'core'."""
    text = _bare(text)
    found = _numbered(text)
    rest = without_marks(text[found.end() :].lstrip(" \t.:)]-：、")) if found else text
    return " ".join((rest or text).casefold().split())


def arabic(written: str) -> str:
    """Write a number of Chinese or Japanese in digits; others stay as they are written."""
    if not set(written) <= {*_CJK, "十"}:
        return written
    tens, ten, ones = written.rpartition("十")
    return str((_CJK.get(tens, 1) * 10 if ten else 0) + _CJK.get(ones, 0))


# ruff: noqa: RUF001 (the marks of other languages are meant)


_WORDS = longest(WORDS["phases"] | WORDS["tasks"])
_ID = lazy_pattern(
    rf"""[\[(]?(?:
      (?P<word>(?:{_WORDS})[ ]?[-\#]?\d{{1,4}}(?:[.-]\d{{1,4}})*(?!\w))
    | (?P<code>[A-Z]{{1,8}}\d{{1,6}}(?:[.-]\d{{1,6}})*(?-i:[a-h])?(?![\w-])
              |[A-Z][A-Z0-9]{{0,9}}(?:-[A-Z0-9]{{1,10}}){{0,3}}-[A-Z]{{0,8}}\d{{1,8}}(?:\.\d{{1,4}})*(?![\w-]))
    | (?P<dotted>\d{{1,4}}(?:\.\d{{1,4}})+[a-h]?(?!\w))
    | (?P<plan>0\d-\d{{1,4}}(?:\.\d{{1,2}})*|\d{{1,3}}-\d{{1,4}}(?=[\])]?[:：]))
    | (?P<hash>\#\d{{1,9}}(?!\w))
    | (?P<bare>\d{{1,4}}(?=[.):]\s|[、：．）]))
    )[\])]?(?P<end>[.:)]*(?:\s+[-|]+(?=\s)|\s*\Z|(?=\s))|[：、，．）])""",
    re.VERBOSE | re.IGNORECASE,
)
_TAGS = lazy_pattern(r"(?:\[(?:P\d?|US\d+)\]\s*)+")
_REMARK = lazy_pattern(r"[(\[][^()\[\]]*[)\]]|(?:^|\s)[-→>]+\s.*\Z", re.DOTALL)
_BOLD = lazy_pattern(r"(?:\*\*|__)[^*_\n]{1,40}(?:\*\*|__)")
_NO_CODES = lazy_pattern(
    r"(?:P[0-4]|H[1-6]|S3|EC2|MP[34]|ES\d+|HTTP/?\d|V\d+|OAUTH2|IPV\d|UTF\d*|R2|K8|X\d+"
    r"|(?:UTF|SHA|ISO|RFC|AES|GPT|HTTP|PEP|ES|TLS|CVE|MD|X|Q|COVID|AGPL|GPL|BSD)-[\d.-]+)\Z",
    re.IGNORECASE,
)


def split(shown: str, raw: str) -> tuple[str | None, str]:
    """Return the written id and the title of a text: what is shown, without id and marks."""
    whole = without_marks(shown)
    text = plain_dashes(whole)
    match = _ID.match(text)
    if match is None or not _is_id(match, raw):
        return None, _title(whole) or shown
    groups = match.groupdict().items()
    written = next(found for name, found in groups if found and name != "end")
    if len(whole) == len(text):  # a dash behind the id is part of what is asked
        text = whole
    return written, _title(text[match.end() :]) or text


def gone(kept: str) -> bool:
    """Say whether only the id and a remark are left of a struck text."""
    rest = _REMARK.sub("", _bare(kept)).strip()
    return not re.search(r"\w", rest) or _ID.fullmatch(rest) is not None


def _is_id(match: re.Match[str], raw: str) -> bool:
    """A code is in capitals and not a usual name; a worded number is separate from the rest."""
    if code := match["code"]:
        return code.rstrip("abcdefgh") in code.upper() and not _NO_CODES.match(code)
    if not match["word"]:
        return True
    bold = _BOLD.match(raw.lstrip())
    apart = bold is not None and bold[0].strip("*_: ") == match["word"]
    return match.end() == len(match.string) or bool(match["end"]) or apart


def _title(text: str) -> str:
    text = without_marks(text.lstrip(" \t-\u2013\u2014|：、"))
    tags = _TAGS.match(text)
    return without_marks(text[tags.end() :]) if tags else text


_MARKS = lazy_pattern(r"[*_~`]+")
_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)


class Keys:
    """Gives out the keys of one file, in file order; ``scope`` tells it apart from other files.

    A task's own text counts as its words: no emphasis, no comment, no matter how it is broken.
    """

    def __init__(self, first_heading_line: int, scope: str = "") -> None:
        self._first = first_heading_line
        self._scope = f"\0{scope}" if scope else ""
        self._seen: Counter[str] = Counter()
        self._places: dict[Path, str] = {}

    def give(self, written: str | None, text: str, path: Path) -> str:
        """Return the key of the next task; ten hexadecimal digits."""
        if path not in self._places:
            # the first heading, of level 1 and no phase, is only the file's title
            titles = [h for h in path[:1] if h.line == self._first and h.level == 1]
            named = path[1:] if titles and phase((titles[0],)) is None else path
            self._places[path] = "\0".join(words(heading.text) for heading in named)
        if "<!--" in text and "-->" in text:
            text = _COMMENT.sub("", text)
        own = " ".join(_MARKS.sub("", text).split())
        base = "\0".join((written or "", own, self._places[path])) + self._scope
        self._seen[base] += 1
        return hashlib.sha256(f"{base}\0{self._seen[base]}".encode()).hexdigest()[:10]
