"""The script of a model that is none: answers in order, or by rules on the prompt's text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tests.model_server.faults import Fault
from tests.model_server.turns import Asked, Rule, Turn

APART = "A test is wanted, not the code"
"""What a question for a test apart has and no other."""

EXHAUSTED = "the scripted model has no answer left for this question"


class ScriptedModel:
    """Answers as it was told to and keeps every request; ``verify`` says what went otherwise.

    A request is answered by the first rule that matches and has an answer left, else by the next
    of what ``says`` lined up, else refused with status 400 (which no client tries again) and kept
    as a violation. ``nodes`` maps the name of a node to words its prompts have, for ``when``.
    A question for a test apart is none of these: ``gives_tests`` lines up answers to it, and
    without one there is no test. These questions are kept in ``apart``.
    """

    def __init__(
        self, rules: Iterable[Rule] = (), *, nodes: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.window = 0  # what the list of models says, if it says anything
        self.listed: dict[str, Mapping[str, object]] = {"scripted": {}}  # and what else it says
        self.requests: list[Asked] = []
        self.apart: list[Asked] = []
        self.violations: list[str] = []
        self.otherwise: Callable[[Asked], Turn] | None = None  # answers what nothing else does
        self._rules = list(rules)
        self._used = [0] * len(self._rules)
        self._queue: list[Turn] = []
        self._tests: list[Turn] = []
        self._nodes = dict(nodes or {})

    def says(self, *turns: Turn) -> ScriptedModel:
        """Line up answers for questions that no rule speaks for."""
        self._queue.extend(turns)
        return self

    def gives_tests(self, *turns: Turn) -> ScriptedModel:
        """Line up answers for questions for a test apart."""
        self._tests.extend(turns)
        return self

    def when(
        self, *, contains: str | tuple[str, ...] = (), without: tuple[str, ...] = (), node: str = ""
    ) -> Condition:
        """Begin a rule: ``model.when(contains="add(", node="repair").says("answer")``."""
        words = (contains,) if isinstance(contains, str) else contains
        return Condition(self, (*words, *(self._nodes[node] if node else ())), without)

    def add(self, rule: Rule) -> None:
        """Add a rule after the others."""
        self._rules.append(rule)
        self._used.append(0)

    def answer(self, asked: Asked) -> Turn:
        """Return what the script says to a request, and keep the request."""
        if APART in asked.prompt:
            self.apart.append(asked)
            return self._tests.pop(0) if self._tests else "NONE"
        self.requests.append(asked)
        for index, rule in enumerate(self._rules):
            turn = rule.answer(self._used[index]) if rule.matches(asked.prompt) else None
            if turn is not None:
                self._used[index] += 1
                return turn
        if self._queue:
            return self._queue.pop(0)
        if self.otherwise is not None:
            return self.otherwise(asked)
        self.violations.append(f"asked too often: {asked.prompt[-300:]!r}")
        return Fault.http_status(400, EXHAUSTED, code="script_exhausted")

    def verify(self) -> None:
        """Raise ``AssertionError`` when it was asked too often or replies are left over."""
        wrong = [*self.violations, *(f"never asked for: {turn!r}" for turn in self._left())]
        if wrong:
            raise AssertionError("the script was not followed:\n" + "\n".join(wrong))

    def _left(self) -> list[Turn]:
        unused = zip(self._rules, self._used, strict=True)
        return [
            *self._queue,
            *self._tests,
            *(turn for rule, used in unused for turn in rule.answers[used:]),
        ]


class Condition:
    """The first half of a rule, waiting for its answers."""

    def __init__(
        self, model: ScriptedModel, contains: tuple[str, ...], without: tuple[str, ...]
    ) -> None:
        self._model = model
        self._contains = contains
        self._without = without

    def says(self, *turns: Turn, repeat_last: bool = False) -> ScriptedModel:
        """End the rule with its answers, each given once and in order."""
        self._model.add(Rule(self._contains, self._without, turns, repeat_last))
        return self._model
