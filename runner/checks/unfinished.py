"""Answers that do not do the task: a promised name is missing, a body is empty, only comments.

Found from the text alone, for code that no test reaches. What a task names in passing counts for
nothing: only names that it says to make, and only where nothing anywhere has them.


"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal

from runner.checks.asked import TaskWords, is_prose
from runner.checks.promises import promised_names
from runner.checks.tests_asked import asks_for_tests
from runner.code.languages import comment_of, is_among_tests, language_of, python_tree
from runner.code.symbols import Definition, symbols_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

Read = Callable[[str], bytes | None]

_MAY_BE_UNDONE = (
    "stub", "placeholder", "skeleton", "scaffold", "abstract", "interface", "protocol",
    "notimplemented", "unimplemented",
)  # fmt: skip
_MAY_BE_EMPTY = (*_MAY_BE_UNDONE, "no-op", "noop", "dummy", "mock", "fake", "hook", "base")
_DOES_NOTHING = re.compile(
    r"\b(?:do|does|doing|did)\s+nothing|\bempty\s+(?:\w+\s+)?(?:method|function|body|bodies|class"
    r"|implementation|handler|callback|component|module|file)",
    re.IGNORECASE,
)
_ABOUT_COMMENTS = (
    "comment", "doc", "licen", "copyright", "header", "typo", "spell", "explain", "describ", "note",
    "annot", "todo", "wording", "lint", "ignore", "typ", "noqa", "pragma", "clean", "tid", "format",
    "remov", "delet", "coverage", "shebang", "encod", "disabl", "supress", "suppress", "translat",
)  # fmt: skip
_ABOUT_PAGES = (
    *_ABOUT_COMMENTS, "readme", "guide", "tutorial", "manual", "wiki", "page", "section", "example",
    "glossary", "overview", "introduc", "polic", "summar", "outline", "list", "faq", "changelog",
    "release", "version", "news", "announc", "mention", "instruct", "text", "markdown", "website",
    "handbook", "writ", "tell", "link", "badge", "table", "chapter", "paragraph", "sentence",
    "record", "state", "clarif", "claim", "decision", "decide", "spec", "proposal", "design", "rfc",
    "research", "investigat", "audit", "review", "evaluat", "compar", "analy", "question",
    "assess", "story",
)  # fmt: skip
_NAMES_A_TEST = re.compile(r"(?:^|_)tests?(?:_|$)|^Test[A-Z]")
_ABOUT_TESTS = (
    "test", "cover", "assert", "verif", "check", "reproduc", "regress", "flak", "fixture", "mock",
    "spec", "qa", "fuzz", "snapshot", "golden", "benchmark", "example", "prov", "ensure", "sure",
    "confirm", "guarantee", "pin", "skip", "charact", "property", "case", "ci", "mutat",
    "demonstrat",
)  # fmt: skip
_TEXT_OF_COMMENTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_UNDONE = (
    r"not[ _]?(?:yet[ _]?)?implemented|notimplementederror|unimplemented|todo|to be implemented"
    r"|implement (?:me|this)|your (?:code|implementation|logic)|implementation (?:goes )?here"
)
_TRIVIAL = re.compile(
    r"(?:return(?:\s+(?:undefined|null|nil|void 0))?\s*;?|(?:todo|unimplemented)!\([^)]*\)\s*;?"
    rf"|(?:throw\s+(?:new\s+)?\w*Error|panic|throw\s+new\s+\w*Exception)\(\s*[\"'`][^\"'`]*(?:{_UNDONE})"
    r"[^\"'`]*[\"'`]\s*\)\s*;?)?",
    re.IGNORECASE | re.DOTALL,
)
_ABSTRACT = frozenset({"Protocol", "ABC", "ABCMeta", "abstractmethod", "overload", "NamedTuple"})
_SAYS_UNDONE = re.compile(_UNDONE, re.IGNORECASE)
Body = Literal["full", "empty", "undone"]
"""What a function does: something, nothing, or nothing and it says so."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unfinished(changes: ChangeSet, asked: TaskWords, *, read: Read) -> tuple[Complaint, ...]:
    """Complain of new code that does nothing, and of answers that change comments alone.

    ``read`` returns what a file held before.
    """
    if _comments_alone(changes, read) and not asked.mentions(*_ABOUT_COMMENTS):
        message, advice = "The answer changes nothing but comments.", "Do what the task asks for."
        return (Complaint(next(iter(changes.files)), "OnlyComments", message, advice=advice),)
    if asked.about_tests or asked.mentions(*_MAY_BE_UNDONE):
        return ()
    return tuple(_empty_bodies(changes, asked, read))


def _comments_alone(changes: ChangeSet, read: Read) -> bool:
    files = [(path, read(path), write) for path, write in changes.files.items()]
    return bool(files) and all(
        old is not None and write is not None and _same_code(path, old, write.content)
        for path, old, write in files
    )


def beside_the_code(changes: ChangeSet, asked: TaskWords) -> tuple[Complaint, str] | None:
    """Return a question, and a warning, about an answer that changes only pages, or only tests.

    Where the task speaks of neither, that is rarely what it is about. The question is asked once.
    """
    if not changes or not all(changes.files.values()) or any(map(asked.names_file, changes.files)):
        return None
    stems = {path.rpartition("/")[2].partition(".")[0].lower() for path in changes.files}
    if all(map(is_prose, changes.files)) and not stems & asked.words:
        what, about = "pages that people read", asked.mentions(*_ABOUT_PAGES)
    elif all(map(is_among_tests, changes.files)):
        named = any(map(_NAMES_A_TEST.search, asked.names))
        what, about = "tests", named or asked.about_tests or asked.mentions(*_ABOUT_TESTS)
    else:
        return None
    message = f"The answer changes nothing but {what}."
    advice = (
        "Do all that the task asks for. Only if that is what it asks for, give the same answer "
        "again."
    )
    question = Complaint(next(iter(changes.files)), "OnlyBeside", message, advice=advice)
    return None if about else (question, f"only {what} changed; the task does not speak of them")


_TEST_CODE = lazy_pattern(
    r"\bdef test|\b(?:it|test|describe)\(|@(?:\w+\.)?Test\b|\bfunc (?:Test|Example)"
    r"|#\[(?:\w+::)?test\b|>>> |\bTEST(?:_F|_P)?\(|function test|\[(?:Fact|Theory|Test)"
)


_TEST_PATH = lazy_pattern(r"test|spec|check|\.t\Z", re.IGNORECASE)


def without_asked_tests(changes: ChangeSet, asked: TaskWords) -> tuple[Complaint, str] | None:
    """Return a question, and a warning, about an answer without the tests that the task asks for.

    A test may be in the file of the code, or in a comment that is run. The question is asked once;
    where tests are all that the task asks for, there is no warning ('') and it stays a complaint.
    """
    paths = changes.files.keys()
    if not changes or not asks_for_tests(asked) or any(map(_TEST_PATH.search, paths)):
        return None
    texts = [w.content.decode("utf-8", "replace") for w in changes.files.values() if w]
    if any(map(_TEST_CODE.search, texts)):
        return None
    what = "The task asks for tests, and the answer has none."
    if asked.about_tests:
        return Complaint("", "NoTests", what, advice="Give them."), ""
    again = "Only if they are there already, give the same answer again."
    warning = "the task asks for tests, and none was added or changed"
    return Complaint("", "NoTests", what, advice=f"Give them too. {again}"), warning


def _same_code(path: str, old: bytes, new: bytes) -> bool:
    """Whether two versions differ in lines of comments only (and do differ)."""
    comment = comment_of(path)
    signs = ("#",) if comment == "#" else ("//", "/*", "*", "*/")
    if old == new or not comment:
        return False
    before, after = (Counter(t.decode("utf-8", "replace").split("\n")) for t in (old, new))
    changed = [line.strip() for line in (*(before - after), *(after - before))]
    filled = [line for line in changed if line]
    return bool(filled) and all(
        line.startswith(signs) and not line.startswith(("#!", "//go:")) for line in filled
    )


def _empty_bodies(changes: ChangeSet, asked: TaskWords, read: Read) -> Iterator[Complaint]:
    """Complain of functions that are new, or did something, and do nothing now.

    Empty ones must be promised: a method may well be overridden with nothing. One that does
    something elsewhere excuses the others: a null object may do nothing.
    """
    empty: dict[str, tuple[str, int]] = {}
    full: set[str] = set()
    promised = frozenset() if _may_be_empty(asked) else promised_names(asked)
    for path, write in changes.files.items():
        if write is None or is_among_tests(path) or path.endswith(".pyi"):
            continue
        had = dict(_functions(path, read(path) or b""))
        for name, (line, body) in _functions(path, write.content):
            wanted = promised if body == "empty" else asked.names
            if body != "full" and name in wanted and had.get(name, (0, "full"))[1] == "full":
                empty.setdefault(name, (path, line))
            elif body == "full" and name not in had:
                full.add(name)
    for name, (path, line) in empty.items():
        if name not in full:
            message = f"`{name}` in {path} does nothing yet."
            yield Complaint(path, "StubBody", message, line, advice="Write what the task asks for.")


def _may_be_empty(asked: TaskWords) -> bool:
    return asked.mentions(*_MAY_BE_EMPTY) or bool(_DOES_NOTHING.search(asked.text))


def _functions(path: str, content: bytes) -> list[tuple[str, tuple[int, Body]]]:
    """Return functions by name: where each begins, and what it does."""
    text = content.decode("utf-8", "replace")
    if language_of(path) == "python":
        return _of_python(text)
    if comment_of(path) != "//":
        return []
    lines = text.split("\n")
    found = symbols_of(path, content).definitions
    bodies = ((each, _body(lines, each)) for each in found)
    return [(each.name, (each.line, _kind(body))) for each, body in bodies if body is not None]


def _kind(body: str) -> Body:
    if not _TRIVIAL.fullmatch(_TEXT_OF_COMMENTS.sub("", body).strip()):
        return "full"
    return "undone" if _SAYS_UNDONE.search(body) else "empty"


def _body(lines: list[str], definition: Definition) -> str | None:
    """Return what is between a function's braces; None for other nodes."""
    text = "\n".join(lines[definition.line - 1 : definition.end_line])
    opening, depth = text.find("("), 0
    if opening < 0 or "{" in text[:opening]:
        return None
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 and (brace := text.find("{", at)) >= 0 and text.rstrip().endswith("}"):
            return text[brace + 1 : text.rindex("}")]
    return None


def _of_python(text: str) -> list[tuple[str, tuple[int, Body]]]:
    try:
        tree = python_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    lines = text.split("\n")
    return [(f.name, (f.lineno, _kind_of(f, lines, meant))) for f, meant in _below(tree)]


def _kind_of(function: Function, lines: list[str], meant: bool) -> Body:
    if meant or not all(map(_does_nothing, function.body)):
        return "full"
    own = "\n".join(lines[function.lineno - 1 : function.end_lineno])
    return "undone" if _SAYS_UNDONE.search(own) else "empty"


def _below(tree: ast.AST, *, abstract: bool = False) -> Iterator[tuple[Function, bool]]:
    """Yield the functions of a module and its classes, and whether each is meant to be empty."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            words = _words([*node.bases, *(k.value for k in node.keywords)])
            yield from _below(node, abstract=bool(words & _ABSTRACT))
        elif isinstance(node, Function):
            meant = abstract or bool(_words(node.decorator_list) & _ABSTRACT)
            yield node, meant
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _below(node, abstract=abstract)


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise) and node.exc is not None:
        return "NotImplementedError" in _words([node.exc])
    if isinstance(node, ast.Return):
        return node.value is None or ast.unparse(node.value) == "None"
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _words(nodes: list[ast.expr]) -> set[str]:
    inner = [each for node in nodes for each in ast.walk(node)]
    return {n.id for n in inner if isinstance(n, ast.Name)} | {
        n.attr for n in inner if isinstance(n, ast.Attribute)
    }
