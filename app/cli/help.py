"""What stands below the options in the help of each command: examples and exit codes."""

from __future__ import annotations

from collections.abc import Mapping

import typer

_RUN_CODES = {
    0: "all that was asked for is done",
    1: "something failed, was put off, skipped or is blocked",
    2: "wrong usage, settings or folder; nothing was changed",
    3: "something waits for a decision (cairn status)",
    4: "an outage or a budget paused it (cairn resume)",
    130: "interrupted (cairn resume)",
}
_CODES = {0: "done", 2: "wrong usage or settings; nothing was changed"}

_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "run": (
        "cairn run --dry-run",
        "cairn run --task 1.2 --max-cost 0.50",
        "cairn run --roadmap docs/PLAN.md --model gpt-5-mini --parallel 2",
    ),
    "resume": ("cairn resume", "cairn resume 3f2a91c0 --max-cost 2"),
    "status": ("cairn status", "cairn status --json"),
    "approve": ("cairn approve", "cairn approve 3f2a91c0 --resume"),
    "reject": ("cairn reject 3f2a91c0 --why 'not now'", "cairn reject 1.2 --skip"),
    "edit": ("cairn edit 1.2", "cairn edit 1.2 --file tasks.md --resume"),
    "action": ("cairn action",),
    "doctor": ("cairn doctor", "cairn doctor --json"),
    "graph": ("cairn graph > loop.mmd",),
    "serve": ("cairn serve", "cairn doctor && cairn serve"),
    "setup": ("cairn setup",),
    "memory show": ("cairn memory show", "cairn memory show --json"),
    "memory clear": ("cairn memory clear",),
    "roadmap show": ("cairn roadmap show", "cairn roadmap show docs/PLAN.md --json"),
    "roadmap lint": ("cairn roadmap lint", "cairn roadmap lint - < PLAN.md"),
    "roadmap normalize": ("cairn roadmap normalize PLAN.md", "cairn roadmap normalize --write"),
    "roadmap sync": ("cairn roadmap sync", "cairn roadmap sync --write"),
}
_EXITS: Mapping[str, Mapping[int, str]] = {
    "action": {
        0: "all is done, or waits for a person",
        1: "a task failed or is blocked",
        2: "something stands in the way; nothing was changed",
        4: "an outage or a budget paused it; the next workflow run goes on",
    },
    "run": _RUN_CODES,
    "resume": _RUN_CODES,
    "doctor": {0: "nothing is a problem", 2: "something is"},
    "graph": {0: "always"},
    "serve": {0: "stopped in order", 2: "wrong settings or database", 4: "an outage at the start"},
    "roadmap lint": {0: "nothing to say", 1: "something to look at", 2: "no roadmap to read"},
    "roadmap normalize": _CODES | {1: "there is something to change", 4: "no model answered"},
}


def with_examples(cli: typer.Typer, above: str = "") -> None:
    """End the help of every command below ``above`` with its examples and exit codes."""
    for command in cli.registered_commands:
        named = command.name or getattr(command.callback, "__name__", "")
        name = f"{above} {named}".strip()
        if name in _EXAMPLES:
            command.epilog = _below(name)


def _below(name: str) -> str:
    """The text; the mark keeps the lines of a paragraph as they are."""
    codes = sorted(_EXITS.get(name, _CODES).items())
    examples = "\n".join(["Examples:", *(f"  {each}" for each in _EXAMPLES[name])])
    exits = "\n".join(["Exit codes:", *(f"  {code:<4}{what}" for code, what in codes)])
    return f"\b\n{examples}\n\n\b\n{exits}"
