"""A repository of 2,000 Python files and 50 questions about it, the same for every seed.

Modules are named after what a package is about, not after what they define; functions share most
of their words with hundreds of others; questions say a docstring in other words, name a symbol, or
describe a behaviour, and never a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

FILES, QUESTIONS = 2_000, 50

_VERBS = {
    "calculate": ("compute", "work out"),
    "validate": ("check", "verify"),
    "fetch": ("load", "retrieve"),
    "remove": ("delete", "drop"),
    "merge": ("combine", "join"),
    "split": ("divide", "break up"),
    "format": ("render", "print"),
    "parse": ("read", "understand"),
    "schedule": ("plan", "arrange"),
    "notify": ("inform", "tell"),
    "archive": ("store away", "put aside"),
    "convert": ("turn", "translate"),
    "estimate": ("guess", "predict"),
    "sort": ("order", "arrange"),
    "lock": ("block", "freeze"),
    "retry": ("repeat", "attempt again"),
    "export": ("write out", "dump"),
    "assign": ("give", "allot"),
    "cancel": ("abort", "call off"),
    "rank": ("grade", "order"),
}
_QUALITIES = {
    "overdue": "late",
    "duplicate": "repeated",
    "pending": "waiting",
    "expired": "outdated",
    "partial": "incomplete",
    "monthly": "per month",
    "regional": "local",
    "encrypted": "ciphered",
    "hidden": "invisible",
    "preferred": "favourite",
    "shared": "common",
    "damaged": "broken",
    "anonymous": "nameless",
    "recurring": "repeated",
    "internal": "own",
    "disputed": "contested",
    "draft": "unfinished",
    "negative": "below zero",
    "nested": "inner",
    "stale": "old",
    "verified": "confirmed",
    "unpaid": "open",
    "minimal": "smallest",
    "weighted": "balanced",
}
_WORDS = """
invoice customer payment shipment ledger ticket voucher contract warehouse supplier parcel route
driver sensor reading alarm meter tariff booking room guest flight seat crew engine recipe
ingredient menu table waiter patient dose doctor ward lesson teacher pupil exam grade campus
article author comment topic channel playlist track artist concert stage budget expense salary
employee shift badge visitor elevator parking permit fine court verdict witness harvest field
tractor seed storm forecast river dam turbine battery charger vehicle tyre garage auction bid
lot gallery painting museum library loan reader shelf
"""
_NOUNS = _WORDS.split()
_PARTS: tuple[str, ...] = ("address", "total", "history", "deadline", "threshold")
_PARTS += ("owner", "status", "summary", "location", "signature")
_ROLES = ("service", "store", "views", "models", "tasks", "core", "rules", "jobs", "api", "support")


@dataclass(frozen=True, slots=True)
class Question:
    """``text`` is what is asked; ``path`` defines ``name``, which the answer has to change."""

    text: str
    path: str
    name: str


@dataclass(frozen=True, slots=True)
class _Function:
    path: str
    name: str
    verb: str
    quality: str
    noun: str
    part: str
    other: str

    @property
    def docstring(self) -> str:
        """Its docstring."""
        return (
            f"{self.verb.capitalize()} the {self.part} of each {self.quality} {self.noun}"
            f" for one {self.other}."
        )


def repository(*, files: int = FILES, seed: int = 7) -> tuple[dict[str, bytes], Sequence[Question]]:
    """Return contents by path and the questions."""
    random = Random(seed)  # noqa: S311 - the same files every time
    functions = _functions(random, _paths(files))
    contents = {
        path: _module(random, path, here, functions) for path, here in _by_path(functions).items()
    }
    return contents, _questions(random, functions)


def _paths(files: int) -> list[str]:
    """Packages of about 80 modules, named after a thing, a part and a role."""
    paths: list[str] = []
    for number in range(files):
        package = _NOUNS[number // 80 % len(_NOUNS)]
        role = _ROLES[number % len(_ROLES)]
        part = _PARTS[number // len(_ROLES) % 8]
        paths.append(f"src/{package}s/{part}_{role}_{number // 80}.py")
    return paths


def _functions(random: Random, paths: Sequence[str]) -> list[_Function]:
    functions: dict[str, _Function] = {}
    for path in paths:
        for _ in range(random.randint(3, 6)):
            verb, quality = random.choice([*_VERBS]), random.choice([*_QUALITIES])
            noun, other = random.sample(_NOUNS, 2)
            part = random.choice(_PARTS)
            short = random.random() < 0.4
            name = f"{verb}_{noun}_{part}" if short else f"{verb}_{quality}_{noun}s"
            function = _Function(path, name, verb, quality, noun, part, other)
            functions.setdefault(name, function)
    return list(functions.values())


def _by_path(functions: Sequence[_Function]) -> dict[str, list[_Function]]:
    found: dict[str, list[_Function]] = {}
    for function in functions:
        found.setdefault(function.path, []).append(function)
    return found


def _module(
    random: Random, path: str, here: Sequence[_Function], everywhere: Sequence[_Function]
) -> bytes:
    """One module: imports of others, a class about its package, its functions."""
    used = [f for f in random.sample(everywhere, 3) if f.path != path]
    imports = [f"from {_dotted(f.path)} import {f.name}" for f in used]
    thing = path.split("/")[1].removesuffix("s").capitalize()
    role = path.rpartition("/")[2].split("_")[1].capitalize()
    calls = "\n".join(f"        {f.name}(self.items, limit=self.limit)" for f in used)
    text = f'''"""{thing} {role.lower()}."""

from __future__ import annotations

import logging
{chr(10).join(imports)}

log = logging.getLogger(__name__)


class {thing}{role}:
    """Keeps what the {role.lower()} of one {thing.lower()} needs."""

    def __init__(self, items, limit=100):
        self.items = items
        self.limit = limit

    def run(self):
        """Run everything once."""
{calls}
        log.info("%d items done", len(self.items))
'''
    return (text + "".join(_function(random, function) for function in here)).encode()


def _function(random: Random, function: _Function) -> str:
    noise = random.sample(_NOUNS, 2)
    return f'''

def {function.name}(items, limit=100):
    """{function.docstring}"""
    found = []
    for {function.noun} in items[:limit]:
        if {function.noun}.{function.part} is None:
            raise ValueError("{function.noun} without {function.part}")
        if {function.noun}.{function.quality} and {function.noun}.{noise[0]}:
            found.append(({function.noun}.{function.part}, {function.noun}.{function.other}))
    log.debug("{noise[1]}: %d of %d", len(found), len(items))
    return found
'''


def _questions(random: Random, functions: Sequence[_Function]) -> list[Question]:
    asked = random.sample(functions, QUESTIONS)
    kinds = (_in_other_words, _by_symbol, _by_behaviour)
    return [
        Question(kinds[at % len(kinds)](random, function), function.path, function.name)
        for at, function in enumerate(asked)
    ]


def _in_other_words(random: Random, function: _Function) -> str:
    """The docstring with another verb and another adjective; every other time it says less."""
    verb = random.choice(_VERBS[function.verb])
    quality = _QUALITIES[function.quality]
    whose = random.choice([f"a missing {function.other}", "an empty list"])
    return (
        f"When we {verb} {function.part} values of {quality} {function.noun}s, {whose} should not"
        " end in an error"
    )


def _by_symbol(random: Random, function: _Function) -> str:
    wish = random.choice(["accept a generator", "log how long it took", "return a tuple"])
    return f"Let `{function.name}` {wish}"


def _by_behaviour(random: Random, function: _Function) -> str:
    """What goes wrong, with the words of the code in other forms."""
    return (
        f"{function.noun.capitalize()}s without a {function.part} raise an error where the"
        f" {function.quality} ones are {_past(function.verb)}; skip them"
    )


def _past(verb: str) -> str:
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


def _dotted(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def definition_of(question: Question, contents: Mapping[str, bytes]) -> str:
    """The line that defines what the question is about."""
    line = f"def {question.name}(items, limit=100)"
    assert line in contents[question.path].decode()
    return line
