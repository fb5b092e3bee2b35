"""What a file offers to others: its public names, and which arguments its functions take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node, Query, QueryCursor

from runner.code.languages import Function, grammar, language_of, python_tree
from runner.code.symbols import Definition, symbols_of, syntax_tree
from runner.text.counting import counted


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``named`` when callers can give it by its name."""

    name: str
    required: bool
    named: bool = True


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes: in order, by name only, and whether any number of either.

    ``typed`` says that the names are types, as in Go.
    """

    ordered: tuple[Parameter, ...] = ()
    by_name: tuple[Parameter, ...] = ()
    more: bool = False
    more_by_name: bool = False
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What one call gives: how many in order, which by name; ``open`` when that is not all."""

    count: int
    names: tuple[str, ...] = ()
    open: bool = False


def of_python(function: Function, *, bound: bool) -> Parameters:
    """Return what a function takes; ``bound`` leaves out what a method is called on."""
    args = function.args
    ordered = [*args.posonlyargs, *args.args]
    first_optional = len(ordered) - len(args.defaults)
    found = [
        Parameter(arg.arg, at < first_optional, at >= len(args.posonlyargs))
        for at, arg in enumerate(ordered)
    ]
    named = [
        Parameter(arg.arg, default is None)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    ordered_ones = tuple(found[1:] if bound else found)
    return Parameters(ordered_ones, tuple(named), args.vararg is not None, args.kwarg is not None)


_SCRIPTS = ("javascript", "typescript", "tsx")
_SIGNATURES = """
[(function_declaration name: (_) @name parameters: (_) @takes)
 (generator_function_declaration name: (_) @name parameters: (_) @takes)
 (method_definition name: (_) @method parameters: (_) @takes)
 (variable_declarator name: (identifier) @name
   value: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)])]
"""
_CALLS = """
[(call_expression function: [(identifier) @name (member_expression property: (_) @name)]
   arguments: (arguments) @given)
 (new_expression constructor: (identifier) @name arguments: (arguments) @given)]
"""
_GO_SIGNATURES = """
[(function_declaration name: (_) @name parameters: (_) @takes)
 (method_declaration name: (_) @name parameters: (_) @takes)]
"""
_GO_CALLS = """
(call_expression function: [(identifier) @name (selector_expression field: (_) @name)]
  arguments: (_) @given)
"""


@cache
def _query(language: str, signatures: bool) -> Query:
    text = _SIGNATURES if signatures else _CALLS
    if language == "go":
        text = _GO_SIGNATURES if signatures else _GO_CALLS
    return Query(grammar(language).language, text)


def _matches(path: str, content: bytes, *, signatures: bool) -> Iterator[dict[str, Node]]:
    """Yield the nodes of each function, or each call, of JavaScript, TypeScript or Go."""
    language = language_of(path)
    root = syntax_tree(path, content) if language in (*_SCRIPTS, "go") else None
    if root is not None:
        for _, captures in QueryCursor(_query(language, signatures)).matches(root):
            yield {name: nodes[0] for name, nodes in captures.items()}


def given_in(path: str, content: bytes) -> dict[int, Given]:
    """Return what the calls of a file in another language give, by the place of what is called."""
    found: dict[int, Given] = {}
    for match in _matches(path, content, signatures=False):
        given = [each for each in match["given"].named_children if each.type != "comment"]
        more = any(each.type in ("spread_element", "variadic_argument") for each in given)
        found[match["name"].start_byte] = Given(len(given), open=more)
    return found


def _of_node(node: Node, content: bytes) -> Parameters:
    """Return what a function of another language takes.

    Of Go, the type of a parameter is its name, for names do not matter there.
    """
    found: list[Parameter] = []
    more = typed = False
    for each in node.named_children:
        pattern = each.child_by_field_name("pattern") or each
        if "variadic" in each.type or "rest" in pattern.type:
            more = True
        elif each.type == "parameter_declaration":
            kind = _text(each.child_by_field_name("type") or each, content)
            found += [Parameter(kind, True, False)] * max(
                1, len(each.children_by_field_name("name"))
            )
        elif each.type != "comment":
            value = each.child_by_field_name("value") or each.child_by_field_name("right")
            name = _text(each.child_by_field_name("left") or pattern, content)
            found.append(Parameter(name, not (value or each.type == "optional_parameter"), False))
        typed = typed or each.type.endswith("parameter_declaration")
    return Parameters(tuple(found), more=more, typed=typed)


def _text(node: Node, content: bytes) -> str:
    return " ".join(content[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def lost(old: Parameters, new: Parameters) -> str:
    """Say what callers of the old version could give that the new one does not take ('')."""
    return next(_losses(old, new), "")


def _losses(old: Parameters, new: Parameters) -> Iterator[str]:
    if old.ordered and not old.ordered[0].named:
        yield from _losses_in_order(old, new)
    else:
        yield from _losses_by_name(old, new)
    if (old.more and not new.more) or (old.more_by_name and not new.more_by_name):
        yield "no longer takes a variable number of arguments"


def _losses_by_name(old: Parameters, new: Parameters) -> Iterator[str]:
    places = {parameter.name: at for at, parameter in enumerate(new.ordered)}
    before = {p.name: p for p in (*old.ordered, *old.by_name)}
    after = {p.name: p for p in (*new.ordered, *new.by_name)}
    for at, parameter in enumerate(old.ordered):
        name = parameter.name
        if name in places and places[name] != at:
            yield f"takes `{name}` in another position"
        elif name in after and name not in places and not new.more:
            yield f"takes `{name}` by name only"
    for name, parameter in before.items():
        if name not in after and parameter.named and not new.more_by_name:
            yield f"no longer has a parameter `{name}`"
        if name in after and after[name].required and not parameter.required:
            yield f"no longer has a default for `{name}`"
    for name, parameter in after.items():
        if parameter.required and name not in before:
            yield f"requires `{name}`"


def _losses_in_order(old: Parameters, new: Parameters) -> Iterator[str]:
    """For languages whose callers know no names; a new name is not a loss."""
    first, second = ([p.name for p in each.ordered] for each in (old, new))
    needed = [sum(p.required for p in each.ordered) for each in (old, new)]
    if len(second) < len(first) and not new.more:
        yield f"takes {counted(len(second), 'argument')}, no longer {len(first)}"
    if needed[1] > needed[0]:
        yield f"requires {counted(needed[1], 'argument')}, no longer {needed[0]}"
    if first != second and sorted(first) == sorted(second):
        yield "takes its arguments in another order"


def fits(call: Given, parameters: Parameters) -> bool:
    """Whether a call gives what a function takes; of an open call nobody can say it does not."""
    if call.open:
        return True
    if call.count > len(parameters.ordered) and not parameters.more:
        return False
    left = parameters.ordered[call.count :]
    known = {p.name for p in (*parameters.ordered, *parameters.by_name) if p.named}
    if not parameters.more_by_name and not set(call.names) <= known:
        return False
    return all(p.name in call.names for p in (*left, *parameters.by_name) if p.required)


def same_places(call: Given, old: Parameters, new: Parameters) -> bool:
    """Whether what a call gives in order still means the same; a parameter may have a new name."""
    first, second = ([p.name for p in each.ordered[: call.count]] for each in (old, new))
    if old.typed:
        return first == second
    before, after = ({p.name for p in (*each.ordered, *each.by_name)} for each in (old, new))
    pairs = zip(first, second, strict=False)
    return all(a == b or (a not in after and b not in before) for a, b in pairs)


def given_by(call: ast.Call) -> Given:
    """Return what a call of Python gives."""
    stars = any(isinstance(arg, ast.Starred) for arg in call.args)
    names = tuple(keyword.arg for keyword in call.keywords if keyword.arg)
    return Given(len(call.args), names, stars or len(names) < len(call.keywords))


_MOST = 20_000
_SHORT = 2  # a constant with such a name is a type variable
_APART = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|docs?|examples?|benchmarks?|fixtures?|tools?|scripts?)/"
    r"|(?:^|/)(?:conftest|setup|noxfile|test_[^/]*|[^/]*_test)\.py$|[._-](?:test|spec)\.\w+$|_test\.go$"
)
_PLAIN = frozenset((
    "staticmethod", "classmethod", "abstractmethod", "contextmanager", "asynccontextmanager",
    "cache", "lru_cache", "override", "final", "wraps",
))  # fmt: skip
"""Decorators that leave what a function takes as it is written."""

_WITHOUT_MEMBERS = frozenset({"object", "Protocol", "ABC", "Generic"})
"""Bases that give a class no member that anybody would call."""

_OTHERS = (*_SCRIPTS, "go", "rust", "java", "ruby", "php")
_EXPORTED = re.compile(
    r"module\.exports\s*=\s*(\{[^}]*\}|[\w$]+)|export\s*(?:default\s+)?(\{[^}]*\}|[\w$]+\s*;)"
    r"|exports\.([\w$]+)\s*="
)
_PASSED_ON = re.compile(r"\bexport\s*(?:type\s+)?\{([^}]*)\}\s*from\b[^\n]*")
_DECLARED = re.compile(
    r"^\s*(?:(?:export|default|public|static|pub|async|abstract|final)\s+)*"
    r"(?:(?:type|func|var|const|let|class|function|interface|enum|fn|struct|trait|mod|def)\s+)?"
    r"([\w$]+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Offer:
    """One public name: its source, whether it is worth asking about, and what it takes, if known.

    ``inherits`` says that it belongs to a class which may have it from another one.
    """

    name: str
    source: str
    telling: bool = True
    takes: Parameters | None = None
    inherits: bool = False


@dataclass(frozen=True)
class Interface:
    """The offers of a file by qualified name, and every name that is bound in it (``there``).

    ``everything`` says that more may be there than can be read: a star import, ``__getattr__``.
    """

    offers: Mapping[str, Offer] = field(default_factory=dict)
    there: frozenset[str] = frozenset()
    everything: bool = False


NOTHING = Interface()


def is_looked_at(path: str) -> bool:
    """Whether others rely on the names of a file: code that is not a test, example or page."""
    known = path.endswith(".py") or language_of(path) in _OTHERS
    return known and _APART.search(path) is None


def is_private(path: str) -> bool:
    """Whether a module says by its name that it is nobody else's."""
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


def interface(path: str, content: bytes) -> Interface | None:
    """Return what a file offers; None when it cannot be read."""
    if path.endswith(".py"):
        try:
            return _of_python(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return _of_others(path, content)


def _of_python(content: bytes) -> Interface:
    text = content.decode("utf-8", "replace")
    tree, lines = python_tree(content), text.split("\n")
    exported = _listed(tree)
    offers: dict[str, Offer] = {}
    there: set[str] = set()
    everything = False
    for node in _statements(tree.body):
        names = list(_bound(node))
        there |= set(names)
        everything = everything or "*" in names or "__getattr__" in names
        for name in names:
            if (name in exported or not name.startswith("_")) and not isinstance(
                node, ast.Import | ast.ImportFrom
            ):
                offers[name] = _offer(node, name, lines, telling=_telling(node, name, exported))
        if isinstance(node, ast.ClassDef) and node.name in offers:
            found = _methods(node, lines)
            there |= {f"{node.name}.{name}" for member in node.body for name in _bound(member)}
            offers |= found
    return Interface(offers, frozenset(there), everything)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements of a module, those below conditions as well."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            handlers = [s for h in getattr(node, "handlers", ()) for s in h.body]
            yield from _statements([*node.body, *handlers, *node.orelse])


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inner = [each for target in targets for each in ast.walk(target)]
        yield from (name.id for name in inner if isinstance(name, ast.Name))


def _listed(tree: ast.Module) -> frozenset[str]:
    """Return the names in ``__all__``."""
    lists = [n for n in tree.body if isinstance(n, ast.Assign) and "__all__" in _bound(n)]
    inner = [each for node in lists for each in ast.walk(node.value)]
    texts = (each.value for each in inner if isinstance(each, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def _telling(node: ast.stmt, name: str, exported: frozenset[str]) -> bool:
    return (
        isinstance(node, Function | ast.ClassDef)
        or name in exported
        or (name.isupper() and len(name) > _SHORT)
    )


def _offer(
    node: ast.stmt, name: str, lines: Sequence[str], *, telling: bool = True, method: bool = False,
    inherits: bool = False,
) -> Offer:  # fmt: skip
    takes = _takes(node, method=method) if isinstance(node, Function) else None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    source = "\n".join(lines[first - 1 : node.end_lineno])
    return Offer(name, source, telling, takes, inherits)


def _takes(node: Function, *, method: bool) -> Parameters | None:
    """Return what a function takes; None where a decorator may have changed that."""
    named = {_decorator(each) for each in node.decorator_list}
    if not named <= _PLAIN:
        return None
    return of_python(node, bound=method and "staticmethod" not in named)


def _decorator(node: ast.expr) -> str:
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "?")


def is_protocol(owner: ast.ClassDef) -> bool:
    """Whether a class says what others have, and nothing else: ``Protocol``, ``ABC``."""
    return any(_base(base) in ("Protocol", "ABC") for base in owner.bases)


def may_inherit(owner: ast.ClassDef) -> bool:
    """Whether a class may have members from another one."""
    return any(_base(base) not in _WITHOUT_MEMBERS for base in owner.bases)


def _base(node: ast.expr) -> str:
    inner = node.value if isinstance(node, ast.Subscript) else node
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "?")


def _methods(owner: ast.ClassDef, lines: Sequence[str]) -> dict[str, Offer]:
    inherits = may_inherit(owner)
    found: dict[str, Offer] = {}
    for node in owner.body:
        if isinstance(node, Function) and (
            not node.name.startswith("_") or node.name in ("__init__", "__call__", "__new__")
        ):
            offer = _offer(node, node.name, lines, method=True, inherits=inherits)
            found[f"{owner.name}.{node.name}"] = offer
    return found


def _of_others(path: str, content: bytes) -> Interface | None:
    found = symbols_of(path, content, most=_MOST).definitions
    text, language = content.decode("utf-8", "replace"), language_of(path)
    lines, scripts = text.split("\n"), language in _SCRIPTS
    exported = _exports(text) if scripts else frozenset[str]()
    takes: dict[tuple[str, int], Parameters] = {}
    methods: set[tuple[str, int]] = set()
    for match in _matches(path, content, signatures=True):
        name = match.get("name") or match["method"]
        key = _text(name, content), name.start_point.row + 1
        takes[key] = _of_node(match["takes"], content)
        methods |= {key} if "method" in match else set()
    offers = _passed_on(text) if scripts else {}
    owner: Definition | None = None  # the public class that the definitions are in
    for one in found:
        key = one.name, one.line
        source = "\n".join(lines[one.line - 1 : one.end_line])
        if _is_public(one, language, lines, exported):
            offers[one.name] = Offer(one.name, source, True, takes.get(key))
            owner = one
        elif owner and one.line <= owner.end_line and one.depth == owner.depth + 1:
            public = not one.name.startswith(("_", "#", "constructor"))
            if public and key in methods:
                name_in_class = f"{owner.name}.{one.name}"
                offers[name_in_class] = Offer(name_in_class, source, True, takes[key])
    declared = _DECLARED.findall(text)  # what the grammar's query does not name
    there = (*declared, *offers, *(definition.name for definition in found))
    return Interface(offers, frozenset(there))


def _passed_on(text: str) -> dict[str, Offer]:
    """Return the names that a module takes from another one and offers: ``export {a} from``."""
    return {
        name: Offer(name, found[0])
        for found in _PASSED_ON.finditer(text)
        for name in re.findall(r"(?:[\w$]+\s+as\s+)?([\w$]+)", found[1])
    }


def _exports(text: str) -> frozenset[str]:
    found = (group for match in _EXPORTED.finditer(text) for group in match.groups() if group)
    return frozenset(word for group in found for word in re.findall(r"[\w$]+", group))


def _is_public(
    definition: Definition, language: str, lines: Sequence[str], exported: frozenset[str]
) -> bool:
    name, line = definition.name, lines[definition.line - 1]
    if language in _SCRIPTS:
        return definition.depth == 0 and (line.lstrip().startswith("export") or name in exported)
    if language == "go":
        return definition.depth == 0 and name[:1].isupper()
    if language in ("rust", "java"):
        return re.search(r"\bpub\b|\bpublic\b", line) is not None
    return not name.startswith("_") and re.search(r"\b(?:private|protected)\b", line) is None
