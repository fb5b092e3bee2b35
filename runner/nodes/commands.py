"""What verifies in place of tests that are found: a repository's commands, or one a model proposes.

A proposed command is asked for once an attempt. The harness runs it and judges it by its exit code.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from runner.asking import ask
from runner.deps import Deps
from runner.prompts import question
from runner.state import RunState
from runner.validators.commands import judge_text
from runner.verifiers import Commands, tools_of
from runner.verifiers.tool import Read

_LONGEST = 500
_FENCE = re.compile(r"^\s*(?:```\w*|\$ )?\s*|\s*$")
# what ends with 0 whatever the code is like
_IDLE = frozenset({"true", ":", "echo", "exit", "pwd", "ls", "cat", "printf", "test", "["})
_HIDDEN = re.compile(r"(\|\||;)\s*(true|:|exit 0|echo\b.*)\s*$")


async def own_commands(
    state: RunState, deps: Deps, *, paths: Collection[str], read: Read
) -> tuple[RunState, Commands | None]:
    """Return what to verify with where it is not what the tree tells (None), and the state.

    Raises as ``ask`` does when a model is asked.
    """
    options = state.request.options
    if options.verify_commands:
        return state, Commands(options.verify_commands, options.verify_report)
    if options.verify_mode != "agent" or tools_of(paths, read):
        return state, None
    if state.attempt.command is None:
        state = await _proposed(state, deps)
    line = state.attempt.command
    return state, Commands((("sh", "-c", line),), proposed=True) if line else None


async def _proposed(state: RunState, deps: Deps) -> RunState:
    attempt = state.attempt
    messages = question(
        "propose_verification",
        context=attempt.context.decode(),
        changed=sorted(path for path, write in attempt.changes.files.items() if write),
    )
    state, said = await ask(state, deps, messages, temperature=0.0, max_tokens=300)
    command, refused = read_command(said.text)
    if refused:
        reason = f"the proposed verification `{command}` was not run: {refused}"
        state = state.with_attempt(reasons=(*state.attempt.reasons, reason))
    return state.with_attempt(command="" if refused else command)


def read_command(text: str) -> tuple[str, str]:
    """Return the command of an answer ('' when there is none) and why it is refused ('')."""
    lines = [_FENCE.sub("", line).strip("`") for line in text.split("\n")]
    found = [line for line in lines if line]
    if len(found) != 1 or found[0].upper().rstrip(".") == "NONE":
        return "", ""
    command = found[0]
    if len(command) > _LONGEST or not command.isprintable():
        return command[:_LONGEST], "it is no plain line"
    if destroyed := next(judge_text(command), None):
        return command, f"it destroys something ({destroyed[1]})"
    if command.split()[0] in _IDLE or _HIDDEN.search(command):
        return command, "it ends well whatever the code is like"
    return command, ""
