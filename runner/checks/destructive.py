"""Destructive operations that a change adds, by category, for a person to decide on.

They are not errors: the task may ask for them. Only code counts, not comments or documents. Calls
of every language are found in its syntax tree: functions that destroy, and commands or SQL given to
what runs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from runner.checks import destructive_commands
from runner.checks.blanks import added_lines
from runner.checks.destructive_commands import (
    Category,
    Verdict,
    judge,
    judge_downloads,
    judge_sql,
    judge_text,
)
from runner.code.symbols import syntax_tree
from runner.state.changes import ChangeSet
from runner.text.sanitize import numbered

Found = tuple[int, int, Category, str]
"""(first line, last line, category, pattern)"""

_MOST, _LARGEST = 20, 1 << 20
# no file without one of these words is looked at closely
_TRIGGER = re.compile(
    rb"\brm|rmtree|removedirs|rimraf|rm_r|rmdir|\br[bd]\b|\bdel\b|remove|delete|drop|truncate|update"
    rb"|shred|wipefs|mkfs|\bdd\b|flush|git|destroy|uninstall|drain|purge|prune|terminate|kill"
    rb"|shutdown|reboot|halt|poweroff|systemctl|reset|/dev/|\(\)\s*\{|empty|clean"
    rb"|curl|wget",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec)/|(?:^|/)(?:test_|conftest\.)|_test\.|\.(?:test|spec)\."
)
_SHEBANG = re.compile(rb"#!.*\b(?:ba|z|da|k)?sh\b")
_LINES = re.compile(r"(?:^|/)(?:[\w.-]*Makefile|[\w.-]*Dockerfile|Justfile|Jenkinsfile|Procfile)$"
                    r"|\.(?:ya?ml|mk|bat|cmd|ps1|dockerfile)$", re.IGNORECASE)  # fmt: skip
_IMAGE = re.compile(r"Dockerfile$|\.dockerfile$", re.IGNORECASE)
_BEFORE_COMMAND = re.compile(
    r"\s*(?:-\s+)?(?:[\"']?[\w-]+[\"']?:\s+)?(?:(?:RUN|CMD|ENTRYPOINT|sh(?!\s+-))\s+)?[@\s\"'|>\[-]*"
)


@dataclass(frozen=True, slots=True)
class Destructive:
    """One destructive operation; ``line`` counts from 1, ``excerpt`` shows the lines around it.

    ``pattern`` is what people call it: ``rm -rf``, ``DROP TABLE``, ``git push --force``.
    """

    path: str
    line: int
    category: Category
    pattern: str
    excerpt: str


def destructive(changes: ChangeSet, read: Callable[[str], bytes | None]) -> tuple[Destructive, ...]:
    """Return the destructive operations in the lines a change adds (twenty at most).

    ``read`` returns a file's content in the base. What the base does already is not reported.
    """
    found: list[Destructive] = []
    for path, write in changes.files.items():
        content = write.content if write else b""
        if len(content) > _LARGEST or not _TRIGGER.search(content):
            continue
        text = content.decode("utf-8", "replace")
        new = added_lines(text, (read(path) or b"").decode("utf-8", "replace"))
        seen: set[tuple[int, str]] = set()
        for first, last, category, pattern in _found(path, content, text):
            line = next((n for n in range(first, last + 1) if n in new), 0)
            if line and (line, pattern) not in seen:
                seen.add((line, pattern))
                found.append(Destructive(path, line, category, pattern, numbered(text, line)))
            if len(found) >= _MOST:
                return tuple(found)
    return tuple(found)


def log_line(found: Iterable[Destructive]) -> str:
    """Return the line for the log: ``Destructive operations detected: rm -rf (filesystem)``."""
    names = dict.fromkeys(f"{one.pattern} ({one.category})" for one in found)
    return f"Destructive operations detected: {', '.join(names)}"


def _found(path: str, content: bytes, text: str) -> Iterator[Found]:
    if path.endswith(".sql"):
        for at, pattern in destructive_commands.placed(text):
            line = text.count("\n", 0, at) + 1
            yield line, line, "database", pattern
    elif path.endswith((".sh", ".bash", ".zsh", ".ksh")) or _SHEBANG.match(content):
        yield from _in_shell(content)
    elif _LINES.search(path):
        yield from _in_lines(text, in_image=_IMAGE.search(path) is not None)
    elif path.rpartition("/")[2] == "package.json":
        yield from _in_scripts(text)
    else:
        yield from _in_code(path, content)


def _in_lines(text: str, *, in_image: bool) -> Iterator[Found]:
    """Look at files with a command a line; what an image's build removes is only in the image."""
    for number, line in enumerate(text.split("\n"), 1):
        command = _BEFORE_COMMAND.sub("", line, count=1)
        if not command.startswith("#"):
            for category, pattern in judge_text(command.replace('", "', " ").rstrip('"]')):
                if not (in_image and category == "filesystem"):
                    yield number, number, category, pattern


def _in_scripts(text: str) -> Iterator[Found]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        line = text.count("\n", 0, max(text.find(json.dumps(name) + ":"), 0)) + 1
        for category, pattern in judge_text(str(command)):
            yield line, line, category, pattern


_IN_SHELL: tuple[tuple[bytes, Category, str], ...] = (
    (rb"([^\s(){}|;&]{1,30})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&?\s*\}?", "process", "fork bomb"),
    (rb">\s*/dev/(?:sd|nvme|hd|vd|disk)\w*", "filesystem", "write to a device"),
)
"""What destroys although it is no command: how it is written, and what people call it."""


def _in_shell(content: bytes) -> Iterator[Found]:
    """Yield the destructive commands of a shell script; echoed text and comments do not count."""
    for written, category, pattern in _IN_SHELL:
        for found in re.finditer(written, content):
            line = content.count(b"\n", 0, found.start()) + 1
            yield line, line, category, pattern
    for node in _nodes(syntax_tree("a.sh", content)):
        verdicts: Iterable[Verdict] = ()
        if node.type == "command":
            given = [each for each in node.named_children if "redirect" not in each.type]
            verdicts = judge([re.sub(r"^([\"'])(.*)\1$", r"\2", _text(content, n)) for n in given])
        elif node.type == "heredoc_body":
            verdicts = (("database", pattern) for pattern in judge_sql(_text(content, node)))
        elif node.type == "pipeline":
            verdicts = judge_downloads(_text(content, node))
        for category, pattern in verdicts:
            yield node.start_point[0] + 1, node.end_point[0] + 1, category, pattern


_CALLS = {"call", "call_expression", "method_invocation", "function_call_expression",
          "member_call_expression", "scoped_call_expression", "macro_invocation", "command_call",
          "new_expression", "object_creation_expression"}  # fmt: skip
_BINDS = {"assignment", "assignment_expression", "variable_declarator", "short_var_declaration"}
_DESTROYS: tuple[tuple[str, str, Category, str], ...] = (
        (r".*\brmtree", "", "filesystem", "shutil.rmtree"),
        (r"(?P<name>os\.removedirs|os\.RemoveAll)", "", "filesystem", ""),
        (r"(?:.*\.)?(?:rmSync|rmdirSync|rm|rmdir)", r"recursive\s*:\s*true", "filesystem",
         "fs.rm recursive"),
        (r"(?P<name>(?:\w+\.)?(?:rimraf|removeSync|emptyDirSync|del\.sync))", "", "filesystem", ""),
        (r"(?:std::)?fs::remove_dir_all", "", "filesystem", "fs::remove_dir_all"),
        (r"(?:std::)?(?:filesystem|fs)::remove_all", "", "filesystem", "remove_all"),
        (r"(?P<name>FileUtils\.(?:rm_rf?|rmtree|remove_dir|remove_entry\w*|deleteDirectory"
         r"|cleanDirectory))", "", "filesystem", ""),
        (r"(?:.*\.)?(?P<name>dropDatabase|dropTable\w*|dropCollection|flushall|flushdb|truncate_table"
         r"|drop_(?:table|all|column|database|collection|schema))", "", "database", ""),
        (r"(?:.*\.)?(?P<name>terminate_instances|delete_(?:bucket|table|stack|db_instance|cluster"
         r"|function|volume|snapshot|repository|resource_group|namespaced_\w+))", "", "cloud", ""),
        (r"(?:process|syscall|Process|os)\.(?i:kill(?:pg)?)|posix_kill|kill",
         r"SIGKILL|,\s*9\s*\)", "process", "kill -9"),
)  # fmt: skip
"""Functions that destroy: how they are called, what has to be among their arguments, what people
call it ('' for their ``name``)."""

_RUNS = re.compile(
    r"(?:.*[.:>])?(?:exec\w*|spawn\w*|system|popen|Popen|passthru|shell_exec|Command(?:Context)?|new"
    r"|query|prepare|execute\w*|ProcessBuilder|raw|run\w*|\$|sh|Exec\w*|Query\w*|unsafe|addBatch|args?"
    r"|call|check_call|check_output|getoutput|getstatusoutput|create_subprocess_\w+|open_process|sudo"
    r"|local|RunSQL|sql|text)",
    re.DOTALL,
)
"""What runs a command or SQL that it is given as text."""

_PASSES_ON = re.compile(r".*\b(?:split|join|format|text)", re.DOTALL)
_GIT = re.compile(r"(?:.*\.)?git\.(\w+)")
_OF_TEST = re.compile(r"\(\s*(?:self\.)?_?(?:tmp|temp|scratch)", re.IGNORECASE)
_LONGEST_CALL, _MOST_TEXTS = 5_000, 50


def _in_code(path: str, content: bytes) -> Iterator[Found]:
    """Yield destructive calls; a test that only removes its own temporary folder does not count."""
    nodes = list(_nodes(syntax_tree(path, content)))
    bound: dict[str, Node] = {}
    for node in nodes:
        if node.type in _BINDS:
            name = node.child_by_field_name("left") or node.child_by_field_name("name")
            value = node.child_by_field_name("right") or node.child_by_field_name("value")
            if name and value:
                bound[_text(content, name)] = value
    is_test = _TESTS.search(path) is not None
    for node in nodes:
        if node.type not in _CALLS or node.end_byte - node.start_byte > _LONGEST_CALL:
            continue
        for category, pattern in dict.fromkeys(_verdicts(content, node, bound)):
            if not (
                is_test and category == "filesystem" and _OF_TEST.match(_parts(content, node)[1])
            ):
                yield node.start_point[0] + 1, node.end_point[0] + 1, category, pattern


def _verdicts(content: bytes, node: Node, bound: dict[str, Node]) -> Iterator[Verdict]:
    called, given = _parts(content, node)
    for pattern, among, category, what in _DESTROYS:
        if (found := re.fullmatch(pattern, called)) and re.search(among, given):
            yield category, what or found["name"]
    git = _GIT.fullmatch(called)
    if not git and not _RUNS.fullmatch(called):
        return
    texts = _texts(content, node, bound)
    if git:
        yield from judge(["git", git[1], *texts])
        return
    if len(texts) > 1:
        yield from judge(texts)
    for text in texts:
        yield from judge_text(text)
        yield from (("database", pattern) for pattern in judge_sql(text))


def _parts(content: bytes, call: Node) -> tuple[str, str]:
    """Return what is called, and its arguments with their bracket."""
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        called, bracket, given = _text(content, call).partition("(")
        return called.strip(), bracket + given
    called = content[call.start_byte : arguments.start_byte].decode("utf-8", "replace")
    return called.strip(), _text(content, arguments)


def _texts(content: bytes, call: Node, bound: dict[str, Node]) -> list[str]:
    """Return the texts in a call, without their quotes, in order; not those of calls in it."""
    texts: list[str] = []
    known, waiting = dict(bound), list(reversed(call.named_children))
    while waiting and len(texts) < _MOST_TEXTS:
        inner = waiting.pop()
        if "string" in inner.type and "content" not in inner.type and "concat" not in inner.type:
            text = re.sub(r"^\w*[\"'`#]+|[\"'`#]+$", "", _text(content, inner))
            texts += [text] if text.strip() else []
        elif "identifier" in inner.type and (value := known.pop(_text(content, inner), None)):
            waiting.append(value)
        elif (
            inner.type not in _CALLS
            or inner.start_byte == call.start_byte
            or _PASSES_ON.fullmatch(_parts(content, inner)[0])
        ):
            waiting += reversed(inner.named_children)
    return texts


def _nodes(root: Node | None) -> Iterator[Node]:
    """Yield every node outside comments, in the order of the text."""
    waiting = [root] if root else []
    while waiting:
        node = waiting.pop()
        if "comment" not in node.type:
            yield node
            waiting += reversed(node.named_children)


def _text(content: bytes, node: Node) -> str:
    return content[node.start_byte : node.end_byte].decode("utf-8", "replace")
