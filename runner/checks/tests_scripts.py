"""What the tests of a JavaScript, TypeScript or Go file demand, read from its syntax tree.

The words are those of the runners people use: ``expect`` and ``assert`` in many dialects,
``.should`` and supertest's ``.expect(...)``; in Go ``t.Error``, ``t.Fatal`` and testify's.

"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from runner.checks import grammars
from runner.checks.tests_inventory import TestCode
from runner.checks.tests_strength import LITTLE, NOTHING, VALUE, Demands
from runner.code.languages import language_of

SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")

_TEST = re.compile(r"(?:it|test|specify|Deno\.test|bench)(?:\.\w+)*(?:\([^()]*\))?$")
_GROUP = re.compile(r"(?:describe|context|suite)(?:\.\w+)*$")
_SKIPPING = re.compile(
    r"\.(?:skip|todo|fixme|failing|skipIf|runIf)\b|^x(?:it|test|describe|context|specify)$"
)
_OFF = re.compile(r"\b(?:skip|todo)\s*:(?!\s*false\b)")
_FUNCTIONS = {"arrow_function", "function_expression", "function", "function_declaration",
              "func_literal", "method_definition", "generator_function"}  # fmt: skip
_LITERALS = {"true", "false", "number", "string", "null", "undefined", "int_literal", "nil",
             "float_literal", "interpreted_string_literal", "raw_string_literal",
             "template_string", "regex"}  # fmt: skip
_ASSERTS = re.compile(
    r"^(?:expect|assert|should|sinon\.assert|chai\.(?:expect|assert)|require|is|check|qt|td|g|cmp)\b|"
    r"\.(?:should|expect|toMatchSnapshot)\b|^t\.(?:is|not|deepEqual|equals?|same|true|false|truthy|falsy"
    r"|ok|notOk|throws\w*|rejects|like|regex|snapshot|match|fail|pass|error|strictSame|Error\w*|Fatal\w*"
    r"|Fail\w*)\b|^(?:tt|tb|b|f|T)\.(?:Error|Fatal|Fail)\w*$|^So$|^fail$|(?<!fmt)(?<!log)(?<!errors)\.(?:Errorf?|Fatalf?|FailNow|Fail)$"
)
_LITTLE = re.compile(
    r"\.(?:toBeDefined|toBeTruthy|toBeFalsy|toHaveBeenCalled|ok|truthy|exists?|NotNil|NotEmpty|True|False)\("
    r"|\.not\.(?:toBe|toEqual|toBeNull|toBeUndefined|toThrow)\(|^assert\((?!.*[=<>]=)|\.(?:not|to\.not)\."
)
_NO_CHECK = re.compile(
    r"^(?:expect\.(?:assertions|hasAssertions|extend|any)|t\.(?:plan|end|pass|Log))\b"
)
_MOST_NODES = 60_000


def script_inventory(path: str, source: bytes) -> dict[str, TestCode] | None:
    """Return the tests of a file by title (Go: by name); None when it does not parse."""
    tree = grammars.parse(language_of(path), source)
    if tree is None or tree.root_node.has_error:
        return None
    reader = _Reader(source)
    root = tree.root_node
    helpers = dict(reader.helpers(root))
    tests = reader.go_tests(root) if path.endswith(".go") else reader.tests(root, (), ())
    found: dict[str, TestCode] = {"": TestCode(1, skips=reader.module_skips(root, path))}
    for name, node, skips in tests:
        while name in found:
            name += "'"
        found[name] = reader.code(node, skips, helpers)
    return found


class _Reader:
    """Reads nodes of one source."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    def text(self, node: Node | None) -> str:
        """The source of a node, blanks squeezed."""
        if node is None:
            return ""
        text = self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return " ".join(text.split())

    def tests(
        self, node: Node, above: tuple[str, ...], skips: tuple[str, ...]
    ) -> Iterator[tuple[str, Node, tuple[str, ...]]]:
        """Yield the calls of ``it`` and ``test``, named with the titles of their groups."""
        todo = [(node, above, skips)]
        while todo:
            node, above, skips = todo.pop()
            called = self.text(node.child_by_field_name("function")) if _is_call(node) else ""
            arguments = node.child_by_field_name("arguments") if called else None
            title = self._title(arguments)
            plain = called.removeprefix("x")
            if title and (_TEST.match(plain) or _GROUP.match(plain)):
                options = arguments.named_children[1:2] if arguments else []
                off = any(_OFF.search(self.text(n)) for n in options if n.type == "object")
                mark = (called,) if off or _SKIPPING.search(called) else ()
                names, marks = (*above, title), (*skips, *mark)
                if _TEST.match(plain):
                    yield " > ".join(names), node, marks
                    continue
                above, skips = names, marks
            todo += [
                (child, above, skips)
                for child in reversed(node.named_children)
                if child.type not in _FUNCTIONS or node.type == "arguments"
            ]

    def module_skips(self, root: Node, path: str) -> frozenset[str]:
        """What keeps an entire file from running."""
        source = self._source.decode("utf-8", "replace")
        if not path.endswith(".go"):
            calls = (self.text(n) for top in root.named_children for n in top.named_children)
            return frozenset(call for call in calls if call.startswith("process.exit"))
        found = set(re.findall(r"^//go:build .*|^// \+build .*", source, re.MULTILINE))
        if "func TestMain(" in source and ".Run()" not in source:
            found.add("TestMain that runs no test")
        return frozenset(found)

    def go_tests(self, root: Node) -> Iterator[tuple[str, Node, tuple[str, ...]]]:
        """Yield the functions that ``go test`` runs."""
        for node in root.named_children:
            name = self.text(node.child_by_field_name("name"))
            given = self.text(node.child_by_field_name("parameters"))
            if (
                node.type == "function_declaration"
                and name.startswith("Test")
                and "testing.T" in given
            ):
                yield name, node, ()

    def helpers(self, root: Node) -> Iterator[tuple[str, Demands]]:
        """Yield what the file's own functions demand that are not tests."""
        for node in _every(root):
            if node.type in ("function_declaration", "method_declaration", "variable_declarator"):
                name = self.text(node.child_by_field_name("name"))
                value = node.child_by_field_name("value")
                if name.startswith("Test") or (value and value.type not in _FUNCTIONS):
                    continue
                if node.type != "variable_declarator" or value:
                    demands = self.demands(value or node, {})
                    if demands.checks:
                        yield name, demands

    def code(self, node: Node, skips: tuple[str, ...], helpers: Mapping[str, Demands]) -> TestCode:
        """Read one test."""
        own = [*skips]
        calls = [self.text(n.child_by_field_name("function")) for n in _every(node) if _is_call(n)]
        own += [
            call for call in calls if re.search(r"\bt\.Skip\w*$|\bthis\.skip$|\bt\.skip$", call)
        ]
        names = frozenset(re.findall(r"[^\W\d]\w*", self.text(node)))
        demands = self.demands(node, helpers)
        return TestCode(node.start_point.row + 1, demands, frozenset(own), self._rows(node), names)

    def demands(self, node: Node, helpers: Mapping[str, Demands]) -> Demands:
        """Count what is asserted below a node, where it can be reached."""
        found = Demands()
        seen: set[int] = set()
        for each, condition in self._reached(node):
            if not _is_call(each) or each.id == node.id:
                continue
            called = self.text(each.child_by_field_name("function"))
            if called.endswith(".expect"):  # supertest: every link of the chain asserts
                found.add(f".expect{self.text(each.child_by_field_name('arguments'))}", VALUE)
                continue
            if each.start_byte in seen or _NO_CHECK.search(called):
                continue
            if _ASSERTS.search(called):
                seen.add(each.start_byte)  # of expect(x).toBe(1) the outer call is met first
                found.add(*self._assertion(each, called, condition))
            elif helper := helpers.get(called.rpartition(".")[2]):
                found.merge(helper)
            elif re.match(
                r"(?i)(?:\w+\.)?_?(?:assert|check|verify|expect|must|should|ensure)", called
            ):
                seen.add(each.start_byte)
                found.add(self.text(each), VALUE)
        return found

    def _assertion(self, call: Node, called: str, condition: Node | None) -> tuple[str, int]:
        text = self.text(call)
        if condition is not None and re.search(r"\.(?:Error|Fatal|Fail)\w*$", called):
            message = f"if {self.text(condition)} {{ {called.rpartition('.')[2]} }}"
            return message, self._weight(condition)
        given = [n for n in _every(call) if n.type in ("arguments", "argument_list")]
        values = [arg for each in given for arg in each.named_children]
        values = [v for v in values if self.text(v) not in ("t", "b", "tb", "tt")]
        if not values:
            return text, LITTLE if _LITTLE.search(text) else VALUE
        plain = all(v.type in _LITERALS for v in values) and ".should" not in called
        first, second = self.text(values[0]), self.text(values[1] if values[1:] else None)
        if plain or (first == second and "(" not in first):
            return text, NOTHING
        return text, LITTLE if _LITTLE.search(text) else VALUE

    def _weight(self, condition: Node) -> int:
        sides = [n for n in condition.named_children if n.type != "comment"]
        if condition.type in _LITERALS or (sides and all(n.type in _LITERALS for n in sides)):
            return NOTHING
        if len(sides) == 2 and self.text(sides[0]) == self.text(sides[1]):
            return NOTHING
        return LITTLE if any(n.type in ("nil", "true", "false") for n in sides) else VALUE

    def _reached(self, node: Node) -> Iterator[tuple[Node, Node | None]]:
        """Yield nodes that may be run, each with the condition around it."""
        todo: list[tuple[Node, Node | None]] = [(node, None)]
        count = 0
        while todo and count < _MOST_NODES:
            node, condition = todo.pop()
            count += 1
            yield node, condition
            if node.type == "if_statement":
                test = node.child_by_field_name("condition")
                if test is not None and self.text(test).strip("() ") in ("false", "0", "!true"):
                    rest = node.child_by_field_name("alternative")
                    todo += [(rest, condition)] if rest else []
                    continue
                inner = (
                    test.named_children[0]
                    if test and test.type == "parenthesized_expression"
                    else test
                )
                todo += [(child, inner or condition) for child in reversed(node.named_children)]
            elif node.type == "try_statement" and self._swallows(node):
                continue
            else:
                todo += [(child, condition) for child in reversed(_until_end(node))]

    def _swallows(self, node: Node) -> bool:
        handler = node.child_by_field_name("handler")
        body = handler.child_by_field_name("body") if handler else None
        return body is not None and not any(
            _is_call(n) or n.type == "throw_statement" for n in _every(body)
        )

    def _title(self, arguments: Node | None) -> str:
        first = arguments.named_children[0] if arguments and arguments.named_children else None
        titled = first is not None and first.type in (
            "string",
            "template_string",
            "binary_expression",
        )
        return self.text(first).strip("\"'`") if titled else ""

    def _rows(self, node: Node) -> int:
        """How many rows the longest table in a test has (1 without one)."""
        rows = [1]
        for each in _every(node):
            if each.type == "literal_value":  # Go: rows are literals in a literal
                inner = [n for child in each.named_children for n in (child, *child.named_children)]
                rows.append(sum(n.type in ("literal_value", "composite_literal") for n in inner))
            elif _is_call(each) and self.text(each).split("(")[0].endswith(".each"):
                found = each.child_by_field_name("arguments")
                table = found.named_children[0] if found and found.named_children else None
                rows.append(len(table.named_children) if table and table.type == "array" else 0)
        return max(rows)


def _is_call(node: Node) -> bool:
    return node.type == "call_expression"


def _every(root: Node) -> Iterator[Node]:
    todo, count = [root], 0
    while todo and count < _MOST_NODES:
        node = todo.pop()
        count += 1
        yield node
        todo += reversed(node.named_children)


def _until_end(node: Node) -> list[Node]:
    """The children of a node up to a statement that leaves its block."""
    children = node.named_children
    ends = ("return_statement", "throw_statement")
    if node.type not in ("statement_block", "block", "statement_list"):
        return children
    for at, child in enumerate(children):
        if child.type in ends:
            return children[: at + 1]
    return children
