"""Every fault of the catalogue alone: what is expected of the loop, and what it did."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bench.loop.answers import fits
from bench.loop.corpus import Task
from bench.loop.draws import draw
from bench.loop.environment import BenchEnvironment
from bench.loop.faults.envelope import ENVELOPE, SAID_NOTHING
from bench.loop.faults.program import PROGRAM
from bench.loop.faults.scope import SCOPE
from bench.loop.faults.syntax import SYNTAX
from bench.loop.naming import Character
from bench.loop.runs import Result, run

LAYERS = {
    "transport": tuple(SAID_NOTHING),
    "envelope": tuple(ENVELOPE),
    "syntax": tuple(SYNTAX),
    "semantic": tuple(PROGRAM),
    "scope": tuple(SCOPE),
}
FAULTS = tuple(fault for faults in LAYERS.values() for fault in faults)

_ONE_CALL = frozenset(
    {
        *("null_content", "no_choices", "empty_answer", "length_nothing", "refusal", "truncated"),
        *("wrong_path_no_folder", "path_escape", "extra_files", "tamper_tests", "tamper_config"),
        *SYNTAX,
        *PROGRAM,
    }
)


@dataclass(frozen=True, slots=True)
class Alone:
    """One fault alone: in the first answer only (``once``) and in every answer (``always``)."""

    fault: str
    once: tuple[Result, ...]
    always: tuple[Result, ...]

    @property
    def most(self) -> int:
        """Calls after the first answer that it may cost when repairs succeed."""
        return allowed(self.fault)

    @property
    def ok(self) -> bool:
        """Once: finished for no more calls than allowed. Always: ended, nothing false said."""
        good = all(r.finished and r.calls <= 1 + self.most for r in self.once)
        return good and not any(r.claimed_wrong for r in self.always)


def allowed(fault: str) -> int:
    """Calls that a fault may cost: none where code can put it right, else one."""
    return int(fault in _ONE_CALL)


async def alone(
    environment: BenchEnvironment, tasks: Sequence[Task], fault: str, *, most: int = 3
) -> Alone:
    """Run a fault on a few of the tasks that it fits, chosen by draw."""
    if fault == "timeout":
        environment = replace(environment, model=environment.hasty)
    fitting = [task for task in tasks if fits(fault, task, environment.programs)]
    chosen = sorted(fitting, key=lambda task: draw(fault, task.name))[:most]
    once = [run(environment, task, "hybrid", Character(1, 1, 0, fault)) for task in chosen]
    always = [run(environment, task, "hybrid", Character(0, 0, 0, fault)) for task in chosen[:1]]
    found = await asyncio.gather(*once, *always)
    return Alone(fault, tuple(found[: len(once)]), tuple(found[len(once) :]))


def lines(found: Sequence[Alone]) -> Iterator[str]:
    """The table, layer by layer."""
    yield "| layer | fault | tasks | once (calls after the first; allowed) | always | ok |"
    yield "| --- | --- | --- | --- | --- | --- |"
    layer_of = {fault: layer for layer, faults in LAYERS.items() for fault in faults}
    for each in found:
        calls = max((result.calls - 1 for result in each.once), default=0)
        once = f"{_ends(each.once)} ({calls}; {each.most})"
        columns = [layer_of[each.fault], f"`{each.fault}`", str(len(each.once)), once]
        columns += [_ends(each.always), "yes" if each.ok else "NO"]
        yield "| " + " | ".join(columns) + " |"


def _ends(results: Sequence[Result]) -> str:
    ends = Counter(_end(result) for result in results)
    return ", ".join(end if count == 1 else f"{end} ({count})" for end, count in ends.items())


def _end(result: Result) -> str:
    if result.claimed:
        return "finished" if result.right else "claimed, wrong"
    return result.why
