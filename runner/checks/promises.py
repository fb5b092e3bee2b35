"""The names that a task says to make, and where: "Add `f(x)` to `a.py`", "a class `Store`".

What a task names in passing counts for nothing: only names that it says to make, and only where
nothing anywhere has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from runner.checks.asked import TaskWords, is_prose
from runner.code.languages import is_test_file, names_a_file
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

_SPAN = lazy_pattern(
    r"`(?P<owner>(?:[A-Za-z_]\w*(?:\.|::))*)(?P<name>[A-Za-z_]\w*)(?P<call>\([^`\n]*\)[^`\n]*)?`"
)
_NOUN = (
    r"(?:functions?|methods?|class(?:es)?|types?|structs?|exceptions?|constants?|components?"
    r"|decorators?|dataclass(?:es)?|hooks?|helpers?)"
)
_FILLER = (
    r"(?:(?:a|an|the|two|three|new|public|static|async|pure|small|simple|optional|named|called|also"
    rf"|packages?|modules?|files?|its|{_NOUN})\s+)*"
)
_LISTED = rf"(?:`[^`\n]*`\s*(?:,|and|, and|with|\+)\s*{_FILLER})*"
_REST = r"(?:`[^`\n]*`|[^.;`\n]){0,100}"
_MADE = lazy_pattern(
    rf"(?:^|[.;:!?)]\s|\n|\band\s)\W*(?:[\w.]*\d[\w.]*\W+)?(?:please\s+)?(?:add|implement|create|introduce|define)\s+"
    rf"{_FILLER}{_LISTED}$",
    re.IGNORECASE,
)
_GIVEN = lazy_pattern(
    rf"\b(?:gives?|gets?|offers?|provides?)\b{_REST}\b(?:a|an)\s+(?:new\s+)?{_NOUN}\s+$",
    re.IGNORECASE,
)
_RENAMED = lazy_pattern(rf"\brename\b{_REST}\sto\s+$", re.IGNORECASE)
_NAMED_NOUN = lazy_pattern(rf"{_NOUN}\s+(?:named\s+|called\s+)?{_LISTED}$", re.IGNORECASE)
_NAMED_TEST = lazy_pattern(
    r"\b(?:add|write|create|include|including)\s+(?:(?:a|an|the|two|three|new|also|unit|regression)\s+)*"
    r"tests?\s+(?:functions?\s+)?(?:named\s+|called\s+)?(?:`[^`\n]*`\s*(?:,|and|, and)\s*)*$",
    re.IGNORECASE,
)
_SENTENCE = 300
_BELOW = lazy_pattern(
    r"(?:^|[.;!?)]\s|\n)\W*(?:[\w.]*\d[\w.]*\W+)?(?:please\s+)?(?:add|implement|create|introduce|define)\s+"
    r"(?:`[^`\n]*`|[^.;`\n]){0,120}:[ \t]*\n(?:\s*[-*+]\s+`[^\n]*\n)*\s*[-*+]\s+$",
    re.IGNORECASE,
)
_INTO = lazy_pattern(
    rf"\s*(?:(?:,|and|, and|with|\+)\s*{_FILLER}`[^`\n]*`\s*)*"
    rf"(?:,\s*)?(?:to|in|into|inside)\s+{_FILLER}"
    r"(?:`(?P<quoted>[^`\n]+)`|(?P<bare>[\w./-]+\.\w{1,4})(?![\w/]))(?!\s*(?:,\s*)?(?:or|/)\s)",
    re.IGNORECASE,
)
_HOLDER = lazy_pattern(rf".*`([\w./-]+\.\w{{1,4}})`\s+with\s+{_FILLER}{_LISTED}$", re.I | re.DOTALL)
_HEADED = lazy_pattern(
    r"\b(?:to|in|into)\s+`([\w./-]+\.\w{1,4})`\s*:[ \t]*\n(?:\s*[-*+]\s[^\n]*\n)*\s*[-*+]\s+$",
    re.IGNORECASE,
)
_OF_TESTS = lazy_pattern(r"\btests?\b|fixture|conftest|\bspecs?\b|\bmock", re.IGNORECASE)
_CLAUSE = lazy_pattern(
    r"[.;\n](?:\s|$)|\b(?:with|and|plus|including)\s+(?:(?:a|an|its|the|unit|new|some|their)\s+)*tests?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PromisedName:
    """A name to make; ``file`` and ``owner`` (a class) are where, '' if the task does not say.

    ``for_tests`` says that tests may be what it is for. ``new_path`` is what the task renames
    something to, '' where it does not rename: a file or folder of that name keeps the promise.
    """

    name: str
    file: str = ""
    owner: str = ""
    for_tests: bool = False
    new_path: str = ""


def promises(asked: TaskWords) -> Iterator[PromisedName]:
    """Yield the names that the task says to make: "Add `f(x)` and `g(x)`", "rename … to `h`".

    A bare word counts where the task says what it is ("a class `Store`") or what it renames.
    """
    for span in promised_spans(asked):
        yield _promise(asked, span, _before(asked, span))


def promised_spans(asked: TaskWords) -> Iterator[re.Match[str]]:
    """Yield where the names stand: matches with the groups ``owner``, ``name`` and ``call``."""
    for span in _SPAN.finditer(asked.text):
        if span["owner"] and not span["call"] and names_a_file(span[0].strip("`")):
            continue  # "rename `m.py` to `n.py`" promises no name `py`
        before = _before(asked, span)
        made = _MADE.search(before) and (span["call"] or _NAMED_NOUN.search(before))
        made = made or (span["call"] and _BELOW.search(before)) or _names_test(span, before)
        if made or _GIVEN.search(before) or _RENAMED.search(before):
            yield span


def _names_test(span: re.Match[str], before: str) -> bool:
    """Whether the name is a new test's: "add a test `test_a`", not "run `test_a`"."""
    return span["name"].lower().startswith("test") and _NAMED_TEST.search(before) is not None


def _before(asked: TaskWords, span: re.Match[str]) -> str:
    return asked.text[max(0, span.start() - _SENTENCE) : span.start()]


def _promise(asked: TaskWords, span: re.Match[str], before: str) -> PromisedName:
    after = asked.text[span.end() : span.end() + _SENTENCE]
    into, holder = _INTO.match(after), _HOLDER.match(before) or _HEADED.search(before)
    where = (into["quoted"] or into["bare"]) if into else holder[1] if holder else ""
    owner = span["owner"].rstrip(".:").rpartition(".")[2].rpartition(":")[2]
    if re.fullmatch(r"[A-Z]\w*", where):
        owner, where = where, ""
    clause = _CLAUSE.split(before)[-1] + asked.text[span.start() : span.end()]
    clause += _CLAUSE.split(after)[0]
    sure = "." in where and not is_test_file(where)
    for_tests = asked.about_tests or (not sure and _OF_TESTS.search(clause) is not None)
    for_tests = for_tests or _names_test(span, before)
    file = where if "." in where and " " not in where else ""
    new_path = span[0].strip("`") if _RENAMED.search(before) and not span["call"] else ""
    owner = owner if owner[:1].isupper() else ""
    return PromisedName(span["name"], file, owner, for_tests, new_path)


def promised_names(asked: TaskWords) -> frozenset[str]:
    """Return the names alone."""
    return frozenset(promise.name for promise in promises(asked))


def missing_names(changes: ChangeSet, asked: TaskWords) -> tuple[PromisedName, ...]:
    """Return the promises whose name no changed file has; files that did not change may.

    A test may use a name and a page may speak of it: that makes it nowhere.
    """
    texts = {p: w.content.decode("utf-8", "replace") for p, w in changes.files.items() if w}
    code = "\n".join(t for p, t in texts.items() if not is_test_file(p) and not is_prose(p))
    tests = "\n".join(t for p, t in texts.items() if is_test_file(p))
    found = {
        promise.name: promise
        for promise in promises(asked)
        if not has_word(code, promise.name)
        and not (promise.for_tests and has_word(tests, promise.name))
        and not (promise.new_path and _is_path_of(promise.new_path, texts))
    }
    return tuple(found[name] for name in sorted(found))


def _is_path_of(name: str, paths: Iterable[str]) -> bool:
    """Whether a file or a folder has the name, with or without its ending."""
    parts = {part for path in paths for part in path.split("/")}
    return name in parts or name in {part.partition(".")[0] for part in parts}


def has_word(text: str, name: str) -> bool:
    """Whether a text has a name as a complete word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def has_name(text: str, name: str) -> bool:
    """Whether code has a name, and not only its comments the word: it is called, set or defined."""
    word = re.escape(name)
    return has_word(text, name) and bool(
        re.search(
            rf"(?<!\w){word}\s*[(=:<\[{{]|[\"']{word}[\"']|\w\s+{word}\s*$", text, re.MULTILINE
        )
        or re.search(rf"\b(?:class|type|struct|enum|interface|trait|module)\s+{word}\b", text)
    )


def name_complaint(name: str) -> Complaint:
    """Complain of a name that the task says to make and that is nowhere."""
    message = f"The task asks for `{name}`, but nothing has that name."
    return Complaint("", "NameMissing", message, advice="Write it, under this name.")
