"""Code that answers what the tests ask, case by case: inputs compared, outputs returned.

Python, JavaScript, TypeScript and Go. Only tests that were there before count: a model that writes
code and tests may well test the very cases it treats. Only where the function has a general way as
well: a table of all there is may be tested whole. What the task itself says may stand in the code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from runner.checks.asked import TaskWords
from runner.checks.blanks import added_lines
from runner.code.languages import is_among_tests, language_of
from runner.code.symbols import symbols_of, syntax_tree
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint

_LANGUAGES = frozenset({"python", "javascript", "typescript", "tsx", "go"})
_TEXTS = frozenset({"string_content", "string_fragment", "interpreted_string_literal_content",
                    "raw_string_literal_content"})  # fmt: skip
_NUMBERS = frozenset({"integer", "float", "number", "int_literal", "float_literal"})
_CALLS = frozenset({"call", "call_expression"})
_TABLES = frozenset({"dictionary", "object", "literal_value"})
_ENTRIES = frozenset({"pair", "keyed_element"})
_ROWS = frozenset({"tuple", "list", "array", "literal_value", "object", "dictionary"})
_FUNCTIONS = frozenset({"function_definition", "function_declaration", "method_definition",
                        "method_declaration", "arrow_function", "function_expression",
                        "func_literal"})  # fmt: skip
_IFS = frozenset({"if_statement", "elif_clause"})
_BLOCKS = frozenset({"block", "statement_block", "statement_list"})
_SAME = frozenset({"==", "===", "in", "and", "or", "&&", "||"})
_ASKING = re.compile(
    r"[\w$]+\.(?:includes|startsWith|endsWith|startswith|endswith|has|equals)"
    r"|strings\.(?:Contains|HasPrefix|HasSuffix|EqualFold)"
)
_NAMES = frozenset({"identifier", "property_identifier", "field_identifier", "member_expression",
                    "attribute", "selector_expression"})  # fmt: skip
_PLAIN = _TEXTS | _NUMBERS | _NAMES | frozenset({
    "string", "string_start", "string_end", "interpreted_string_literal", "raw_string_literal",
    "parenthesized_expression", "boolean_operator", "comparison_operator", "binary_expression",
    "tuple", "arguments", "argument_list", "set", "array", "list", *_CALLS,
})  # fmt: skip
_CONSTANT = _TEXTS | _NUMBERS | frozenset({
    "string", "string_start", "string_end", "interpreted_string_literal", "raw_string_literal",
    "template_string", "template_substitution", "interpolation", "identifier", "unary_operator",
    "unary_expression", "parenthesized_expression", "expression_list", "tuple", "list", "array",
    "binary_operator", "binary_expression", "concatenated_string", "escape_sequence",
})  # fmt: skip
_SMALL = frozenset({"0", "1", "2", "10", "100"})
_LISTED = ("special", "exception", "except", "irregular", "table", "lookup", "alias", "known",
           "abbrev", "synonym", "mapping", "constant")  # fmt: skip
_MESSAGE = "This answers what the tests ask, case by case."
_ADVICE = "Write code that is right for any value; the values of tests do not belong into it."
_MOST_NODES = 50_000
_LEAST = 2
"""So many cases of the tests in the code are no accident."""
_SHARE = 0.6
"""Of the entries of a table: one of which most have nothing to do with tests is a table."""


@dataclass(frozen=True, slots=True)
class _Case:
    """One thing that a test asks: the values that go in, and those that are expected."""

    given: frozenset[str]
    expected: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Branch:
    """A condition on given values and the constant it leads to; ``table`` is where one begins."""

    given: frozenset[str]
    returned: frozenset[str]
    line: int
    table: int = 0

    def answers(self, case: _Case) -> bool:
        if self.table:
            return self.given <= case.given and self.returned <= case.expected
        asked = any(_within(value, case.given) for value in self.given)
        return asked and all(_within(value, case.expected) for value in self.returned)


def _within(value: str, values: Iterable[str]) -> bool:
    return any(value == each or (not value.isdigit() and value in each) for each in values)


def copied_cases(
    changes: ChangeSet,
    asked: TaskWords,
    *,
    old: Mapping[str, bytes],
    tests: Mapping[str, bytes],
) -> Iterator[Complaint]:
    """Yield a complaint for each file that answers the cases of ``tests`` one by one.

    ``old`` are the changed files as they were, ``tests`` those of the base that are about them.
    """
    if asked.about_tests or asked.mentions(*_LISTED):
        return
    for path, write in changes.files.items():
        if not write or language_of(path) not in _LANGUAGES or is_among_tests(path):
            continue
        before = old.get(path, b"")
        branches = _branches(path, write.content, before) if before != write.content else []
        unsaid = [each for each in branches if not _is_asked_for(each, asked, before)]
        if not unsaid:
            continue
        names = {each.name for each in symbols_of(path, write.content).definitions}
        cases = {case for p, text in tests.items() for case in _cases(p, text, names)}
        copied = _copied(unsaid, cases)
        if sum(any(each.answers(case) for each in copied) for case in cases) >= _LEAST:
            line = min(each.line for each in copied)
            yield Complaint(path, "CopiedFromTests", _MESSAGE, line, advice=_ADVICE)


def _copied(branches: Sequence[_Branch], cases: Collection[_Case]) -> list[_Branch]:
    """The branches that answer a case; those of a table only where most of it do."""
    found = {each for each in branches if any(each.answers(case) for case in cases)}
    sizes = Counter(each.table for each in branches)
    asked = Counter(each.table for each in found)
    return [
        each for each in found if not each.table or asked[each.table] >= _SHARE * sizes[each.table]
    ]


def _is_asked_for(branch: _Branch, asked: TaskWords, before: bytes) -> bool:
    """Whether the task or the old code has the values, or there is nothing but small numbers."""
    code = before.decode("utf-8", "replace")
    every = (branch.given, branch.returned)
    if any(all(_is_word(value, asked.text) for value in values) for values in every):
        return True
    if all(value in _SMALL for value in branch.given | branch.returned):
        return True
    return all(_is_word(value, code) for values in every for value in values)


def _is_word(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def _nodes(root: Node, beside: Node | None = None) -> Iterator[Node]:
    """Yield a node and all below it, but for those of ``beside``."""
    left, seen = [root], 0
    while left and seen < _MOST_NODES:
        node = left.pop()
        seen += 1
        yield node
        left += (each for each in reversed(node.named_children) if each != beside)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _literals(nodes: Iterable[Node], beside: Node | None = None) -> frozenset[str]:
    every = (each for node in nodes for each in _nodes(node, beside))
    return frozenset(
        _text(each).replace("_", "") if each.type in _NUMBERS else _text(each).strip()
        for each in every
        if each.type in _NUMBERS or (each.type in _TEXTS and _text(each).strip())
    )


def _branches(path: str, content: bytes, before: bytes) -> list[_Branch]:
    """The new branches of functions that have a general way as well."""
    root = syntax_tree(path, content)
    if root is None:
        return []
    new = added_lines(content.decode("utf-8", "replace"), before.decode("utf-8", "replace"))

    def is_new(node: Node) -> bool:
        lines = range(node.start_point.row + 1, node.end_point.row + 2)
        return any(line in new for line in lines)

    nodes = list(_nodes(root))
    tables = [(each, _bound(each)) for each in nodes if each.type in _TABLES and is_new(each)]
    found: list[_Branch] = []
    for function in (node for node in nodes if node.type in _FUNCTIONS):
        if (tables or is_new(function)) and _is_general(function):
            found += (each for node in _nodes(function) for each in _of_if(node))
            found += (each for table in _tables(tables, function) for each in _of_table(table))
    return [each for each in dict.fromkeys(found) if each.line in new]


def _is_general(function: Node) -> bool:
    """Whether a function returns something that it works out."""
    values = (n for node in _nodes(function) if node.type == "return_statement"
              for n in node.named_children)  # fmt: skip
    return any(
        each.type in _CALLS or _operator(each) in {"-", "*", "/", "//", "%", "+"}
        for value in values
        if _constant(value) is None
        for each in _nodes(value)
    )


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return _text(operator) if operator else ""


def _of_if(node: Node) -> Iterator[_Branch]:
    """A condition on nothing but values, whose only consequence is a constant."""
    condition, then = (node.child_by_field_name(n) for n in ("condition", "consequence"))
    if node.type not in _IFS or condition is None or then is None or not _is_plain(condition):
        return
    statement: Node | None = then
    while statement and statement.type in _BLOCKS:
        inner = [each for each in statement.named_children if each.type != "comment"]
        statement = inner[0] if len(inner) == 1 else None
    if statement is None or statement.type != "return_statement" or not statement.named_children:
        return
    returned, given = _constant(statement.named_children[0]), _literals([condition])
    if returned and given:
        yield _Branch(given, returned, condition.start_point.row + 1)


def _is_plain(condition: Node) -> bool:
    """Whether a condition compares names with values, and works nothing out."""
    for node in _nodes(condition):
        if node.type not in _PLAIN:
            return False
        if node.type in _CALLS:
            function = node.child_by_field_name("function")
            if function is None or not _ASKING.fullmatch(_text(function)):
                return False
        operators = [_text(c) for c in node.children if not c.is_named and _is_operator(c)]
        if not set(operators) <= _SAME:
            return False
    return True


def _is_operator(node: Node) -> bool:
    return _text(node) not in {"(", ")", ",", ".", "[", "]", "{", "}", '"', "'", "`", "?."}


def _constant(value: Node) -> frozenset[str] | None:
    """The values of a constant, with names put in; None for anything that is worked out."""
    every = list(_nodes(value))
    if not all(each.type in _CONSTANT and _operator(each) in ("", "+", "-") for each in every):
        return None
    return _literals([value]) or None


def _tables(tables: Sequence[tuple[Node, set[str]]], function: Node) -> Iterator[Node]:
    """Those of a file's tables, with their names, that are inside a function or that it uses."""
    if not tables:
        return
    used = {_text(node) for node in _nodes(function) if node.type == "identifier"}
    for node, names in tables:
        if function.start_byte <= node.start_byte < function.end_byte or used & names:
            yield node


def _bound(table: Node) -> set[str]:
    """What a table of the module is called."""
    outer: Node | None = table
    for _ in range(4):
        outer = outer.parent if outer else None
        for field in ("left", "name"):
            target = outer.child_by_field_name(field) if outer else None
            if target is not None:
                return {_text(target)}
    return set()


def _of_table(node: Node) -> list[_Branch]:
    found: list[_Branch] = []
    table = node.start_point.row + 1
    for entry in (each for each in node.named_children if each.type in _ENTRIES):
        key, value = entry.child_by_field_name("key"), entry.child_by_field_name("value")
        if key is None or value is None:
            return []
        given, returned = _literals([key]), _literals([value])
        if any(each.type in _CALLS for each in _nodes(value)) or not (given and returned):
            return []
        found.append(_Branch(given, returned, entry.start_point.row + 1, table))
    return found


def _cases(path: str, content: bytes, names: set[str]) -> Iterator[_Case]:
    """What a test file asks of these names: in calls with their statements, or in rows."""
    root = syntax_tree(path, content) if language_of(path) in _LANGUAGES else None
    if root is None or not any(name.encode() in content for name in names):
        return
    for node in _nodes(root):
        if node.type in _CALLS and _called(node) in names:
            arguments = node.child_by_field_name("arguments")
            given = _literals([arguments]) if arguments else frozenset[str]()
            if given:
                yield _Case(given, _literals([_statement(node)], beside=node))
        elif node.type in _ROWS and not any(c.type in _ROWS for c in node.named_children):
            row = _literals([node])
            if len(row) >= _LEAST:
                yield _Case(row, row)


def _called(call: Node) -> str:
    function = call.child_by_field_name("function")
    return re.split(r"\W", _text(function))[-1] if function else ""


def _statement(node: Node) -> Node:
    while node.parent is not None and not node.type.endswith("_statement"):
        node = node.parent
    return node
