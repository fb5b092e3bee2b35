"""How often something outside is tried again after it failed, and how long Cairn waits: values."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Tried:
    """A try that failed with an error of a type, and was followed by another one.

    ``wait`` is in seconds.
    """

    type: str
    cause: str
    wait: float


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The wait grows from ``first`` to ``longest`` seconds, and up to ``jitter`` are added.

    Errors of the types in ``never`` are not tried again.
    """

    attempts: int = 4
    first: float = 1.0
    longest: float = 30.0
    jitter: float = 1.0
    never: tuple[str, ...] = ()


ONCE = RetryPolicy(attempts=1)


@dataclass(frozen=True, slots=True)
class RetryOptions:
    """The policy for each thing outside; ``never`` holds for answers of models, too."""

    of_model: RetryPolicy = RetryPolicy()
    of_github: RetryPolicy = RetryPolicy()
    of_sandbox: RetryPolicy = RetryPolicy(attempts=2)
    never: tuple[str, ...] = ()

    def within(self, attempts: int | None, seconds: float | None) -> RetryOptions:
        """It with no more attempts, and no wait longer, than these."""

        def held(policy: RetryPolicy) -> RetryPolicy:
            return replace(
                policy,
                attempts=min(policy.attempts, attempts or policy.attempts),
                first=min(policy.first, seconds or policy.first),
                longest=min(policy.longest, seconds or policy.longest),
                jitter=min(policy.jitter, seconds or policy.jitter),
            )

        return replace(
            self,
            of_model=held(self.of_model),
            of_github=held(self.of_github),
            of_sandbox=held(self.of_sandbox),
        )
