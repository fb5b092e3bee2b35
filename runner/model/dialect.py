"""Which parameters a model takes, learned from what it refuses.

Newer models refuse ``max_tokens`` and ``temperature``, and some older servers ignore the new name,
so the older form is tried first and a 400 that names the parameter changes it
(https://platform.openai.com/docs/api-reference/chat/create).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from runner.model.errors import ErrorStatus

_OLD, _NEW = "max_tokens", "max_completion_tokens"
_STREAM = re.compile(r"\bstream(ing|ed)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """``limit`` is the name of the bound on the answer; the others say what may be given.

    A streamed answer shows that the model is at work, so that a slow one is not given up.
    """

    limit: str = _OLD
    temperature: bool = True
    seed: bool = True
    effort: bool = True
    stream: bool = True
    stream_usage: bool = True

    def parameters(
        self, *, temperature: float, max_tokens: int, seed: int | None = None, effort: str = ""
    ) -> dict[str, object]:
        """Return the parameters of a question in this dialect."""
        given: dict[str, object] = {"temperature": temperature} if self.temperature else {}
        if self.seed and seed is not None:
            given["seed"] = seed
        if self.effort and effort:
            given["reasoning_effort"] = effort
        if self.stream:
            given["stream"] = True
        if self.stream and self.stream_usage:
            given["stream_options"] = {"include_usage": True}
        return {self.limit: max_tokens, **given}

    def after(self, refused: ErrorStatus) -> Dialect | None:
        """Return the dialect to try next, None when the refusal names none of our parameters."""
        if not refused.parameter_at_fault:
            return None
        if self.temperature and _names(refused, "temperature"):
            return replace(self, temperature=False)
        if self.seed and _names(refused, "seed"):
            return replace(self, seed=False)
        if self.effort and _names(refused, "effort"):  # reasoning_effort, or another API's word
            return replace(self, effort=False)
        if self.stream and self.stream_usage and _names(refused, "stream_options"):
            return replace(self, stream_usage=False)
        if self.stream and _STREAM.search(f"{refused.param} {refused.message}"):
            return replace(self, stream=False)
        # only from the old name to the new one, so that no two dialects can alternate for ever
        if self.limit == _OLD and _names(refused, _OLD):
            return replace(self, limit=_NEW)
        return None


def _names(refused: ErrorStatus, parameter: str) -> bool:
    return refused.param == parameter or parameter in refused.message
