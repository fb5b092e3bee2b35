"""Ask for code, and show what the model asks to see before it answers.

The rounds belong to the question: they are paid and counted like it, but are no answers. What is
shown is read from the tree again whenever the node is repeated, so the journal keeps no file.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.answers.look_forms import LookRequest, in_words
from runner.answers.looks import looks_in
from runner.context.library import likely_to_have
from runner.context.looking import MOST_HITS, Shown, shown
from runner.loop.asking import ModelReply, ask
from runner.loop.deps import Deps
from runner.loop.reading import base_of, contents, reader
from runner.nodes.promised import code_among
from runner.prompts.questions import Message
from runner.state.changes import Snapshot
from runner.state.run_state import RunState

log = logging.getLogger(__name__)

_MOST_SHOWN = 24_000
"""Characters that one round shows."""
_READ_AT_ONCE = 400
_LONGEST_REPLY = 2_000
"""Characters of a request that the next question repeats."""

_ABOVE_A_FENCE = re.compile(r"\n([^\n]+)\n```")

_AGAIN = "Answer the question above now. Only if you still need it, you may ask to see more {left}."
_LAST = "Answer the question above now; nothing more is shown."


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """A question for code; of the files ``partial`` it shows only a part."""

    messages: tuple[Message, ...]
    partial: tuple[str, ...]

    @property
    def text(self) -> str:
        """Everything that the model was shown."""
        return "\n".join(message.content for message in self.messages)

    @property
    def shown(self) -> frozenset[str]:
        """The files that it shows whole (and other lines above a fence)."""
        return frozenset(_ABOVE_A_FENCE.findall(self.text)) - frozenset(self.partial)


def rounds_left(state: RunState) -> int:
    """How often this attempt may still ask to see more."""
    return max(0, state.request.options.limits.looks - state.attempt.answered.looks)


async def ask_for_code(
    state: RunState, deps: Deps, asked: CodeQuestion, *, temperature: float
) -> tuple[RunState, ModelReply, CodeQuestion]:
    """Ask, and show what is asked for, until there is an answer; also return all that was shown.

    Raises as ``ask`` does.
    """
    base = await base_of(state, deps)
    while True:
        state, reply = await ask(state, deps, asked.messages, temperature=temperature)
        looks: tuple[LookRequest, ...] = ()
        if rounds_left(state):
            looks = await asyncio.to_thread(  # a hostile answer may cost seconds
                looks_in,
                reply.text,
                base.entries,
                expected=state.task.files,
                shown=asked.shown,
            )
        if not looks:
            return state, reply, asked
        log.info("Shown on request: %s", "; ".join(map(in_words, looks)))
        state = state.with_attempt(looks=state.attempt.answered.looks + 1)
        found = await _looked(state, deps, looks)
        asked = _after(asked, reply.text, looks, found, rounds_left(state))


async def _looked(state: RunState, deps: Deps, looks: Sequence[LookRequest]) -> list[Shown]:
    """What the requests are answered with: files as the answer so far leaves them."""
    base = await base_of(state, deps)
    changes = state.attempt.answered.changes
    paths = changes.entries(base).keys()
    wanted = {look.what for look in looks} & paths
    old = await contents(deps, base, sorted(wanted & base.entries.keys()))
    for look in looks:
        if look.kind == "SEARCH":
            old |= await _searched(deps, base, look.what)
            wanted |= old.keys() | changes.files.keys()
    read = reader(old, changes)
    files = {path: text for path in wanted if (text := read(path)) is not None}
    about = f"{state.task.text} {state.task.details}"
    return await asyncio.to_thread(lambda: [shown(look, files, paths, about) for look in looks])


async def _searched(deps: Deps, base: Snapshot, words: str) -> dict[str, bytes]:
    """The files that may have the words: those that the index says have them all, else all code.

    Of many such files as many are read as it takes to find more places than are shown.
    """
    likely = await asyncio.to_thread(likely_to_have, deps.search.index, base, words)
    found: dict[str, bytes] = {}
    raw, hits = words.lower().encode("utf-8", "replace"), 0
    for at in range(0, len(likely), _READ_AT_ONCE):
        new = await contents(deps, base, likely[at : at + _READ_AT_ONCE])
        found |= new
        hits += sum(content.lower().count(raw) for content in new.values())
        if hits > MOST_HITS:
            return found
    return found if hits else await contents(deps, base, code_among(base))


def _after(
    asked: CodeQuestion,
    reply: str,
    looks: Sequence[LookRequest],
    found: Sequence[Shown],
    left: int,
) -> CodeQuestion:
    """The question with what was shown; messages are added, never changed.

    A long reply (a thousand requests) is not repeated to the model: what was read of it is.
    """
    text, whole = "", set()
    reply = reply if len(reply) <= _LONGEST_REPLY else "\n".join(map(in_words, looks))
    for each in found:
        if len(text) + len(each.text) > _MOST_SHOWN:
            text += "[... the rest is too long for one round ...]\n\n"
            break
        text += f"{each.text}\n\n"
        whole.add(each.whole)
    times = "once" if left == 1 else f"{left} times"
    end = _AGAIN.format(left=times) if left else _LAST
    messages = (*asked.messages, Message("assistant", reply), Message("user", text + end))
    partial = tuple(path for path in asked.partial if path not in whole)
    return replace(asked, messages=messages, partial=partial)
