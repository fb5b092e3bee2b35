"""Destructive calls in shell and the other languages, found in their syntax trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from runner.validators import grammar
from runner.validators.commands import Category, Verdict, judge, judge_text
from runner.validators.destructive_python import Found
from runner.validators.destructive_sql import judge_sql
from runner.validators.grammar import Grammar
from runner.validators.grammars import BASH

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
    """Yield the destructive commands of a shell script; what is echoed or a comment is none."""
    for found in (*_FORK_BOMB.finditer(content), *_TO_DEVICE.finditer(content)):
        line = content.count(b"\n", 0, found.start()) + 1
        bomb = found.re is _FORK_BOMB
        category: Category = "process" if bomb else "filesystem"
        yield line, line, category, "fork bomb" if bomb else "write to a device"
    tree = grammar.parse(BASH, content)
    for node in _nodes(tree.root_node) if tree else ():
        if node.type == "command":
            words = [_word(content, child) for child in node.named_children]
            yield from _at(node, judge([word for word in words if word is not None]))
        elif node.type == "heredoc_body":
            text = content[node.start_byte : node.end_byte].decode("utf-8", "replace")
            yield from _at(node, (("database", pattern) for pattern in judge_sql(text)))


def in_code(content: bytes, language: Grammar) -> Iterator[Found]:
    """Yield destructive calls: known functions, and commands or SQL given to what runs them."""
    tree = grammar.parse(language, content)
    for node in _nodes(tree.root_node) if tree else ():
        if node.type in _CALLS and node.end_byte - node.start_byte < 5_000:
            yield from _at(node, dict.fromkeys(_verdicts(content, node)))


def _verdicts(content: bytes, node: Node) -> Iterator[Verdict]:
    said = content[node.start_byte : node.end_byte]
    flat = b" ".join(said.split())
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
    """Yield every node that is no comment and in none, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if "comment" not in node.type:
            yield node
            waiting += reversed(node.named_children)


def _word(content: bytes, node: Node) -> str | None:
    """Return an argument as the command gets it; None for what is none (a redirection)."""
    if "redirect" in node.type:
        return None
    raw = content[node.start_byte : node.end_byte].decode("utf-8", "replace")
    quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'"
    return raw[1:-1] if quoted else raw


def _at(node: Node, verdicts: Iterable[Verdict]) -> Iterator[Found]:
    for category, pattern in verdicts:
        yield node.start_point[0] + 1, node.end_point[0] + 1, category, pattern
