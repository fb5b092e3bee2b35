"""The languages that Cairn knows: one row of ``LANGUAGES`` each; and which files are tests.

Syntax checks, symbols, the words of code blocks and the signs of comments all come from the row.

Captures: ``name`` in ``def`` (a definition), ``ref`` (a use of a name), ``import`` (a statement
or path that names another file). https://tree-sitter.github.io/tree-sitter/using-parsers/queries ·
https://docs.pytest.org/en/stable/explanation/goodpractices.html#test-discovery
"""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module

from tree_sitter import Language, Query

_PYTHON = """
(class_definition name: (identifier) @name) @def
(function_definition name: (identifier) @name) @def
(module (expression_statement (assignment left: (identifier) @name)) @def)
(call function: [(identifier) @ref (attribute attribute: (identifier) @ref)])
[(import_statement) (import_from_statement)] @import
"""
_SCRIPT = """
(function_declaration name: (_) @name) @def
(generator_function_declaration name: (_) @name) @def
(class_declaration name: (_) @name) @def
(method_definition name: (_) @name) @def
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @def)
(call_expression function: [
  (identifier) @ref (member_expression property: (property_identifier) @ref)])
(new_expression constructor: (identifier) @ref)
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @fn arguments: (arguments . (string) @import)
  (#eq? @fn "require"))
"""
_JSX = """
(jsx_opening_element name: (identifier) @ref)
(jsx_self_closing_element name: (identifier) @ref)
"""
_TYPES = """
(interface_declaration name: (_) @name) @def
(type_alias_declaration name: (_) @name) @def
(enum_declaration name: (_) @name) @def
(abstract_class_declaration name: (_) @name) @def
(type_annotation (type_identifier) @ref)
"""
_GO = """
(function_declaration name: (_) @name) @def
(method_declaration name: (_) @name) @def
(type_declaration (type_spec name: (_) @name)) @def
(source_file (const_declaration (const_spec name: (_) @name)) @def)
(call_expression function: [(identifier) @ref (selector_expression field: (_) @ref)])
(type_identifier) @ref
(import_spec path: (_) @import)
"""
_RUST = """
(function_item name: (_) @name) @def
(function_signature_item name: (_) @name) @def
(struct_item name: (_) @name) @def
(enum_item name: (_) @name) @def
(trait_item name: (_) @name) @def
(type_item name: (_) @name) @def
(const_item name: (_) @name) @def
(macro_definition name: (_) @name) @def
(call_expression function: [
  (identifier) @ref (field_expression field: (_) @ref) (scoped_identifier name: (_) @ref)])
(macro_invocation macro: (identifier) @ref)
(type_identifier) @ref
(use_declaration) @import
(mod_item !body) @import
"""
_JAVA = """
(class_declaration name: (_) @name) @def
(interface_declaration name: (_) @name) @def
(enum_declaration name: (_) @name) @def
(record_declaration name: (_) @name) @def
(method_declaration name: (_) @name) @def
(constructor_declaration name: (_) @name) @def
(method_invocation name: (_) @ref)
(type_identifier) @ref
(import_declaration) @import
"""
_C = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def
(function_definition declarator: (_
  declarator: (function_declarator declarator: (identifier) @name))) @def
(struct_specifier name: (_) @name body: (_)) @def
(enum_specifier name: (_) @name body: (_)) @def
(type_definition declarator: (type_identifier) @name) @def
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def
(preproc_def name: (_) @name) @def
(call_expression function: [(identifier) @ref (field_expression field: (_) @ref)])
(type_identifier) @ref
(preproc_include path: (_) @import)
"""
_CPP = """
(class_specifier name: (_) @name body: (_)) @def
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @def
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier name: (identifier) @name))) @def
(call_expression function: (qualified_identifier name: (identifier) @ref))
"""
_RUBY = """
(method name: (_) @name) @def
(singleton_method name: (_) @name) @def
(class name: (_) @name) @def
(module name: (_) @name) @def
(call method: (identifier) @ref)
(constant) @ref
(call method: (identifier) @fn arguments: (argument_list . (string) @import)
  (#match? @fn "^(require|require_relative|load)$"))
"""
_PHP = """
(class_declaration name: (_) @name) @def
(interface_declaration name: (_) @name) @def
(trait_declaration name: (_) @name) @def
(enum_declaration name: (_) @name) @def
(function_definition name: (_) @name) @def
(method_declaration name: (_) @name) @def
(function_call_expression function: (name) @ref)
(member_call_expression name: (_) @ref)
(scoped_call_expression name: (_) @ref)
(object_creation_expression (name) @ref)
(namespace_use_clause) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
"""
_BASH = """
(function_definition name: (_) @name) @def
(command name: (command_name (word) @ref))
(command name: (command_name (word) @fn) . argument: (_) @import (#match? @fn "^(source|[.])$"))
"""
_CSHARP = """
(class_declaration name: (_) @name) @def
(struct_declaration name: (_) @name) @def
(record_declaration name: (_) @name) @def
(interface_declaration name: (_) @name) @def
(enum_declaration name: (_) @name) @def
(delegate_declaration name: (_) @name) @def
(method_declaration name: (_) @name) @def
(constructor_declaration name: (_) @name) @def
(property_declaration name: (_) @name) @def
(local_function_statement name: (_) @name) @def
(invocation_expression function: [
  (identifier) @ref (generic_name (identifier) @ref)
  (member_access_expression name: [(identifier) @ref (generic_name (identifier) @ref)])])
(object_creation_expression type: [(identifier) @ref (generic_name (identifier) @ref)])
(_ type: [(identifier) @ref (generic_name (identifier) @ref)])
(base_list [(identifier) @ref (generic_name (identifier) @ref)])
(using_directive) @import
"""
_CSS = """
(rule_set (selectors (class_selector (class_name) @name))) @def
(rule_set (selectors (id_selector (id_name) @name))) @def
(import_statement) @import
"""
_HTML = """
(attribute (attribute_name) @fn (quoted_attribute_value (attribute_value) @import)
  (#match? @fn "^(src|href)$"))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLanguage:
    """What is known of a language.

    ``package`` is its grammar's (``tree_sitter_...``), ``function`` the one in it that returns the
    grammar, ``query`` what finds its symbols, ``suffixes`` its files' (the first is the usual one).
    ``words`` name it in a code block, beside its own name; ``comment`` begins a line of comment
    ('' for neither ``//`` nor ``#``); of files over ``largest`` bytes the syntax is not checked.
    ``angles``: the grammar needs a gigabyte for thousands of nested ``a<b<``; such files are left.
    """

    package: str
    query: str
    suffixes: tuple[str, ...]
    function: str = "language"
    words: tuple[str, ...] = ()
    comment: str = "//"
    largest: int = 128 << 10
    angles: bool = False


LANGUAGES: dict[str, CodeLanguage] = {
    "python": CodeLanguage(
        package="python",
        query=_PYTHON,
        suffixes=(".py", ".pyi"),
        words=("py", "python3"),
        comment="#",
    ),
    "javascript": CodeLanguage(
        package="javascript",
        query=_SCRIPT + _JSX,
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        words=("js", "jsx", "node"),
    ),
    "typescript": CodeLanguage(
        package="typescript",
        query=_SCRIPT + _TYPES,
        suffixes=(".ts", ".mts", ".cts"),
        function="language_typescript",
        words=("ts",),
    ),
    "tsx": CodeLanguage(
        package="typescript",
        query=_SCRIPT + _TYPES + _JSX,
        suffixes=(".tsx",),
        function="language_tsx",
    ),
    "go": CodeLanguage(package="go", query=_GO, suffixes=(".go",), words=("golang",)),
    "rust": CodeLanguage(package="rust", query=_RUST, suffixes=(".rs",), words=("rs",)),
    "java": CodeLanguage(package="java", query=_JAVA, suffixes=(".java",), angles=True),
    "csharp": CodeLanguage(
        package="c_sharp",
        query=_CSHARP,
        suffixes=(".cs",),
        words=("cs", "c#", "dotnet"),
        angles=True,
    ),
    "c": CodeLanguage(package="c", query=_C, suffixes=(".c", ".h")),
    "cpp": CodeLanguage(
        package="cpp",
        query=_C + _CPP,
        suffixes=(".cpp", ".cc", ".cxx", ".hh", ".hpp", ".hxx"),
        words=("c++",),
    ),
    "ruby": CodeLanguage(
        package="ruby",
        query=_RUBY,
        suffixes=(".rb", ".rake", ".gemspec"),
        words=("rb",),
        comment="#",
        largest=32 << 10,
    ),
    "php": CodeLanguage(package="php", query=_PHP, suffixes=(".php",), function="language_php"),
    "bash": CodeLanguage(
        package="bash",
        query=_BASH,
        suffixes=(".sh", ".bash"),
        words=("sh", "shell", "zsh", "console", "terminal"),
        comment="#",
        largest=32 << 10,
    ),
    "css": CodeLanguage(package="css", query=_CSS, suffixes=(".css",), comment=""),
    "html": CodeLanguage(
        package="html", query=_HTML, suffixes=(".html", ".htm"), comment="", largest=64 << 10
    ),
}
"""Every language by its name."""

CODE_SUFFIXES = {suffix: name for name, row in LANGUAGES.items() for suffix in row.suffixes}
"""Every suffix of their files (with its dot), and the language's name."""


@dataclass(frozen=True, slots=True)
class SymbolGrammar:
    """A language by ``name`` (several suffixes may share one), ready to parse and to ask."""

    name: str
    language: Language
    query: Query


def language_of(path: str) -> str:
    """Name the language of a path by its suffix; '' when it is not known."""
    return CODE_SUFFIXES.get(f".{path.rpartition('.')[2].lower()}", "")


_OTHER_CODE = re.compile(
    r"\.(?:kts?|scala|groovy|swift|exs?|erl|hs|ml|lua|pl|zig|dart|vue|svelte)$"
)
"""Code in languages that Cairn does not parse."""


def is_code(path: str) -> bool:
    """Whether a file is code that runs."""
    return language_of(path) not in ("", "css", "html") or bool(_OTHER_CODE.search(path))


# `os.path`, `application/json` and `owner/name` look like paths and are none, and a task that says
# them could never be finished: only endings that files are known to have count, those
# of LANGUAGES and these
_OTHERS = """
bat cfg conf csv dart diff env ex exs gradle graphql hs ini ipynb json jsonc kt lock lua
md mdx mk pl proto ps1 r rst scala scss svelte svg swift tex tf toml tsv txt vue xml
yaml yml
"""
_FILE = re.compile(rf"[^/]*\.(?:{'|'.join(_OTHERS.split())})", re.IGNORECASE)


def names_a_file(text: str) -> bool:
    """Say whether something that looks like a path names a file, by its ending."""
    return language_of(text) != "" or _FILE.fullmatch(text.rpartition("/")[2]) is not None


def comment_of(path: str) -> str:
    """What a line of comment begins with, ``//`` or ``#``; '' when it is neither or not known."""
    name = language_of(path)
    return LANGUAGES[name].comment if name else ""


@cache
def grammar(name: str) -> SymbolGrammar:
    """Load the grammar of a language that ``language_of`` named."""
    row = LANGUAGES[name]
    language = Language(getattr(import_module(f"tree_sitter_{row.package}"), row.function)())
    return SymbolGrammar(name, language, Query(language, row.query))


_OF_OTHERS = re.compile(
    r"(?:[._-](?:test|spec|tests)\.[cm]?[jt]sx?|_test\.go|_(?:spec|test)\.rb"
    r"|(?:Test|Tests|IT|Spec)\.(?:java|kt|php|cs|scala))$"
    r"|(?:^|/)__tests__/.+\.[cm]?[jt]sx?$|(?:^|/)tests?/.+\.(?:[cm]?[jt]sx?|rs)$"
    r"|(?:^|/)tests?\.rs$"
)
_AMONG_TESTS = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata|__snapshots__|__fixtures__)/"
    r"|(?:^|/)(?:test_|conftest\.)|^tests?\.py$|[._-](?:test|spec|tests)\.\w+$"
)


def is_pytest_module(path: str) -> bool:
    """Whether pytest takes the file for a test module by its default patterns."""
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def is_other_test(path: str) -> bool:
    """Whether the file is a test by the names that runners of other languages look for."""
    return _OF_OTHERS.search(path) is not None


def is_test_file(path: str) -> bool:
    """Whether a test runner takes the file for a file of tests."""
    return is_pytest_module(path) or is_other_test(path)


def is_among_tests(path: str) -> bool:
    """Whether the file belongs to the tests: a file of tests, or one beside them."""
    return _AMONG_TESTS.search(path) is not None


_FIXED = (3, 11, 8)
"""Python before it counts the depth of a tree for all threads together, so parses take turns."""

# https://github.com/python/cpython/issues/106905
_TURN: AbstractContextManager[object] = (
    threading.Lock() if sys.version_info < _FIXED else nullcontext()
)
_UNNAMED = re.compile("<unknown>$")
_QUIET = ("ignore", None, Warning, _UNNAMED, 0)
"""The filter of warnings about code without a file name: what is parsed here is not ours."""


@lru_cache(maxsize=2)  # what a file was and what it becomes
def python_tree(source: str | bytes) -> ast.Module:
    """Return the syntax tree; any number of threads may ask. Nothing is run, nothing warns.

    It is shared: nobody changes it. A large one takes 150 times the memory of its text, so whoever
    is done with a change set calls ``python_tree.cache_clear()``.

    Raises ``SyntaxError``, ``ValueError``, ``RecursionError`` and ``MemoryError``.
    """
    _keep_quiet()
    with _TURN:
        return ast.parse(source)


def _keep_quiet() -> None:
    """Put our filter first. Filters belong to the process, so it is left there, for all threads."""
    if warnings.filters[:1] != [_QUIET]:
        warnings.filterwarnings("ignore", module=_UNNAMED.pattern)


Function = ast.FunctionDef | ast.AsyncFunctionDef
_MEANT_EMPTY = {"Protocol", "ABC", "ABCMeta", "abstractmethod", "overload", "NamedTuple"}


def python_functions(
    scope: ast.AST, prefix: str = "", *, abstract: bool = False
) -> Iterator[tuple[str, Function, bool]]:
    """Yield the functions of a module by qualified name, and whether each is meant to be empty."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.ClassDef):
            words = words_in([*node.bases, *(keyword.value for keyword in node.keywords)])
            abstract_class = bool(words & _MEANT_EMPTY)
            yield from python_functions(node, f"{prefix}{node.name}.", abstract=abstract_class)
        elif isinstance(node, Function):
            meant = abstract or bool(words_in(node.decorator_list) & _MEANT_EMPTY)
            yield f"{prefix}{node.name}", node, meant
            yield from python_functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from python_functions(node, prefix, abstract=abstract)


def words_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names and attributes that stand in these nodes."""
    inner = [each for node in nodes for each in ast.walk(node)]
    names = {each.id for each in inner if isinstance(each, ast.Name)}
    return names | {each.attr for each in inner if isinstance(each, ast.Attribute)}


def does_nothing(node: Function | ast.ClassDef) -> bool:
    """Whether a body does nothing: ``...``, ``pass``, a text, no value, or NotImplementedError."""
    for each in node.body:
        if isinstance(each, ast.Raise):
            nothing = "NotImplementedError" in words_in([each])
        elif isinstance(each, ast.Return):
            nothing = each.value is None or ast.unparse(each.value) == "None"
        else:
            text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            nothing = text or isinstance(each, ast.Pass)
        if not nothing:
            return False
    return True
