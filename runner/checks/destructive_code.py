"""Destructive calls in Python, shell and other languages, found in their syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from runner.checks import grammars
from runner.checks.destructive_commands import Category, Verdict, judge, judge_sql, judge_text
from runner.checks.grammars import BASH, SyntaxGrammar
from runner.code.languages import python_tree

Found = tuple[int, int, Category, str]
"""(first line, last line, category, pattern)"""

_DYNAMIC = "X"  # replaces what is known only when the program runs
_SHELL_CALL = re.compile(
    r"(?:os\.(?:system|popen|exec\w+|spawn\w+)|subprocess\.\w+|commands\.\w+|pty\.spawn"
    r"|asyncio\.create_subprocess_\w+|anyio\.(?:run|open)_process|(?:\w+\.)*(?:run_command|check_call"
    r"|check_output|Popen|sudo|local|run))"
)
_SQL_CALL = re.compile(r"(?:.*\.)?(?:execute\w*|raw|text|query|run_sql|exec_driver_sql|RunSQL|sql)")
_PYTHON_CALLS: tuple[tuple[re.Pattern[str], Category, str], ...] = (
    (re.compile(r"shutil\.rmtree"), "filesystem", "shutil.rmtree"),
    (re.compile(r"os\.removedirs"), "filesystem", "os.removedirs"),
    (re.compile(r"(?:.*\.)?drop_(?:table|all|column|database|collection|schema)"), "database", ""),
    (re.compile(r"(?:.*\.)?(?:flushall|flushdb|truncate_table)"), "database", ""),
    (re.compile(r"(?:.*\.)?delete_(?:bucket|table|stack|db_instance|cluster|function|volume"
                r"|snapshot|repository|resource_group|namespaced_\w+)"), "cloud", ""),
    (re.compile(r"(?:.*\.)?terminate_instances"), "cloud", ""),
)  # fmt: skip
_FOR_TESTS = re.compile(r"(?:self\.)?_?(?:tmp|temp|scratch)\w*", re.IGNORECASE)


def found_in(content: bytes, *, is_test: bool = False) -> Iterator[Found]:
    """Yield destructive calls; a test that only removes its own temporary folder does not count."""
    try:
        tree = python_tree(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names, constants = _imports(tree), _constants(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for category, pattern in dict.fromkeys(_python_verdicts(node, names, constants)):
            if not (is_test and category == "filesystem" and _of_test(node)):
                yield node.lineno, node.end_lineno or node.lineno, category, pattern


def _python_verdicts(
    call: ast.Call, names: dict[str, str], constants: dict[str, ast.expr]
) -> Iterator[Verdict]:
    name = _dotted(call.func, names)
    for pattern, category, form in _PYTHON_CALLS:
        if pattern.fullmatch(name):
            yield category, form or name.rpartition(".")[2]
    yield from _kills(name, call)
    yield from _git_python(name, call)
    arguments = [*call.args, *(k.value for k in call.keywords if k.arg in {"args", "cmd", "sql"})]
    values = [_resolved(argument, constants) for argument in arguments[:8]]
    if _SHELL_CALL.fullmatch(name):
        yield from _commands(values, constants)
    if _SQL_CALL.fullmatch(name):
        for value in values:
            text = _text(value)
            yield from (("database", pattern) for pattern in judge_sql(text or ""))


def _commands(values: list[ast.expr], constants: dict[str, ast.expr]) -> Iterator[Verdict]:
    words = [text for value in values if (text := _text(value)) is not None]
    if len(words) > 1:  # create_subprocess_exec("rm", "-rf", ...)
        yield from judge(words)
    for value in values:
        if isinstance(value, ast.List | ast.Tuple):
            parts = [_text(_resolved(part, constants)) or _DYNAMIC for part in value.elts[:100]]
            yield from judge(parts)
        elif isinstance(value, ast.Call) and _dotted(value.func, {}).endswith("split"):
            yield from judge_text(_text(value.args[0]) or "") if value.args else ()
        elif text := _text(value):
            yield from judge_text(text)


def _kills(name: str, call: ast.Call) -> Iterator[Verdict]:
    if name in {"os.kill", "os.killpg"} and len(call.args) == 2:
        signal = ast.unparse(call.args[1])
        if signal == "9" or signal.endswith("SIGKILL"):
            yield "process", "kill -9"


def _git_python(name: str, call: ast.Call) -> Iterator[Verdict]:
    """Judge ``repo.git.push("--force")`` as the command it starts."""
    head, _, verb = name.rpartition(".")
    if head == "git" or head.endswith(".git"):
        yield from judge(["git", verb, *(_text(value) or _DYNAMIC for value in call.args[:20])])


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name means."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return names


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the values of names that are bound by a plain assignment (the last one counts)."""
    return {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return ``a.b.c`` of a callee with imported names written out; a call in it is left out."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    if isinstance(node, ast.Name):
        parts.append(names.get(node.id, node.id))
    return ".".join(reversed(parts))


def _resolved(node: ast.expr, constants: dict[str, ast.expr]) -> ast.expr:
    if isinstance(node, ast.Await | ast.Starred):
        node = node.value
    return constants.get(node.id, node) if isinstance(node, ast.Name) else node


def _text(node: ast.expr) -> str | None:
    """Return a text with its dynamic parts replaced by a word; None for other values."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or _DYNAMIC for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        left: ast.expr = node
        while isinstance(left, ast.BinOp):  # a long chain of + is deep on its left
            left = left.left
        text = _text(left) if not isinstance(left, ast.BinOp) else None
        return None if text is None else text.replace("%s", _DYNAMIC) + " " + _DYNAMIC
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "format" and isinstance(node.func.value, ast.Constant):
            return _text(node.func.value)
        if node.func.attr == "join" and node.args and isinstance(node.args[0], ast.List):
            return " ".join(_text(part) or _DYNAMIC for part in node.args[0].elts[:100])
    return None


def _of_test(call: ast.Call) -> bool:
    """Whether what is removed is the test's own temporary folder."""
    condition = ast.unparse(call.args[0]) if call.args else ""
    return _FOR_TESTS.match(condition) is not None


_FORK_BOMB = re.compile(rb"([^\s(){}|;&]{1,30})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&?\s*\}?")
_TO_DEVICE = re.compile(rb">\s*/dev/(?:sd|nvme|hd|vd|disk)\w*")
_CALLS = {"call", "call_expression", "method_invocation", "function_call_expression",
          "member_call_expression", "scoped_call_expression", "macro_invocation", "command_call",
          "new_expression", "object_creation_expression"}  # fmt: skip
_SAID: tuple[tuple[re.Pattern[bytes], Category, str], ...] = (
    (re.compile(rb"(?:.*\.)?(?:rmSync|rmdirSync|rm|rmdir)\s*\((?s:.*)recursive\s*:\s*true(?s:.*)"),
     "filesystem", "fs.rm recursive"),
    (re.compile(rb"(?:\w+\.)?(?:rimraf|removeSync|emptyDirSync|del\.sync)\b.*"), "filesystem", ""),
    (re.compile(rb"os\.RemoveAll\b.*"), "filesystem", ""),
    (re.compile(rb"(?:std::)?fs::remove_dir_all\b.*"), "filesystem", "fs::remove_dir_all"),
    (re.compile(rb"(?:std::)?(?:filesystem|fs)::remove_all\b.*"), "filesystem", "remove_all"),
    (re.compile(rb"FileUtils\.(?:rm_rf?|rmtree|remove_dir|remove_entry\w*)\b.*"), "filesystem", ""),
    (re.compile(rb"FileUtils\.(?:deleteDirectory|cleanDirectory)\b.*"), "filesystem", ""),
    (re.compile(rb"(?:.*\.)?(?:dropDatabase|dropTable\w*|dropCollection)\b.*"), "database", ""),
    (re.compile(rb"drop_(?:table|database|column)\b.*"), "database", ""),
    (re.compile(rb"process\.kill\s*\([^)]*SIGKILL.*"), "process", "kill -9"),
    (re.compile(rb"(?:syscall\.Kill|Process\.kill|posix_kill|kill)\s*\(.*SIGKILL.*"), "process",
     "kill -9"),
)  # fmt: skip
_RUNS = re.compile(
    rb"(?:.*[.:>])?(?:exec\w*|spawn\w*|system|popen|passthru|shell_exec|Command(?:Context)?|new|query"
    rb"|prepare|execute\w*|ProcessBuilder|raw|run|\$|sh|Exec\w*|Query\w*|unsafe|addBatch|arg|args)"
    rb"\s*[(\s]",
)
_WORD = re.compile(rb"[\w:.]+")


def in_shell(content: bytes) -> Iterator[Found]:
    """Yield the destructive commands of a shell script; echoed text and comments do not count."""
    for found in (*_FORK_BOMB.finditer(content), *_TO_DEVICE.finditer(content)):
        line = content.count(b"\n", 0, found.start()) + 1
        bomb = found.re is _FORK_BOMB
        category: Category = "process" if bomb else "filesystem"
        yield line, line, category, "fork bomb" if bomb else "write to a device"
    tree = grammars.parse(BASH, content)
    for node in _nodes(tree.root_node) if tree else ():
        if node.type == "command":
            words = [_word(content, child) for child in node.named_children]
            yield from _at(node, judge([word for word in words if word is not None]))
        elif node.type == "heredoc_body":
            text = content[node.start_byte : node.end_byte].decode("utf-8", "replace")
            yield from _at(node, (("database", pattern) for pattern in judge_sql(text)))


def in_code(content: bytes, language: SyntaxGrammar) -> Iterator[Found]:
    """Yield destructive calls: known functions, and commands or SQL given to what runs them."""
    tree = grammars.parse(language, content)
    for node in _nodes(tree.root_node) if tree else ():
        if node.type in _CALLS and node.end_byte - node.start_byte < 5_000:
            yield from _at(node, dict.fromkeys(_verdicts(content, node)))


def _verdicts(content: bytes, node: Node) -> Iterator[Verdict]:
    code = content[node.start_byte : node.end_byte]
    flat = b" ".join(code.split())
    for pattern, category, what in _SAID:
        if pattern.fullmatch(flat):
            yield category, what or _called(flat)
    if _RUNS.match(flat):
        texts = _texts(content, node)
        if len(texts) > 1:
            yield from judge(texts)
        for text in texts:
            yield from judge_text(text)
            yield from (("database", pattern) for pattern in judge_sql(text))


def _called(flat: bytes) -> str:
    word = _WORD.match(flat)
    return word[0].decode("utf-8", "replace") if word else ""


def _texts(content: bytes, node: Node) -> list[str]:
    """Return the texts in a call, without their quotes, in order; not those of calls in it."""
    texts: list[str] = []
    waiting = list(reversed(node.named_children))
    while waiting and len(texts) < 50:
        inner = waiting.pop()
        if "string" in inner.type and "content" not in inner.type:
            raw = content[inner.start_byte : inner.end_byte].decode("utf-8", "replace")
            texts.append(re.sub(r"^\w*[\"'`#]+|[\"'`#]+$", "", raw))
        elif inner.type not in _CALLS or inner.start_byte == node.start_byte:
            waiting += reversed(inner.named_children)
    return texts


def _nodes(root: Node) -> Iterator[Node]:
    """Yield every node outside comments, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if "comment" not in node.type:
            yield node
            waiting += reversed(node.named_children)


def _word(content: bytes, node: Node) -> str | None:
    """Return an argument as the command gets it; None for others (a redirection)."""
    if "redirect" in node.type:
        return None
    raw = content[node.start_byte : node.end_byte].decode("utf-8", "replace")
    quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'"
    return raw[1:-1] if quoted else raw


def _at(node: Node, verdicts: Iterable[Verdict]) -> Iterator[Found]:
    for category, pattern in verdicts:
        yield node.start_point[0] + 1, node.end_point[0] + 1, category, pattern
