"""How a model wants to be asked: the parameters that newer and older models disagree on.

OpenAI's newer models refuse ``max_tokens`` and any ``temperature`` but their own; older servers
know ``max_tokens`` only, and some ignore the other name, which would leave the answer unbounded.
So the older form is tried first, and a 400 that names the parameter changes it.
https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from runner.adapters.openai_errors import Refused

_OLD, _NEW = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class Dialect:
    """``limit`` is the name of the bound on the answer; the others say what may be given."""

    limit: str = _OLD
    temperature: bool = True
    seed: bool = True

    def parameters(
        self, *, temperature: float, max_tokens: int, seed: int | None = None
    ) -> dict[str, object]:
        """Return the parameters of a question in this dialect."""
        given: dict[str, object] = {"temperature": temperature} if self.temperature else {}
        if self.seed and seed is not None:
            given["seed"] = seed
        return {self.limit: max_tokens, **given}

    def after(self, refused: Refused) -> Dialect | None:
        """Return the dialect to try next, None when the refusal names none of our parameters."""
        if not refused.parameter_at_fault:
            return None
        if self.temperature and _names(refused, "temperature"):
            return replace(self, temperature=False)
        if self.seed and _names(refused, "seed"):
            return replace(self, seed=False)
        # only from the old name to the new one, so that no two dialects can alternate for ever
        if self.limit == _OLD and _names(refused, _OLD):
            return replace(self, limit=_NEW)
        return None


def _names(refused: Refused, parameter: str) -> bool:
    return refused.param == parameter or parameter in refused.message
