"""What an ideal loop reaches: the exact values of a Markov chain over answers.

A fresh answer is right with ``p``. Of the wrong ones 2.5 % are damaged only in a way that code puts
right, 25 % have a syntax fault (below it stands a wrong program with ``hidden``), the rest are
wrong programs; the visible tests do not catch ``unseen`` of all wrong programs. A repair succeeds
with ``x``: it settles what is seen, so under a syntax fault the wrong program comes to light. One
that fails brings the same code (0.6), another fault of the same layer (0.25) or of the other one
(0.15).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

HARMLESS, SYNTAX = 0.025, 0.25
"""Shares of wrong fresh answers; the rest are wrong programs."""

SAME, SAME_LAYER, OTHER_LAYER = 0.6, 0.25, 0.15
"""What a failed repair comes back with."""

CALLS = 5

Chances = Mapping[str, float]
"""How likely each kind of answer is: right, syntax, buried (both below), wrong, unseen."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the theory knows it."""

    p: float
    x: float
    hidden: float = 0.2
    unseen: float = 0.1

    def fresh(self) -> dict[str, float]:
        """The chances of a fresh answer."""
        wrong = 1 - self.p
        chances = _sum(
            _scaled(wrong * SYNTAX, self._syntax()),
            _scaled(wrong * (1 - SYNTAX - HARMLESS), self._program()),
        )
        return _sum(chances, {"right": self.p + wrong * HARMLESS})

    def repaired(self, answer: str) -> dict[str, float]:
        """The chances of a repair of a kind of answer."""
        failed = 1 - self.x
        layers = self._program(), self._syntax()
        same, other = layers if answer == "wrong" else layers[::-1]
        settled = self._program() if answer == "buried" else {"right": 1.0}
        return _sum(
            _scaled(self.x, settled),
            {answer: failed * SAME},
            _scaled(failed * SAME_LAYER, same),
            _scaled(failed * OTHER_LAYER, other),
        )

    def _program(self) -> dict[str, float]:
        return {"wrong": 1 - self.unseen, "unseen": self.unseen}

    def _syntax(self) -> dict[str, float]:
        return {"syntax": 1 - self.hidden, "buried": self.hidden}


@dataclass(frozen=True, slots=True)
class Expected:
    """Shares of tasks finished and claimed though wrong, and calls a task."""

    finished: float
    claimed: float
    calls: float


@dataclass(frozen=True, slots=True)
class Place:
    """Calls made, and repairs of each kind used up."""

    calls: int = 1
    code: int = 0
    test: int = 0

    def asked(self) -> Place:
        """The place after one more fresh answer."""
        return replace(self, calls=self.calls + 1)

    def repaired(self, *, test: bool) -> Place:
        """The place after one more repair, of red tests or of code that does not parse."""
        return Place(self.calls + 1, self.code + (not test), self.test + test)


Policy = Callable[[str, Place], str]
"""What follows an answer that is not good enough: repair, fresh or stop."""


def expected(model: Model, strategy: str) -> Expected:
    """Return the exact values of single, regenerate, repair, hybrid, fixed or ralph."""
    ends = _after(model, POLICIES[strategy], model.fresh(), Place())
    return Expected(ends.finished, ends.claimed, ends.calls + 1)


def _after(model: Model, policy: Policy, chances: Chances, place: Place) -> Expected:
    """Return what comes of an answer with these chances; ``calls`` are those that follow."""
    finished = claimed = calls = 0.0
    for answer, chance in chances.items():
        ends = _ends(model, policy, answer, place)
        finished += chance * ends.finished
        claimed += chance * ends.claimed
        calls += chance * ends.calls
    return Expected(finished, claimed, calls)


def _ends(model: Model, policy: Policy, answer: str, place: Place) -> Expected:
    if answer in ("right", "unseen"):
        return Expected(float(answer == "right"), float(answer == "unseen"), 0)
    move = policy(answer, place)
    if move == "stop":
        return Expected(0, 0, 0)
    surgical = move == "repair"
    after = place.repaired(test=answer == "wrong") if surgical else place.asked()
    chances = model.repaired(answer) if surgical else model.fresh()
    ends = _after(model, policy, chances, after)
    return Expected(ends.finished, ends.claimed, ends.calls + 1)


def _afresh(answer: str, place: Place, *, most: int) -> str:
    return "fresh" if place.calls < most else "stop"


def _surgical(answer: str, place: Place) -> str:
    used = place.test if answer == "wrong" else place.code
    return "repair" if used < 2 else "stop"


def _alternating(answer: str, place: Place) -> str:
    if place.calls == CALLS:
        return "stop"
    return "repair" if place.calls % 2 == 1 else "fresh"


POLICIES: Mapping[str, Policy] = {
    "single": partial(_afresh, most=1),
    "regenerate": partial(_afresh, most=3),
    "repair": _surgical,
    "hybrid": _alternating,
    "fixed": partial(_afresh, most=CALLS),
    "ralph": partial(_afresh, most=CALLS),
}


def _scaled(factor: float, chances: Chances) -> dict[str, float]:
    return {answer: factor * chance for answer, chance in chances.items()}


def _sum(*parts: Chances) -> dict[str, float]:
    answers = dict.fromkeys(answer for part in parts for answer in part)
    return {answer: sum(part.get(answer, 0.0) for part in parts) for answer in answers}
