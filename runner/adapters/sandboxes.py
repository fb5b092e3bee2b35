"""Which sandbox is used: the one asked for, or the best that works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.errors import Outage
from runner.ports import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxChoice:
    """The sandbox and, for people, the sentences that say which one it is and why."""

    sandbox: Sandbox
    reason: str


async def choose_sandbox(choice: str, *, candidates: Sequence[Sandbox]) -> SandboxChoice:
    """Take the candidate named ``choice``, or with ``auto`` the first that works.

    ``candidates`` stand in order of preference; one that may not be used (``process`` on a server
    that does not allow it) is simply not among them. Raises ``Outage`` when none works; a sandbox
    asked for by name is never replaced by another.
    """
    named = [s for s in candidates if choice in ("auto", s.name)]
    if not named:
        names = ", ".join(s.name for s in candidates) or "none"
        raise Outage("sandbox", f"The sandbox {choice} cannot be used here (possible: {names}).")
    refusals: list[str] = []
    for sandbox in named:
        try:
            await sandbox.check()
        except Outage as outage:
            refusals.append(f"{sandbox.name}: {outage.message}")
        else:
            return SandboxChoice(sandbox=sandbox, reason=_reason(sandbox.name, choice, refusals))
    raise Outage("sandbox", "No sandbox works. " + " ".join(refusals))


def _reason(name: str, choice: str, refusals: Sequence[str]) -> str:
    why = "as configured" if choice == name else "the first that works"
    sentences = [f"The sandbox is {name} ({why}).", *refusals]
    if name == "process":
        sentences.append(
            "It isolates nothing: the code of the task runs with your rights on this machine."
        )
    return " ".join(sentences)
