"""What the fault model means to say, before it is written down: chosen by draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.loop.corpus import Task
from bench.loop.draws import draw, pick, weighed
from bench.loop.faults.envelope import ENVELOPE, HARMLESS, SAID_NOTHING
from bench.loop.faults.scope import SCOPE, WRONG
from bench.loop.faults.syntax import SYNTAX, broken
from bench.loop.naming import Character
from bench.loop.theory import (
    HARMLESS as HARMLESS_SHARE,
)
from bench.loop.theory import (
    OTHER_LAYER,
    SAME,
    SAME_LAYER,
    Model,
)
from bench.loop.theory import (
    SYNTAX as SYNTAX_SHARE,
)
from bench.loop.wrongs import UNSEEN, Program

_SHARES = {
    "harmless": HARMLESS_SHARE,
    "syntax": SYNTAX_SHARE,
    "program": 1 - HARMLESS_SHARE - SYNTAX_SHARE,
}
_AGAIN = {"same": SAME, "same_layer": SAME_LAYER, "other_layer": OTHER_LAYER}
_LIMITS = Model(0, 0)
_NOT_MIXED = {"endless", UNSEEN}


@dataclass(frozen=True, slots=True)
class Meant:
    """One answer: ``truth`` is right, harmless, syntax, buried, wrong, unseen or nothing.

    ``code`` is what the file would hold, ``below`` the program under a syntax fault.
    """

    truth: str
    fault: str
    code: str
    below: Meant | None = None


@dataclass(frozen=True)
class Minds:
    """Draws answers about tasks; ``programs`` are the wrong ones by the task's name."""

    programs: Mapping[str, Sequence[Program]]

    def fresh(self, who: Character, task: Task, number: int) -> Meant:
        """A first or fresh answer, the ``number``-th (from 0)."""
        about = (who.seed, task.name, "fresh", number)
        right = Meant("right", "", task.right)
        if who.only:
            faulty = number == 0 or draw(*about) >= who.p
            return self._only(who.only, task, about) if faulty else right
        if draw(*about) < who.p:
            return right
        kind = weighed(_SHARES, *about, "kind")
        if kind == "harmless":
            return Meant("harmless", pick(HARMLESS, *about, "which"), task.right)
        return self._syntax(task, about) if kind == "syntax" else self._program(task, about)

    def repair(self, who: Character, task: Task, number: int, last: Meant) -> Meant:
        """The ``number``-th repair of this run, of the answer that is shown."""
        about = (who.seed, task.name, "repair", number)
        if last.fault in SCOPE and last.truth == "right":
            last = replace(last, truth="scope")
        if last.truth in ("right", "harmless"):
            return last
        if draw(*about) < who.x:
            return last.below or Meant("right", "", task.right)
        way = "same" if who.only else weighed(_AGAIN, *about, "way")
        if way == "same":
            return last
        syntax = (last.truth in ("syntax", "buried")) == (way == "same_layer")
        return self._syntax(task, about) if syntax else self._program(task, about)

    def _program(self, task: Task, about: tuple[object, ...]) -> Meant:
        """A wrong program, of any kind that the visible tests catch or of the other."""
        if draw(*about, "seen") < _LIMITS.unseen:
            return Meant("unseen", UNSEEN, task.slip)
        caught = [p for p in self.programs[task.name] if p[0] not in _NOT_MIXED]
        fault, code = pick(caught, *about, "program")
        return Meant("wrong", fault, code)

    def _syntax(self, task: Task, about: tuple[object, ...]) -> Meant:
        """A syntax fault in the right program or, sometimes, in a wrong one."""
        hidden = draw(*about, "hidden") < _LIMITS.hidden
        below = self._program(task, about) if hidden else Meant("right", "", task.right)
        names = [name for name in SYNTAX if _damaged(name, task, below.code, about)]
        if not names:  # a wrong program can be too short to be broken
            return self._program(task, about)
        fault = pick(names, *about, "fault")
        code = _damaged(fault, task, below.code, about) or ""
        return Meant("buried" if hidden else "syntax", fault, code, below)

    def _only(self, fault: str, task: Task, about: tuple[object, ...]) -> Meant:
        """Just this fault of the catalogue, or the right answer where it does not fit the task."""
        right = Meant("right", "", task.right)
        if fault in ENVELOPE:
            return Meant("harmless", fault, task.right)
        if fault in SAID_NOTHING:
            return Meant("nothing", fault, task.right)
        if fault in SYNTAX:
            code = _damaged(fault, task, task.right, about)
            return Meant("syntax", fault, code, right) if code else right
        wanted = "logic" if fault in WRONG else fault
        found = [code for name, code in self.programs[task.name] if name == wanted]
        if fault in SCOPE and fault not in WRONG:
            return Meant("right", fault, task.right)
        return Meant("wrong", fault, found[0]) if found else right


def _damaged(name: str, task: Task, code: str, about: tuple[object, ...]) -> str | None:
    """The code with a syntax fault where the task works, None when it would parse all the same."""
    kept = len(task.before.rstrip("\n"))
    old = task.before if code.startswith(task.before.rstrip("\n")) and kept else ""
    # an answer goes wrong where it is written, not in the lines that are copied
    head, tail = (code[:kept], code[kept:]) if old else ("", code)
    after = SYNTAX[name](tail, draw(*about, name))
    if after is None or not broken(task.path, head + after):
        return None
    return head + after


def fits(fault: str, task: Task, programs: Mapping[str, Sequence[Program]]) -> bool:
    """Whether a fault of the catalogue can be shown with a task."""
    who = Character(1, 1, 0, only=fault)
    meant = Minds(programs).fresh(who, task, 0)
    return meant.fault == fault
