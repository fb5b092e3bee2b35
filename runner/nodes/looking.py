"""Ask for code, and show what the model asks to see before it answers.

The rounds belong to the question: they are paid and counted like it, but are no answers. The
journal keeps the requests alone: what is shown is read from the attempt's commit again whenever the
node is repeated, and for later questions of the attempt that show the repository.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from runner.answers.look_forms import LookRequest, from_words, in_words
from runner.checks.paths import protection
from runner.context.library import MAX_FILE, likely_to_have
from runner.context.looking import MOST_HITS, Shown, fitted, shown
from runner.context.tokens import Count, counter
from runner.loop.asking import ModelReply, ask, context_limit, window_of
from runner.loop.deps import Deps
from runner.loop.reading import base_of, contents, reader
from runner.loop.strategy import model_for
from runner.prompts.questions import Message
from runner.state.changes import SUBMODULE, SYMLINK, Snapshot
from runner.state.run_state import RunState

log = logging.getLogger(__name__)

_READ_AT_ONCE = 400
_LONGEST_REPLY = 2_000
"""Characters of a request that the next question repeats."""

MOST_ROUNDS, LEAST_WINDOW, MOST_UNUSABLE = 3, 32_000, 2
"""Rounds of an attempt by default, the smallest window with them, and what ends them in a run."""

_ABOVE_A_FENCE = re.compile(r"\n([^\n]+)\n```")

_AGAIN = "Answer the question above now. Only if you still need it, you may ask to see more {left}."
_LAST = "Answer the question above now; nothing more is shown."
_BEFORE = "# What you asked to see before"
_REPEATED = "You have seen all of that: it is shown above."


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """A question for code; of the files ``partial`` it shows only a part.

    ``whole`` says that it shows the repository, so that what was looked at before belongs to it.
    """

    messages: tuple[Message, ...]
    partial: tuple[str, ...]
    whole: bool = False

    @property
    def text(self) -> str:
        """Everything that the model was shown."""
        return "\n".join(message.content for message in self.messages)

    @property
    def shown(self) -> frozenset[str]:
        """The files that it shows whole (and other lines above a fence)."""
        return frozenset(_ABOVE_A_FENCE.findall(self.text)) - frozenset(self.partial)


@dataclass(frozen=True, slots=True)
class _Round:
    """What was asked to be seen, in the model's words; what is shown of it, and what comes then."""

    reply: str
    looks: tuple[LookRequest, ...]
    found: tuple[Shown, ...]
    end: str = ""


async def most_rounds(state: RunState, deps: Deps) -> int:
    """How often a model may ask to see more in one attempt; 0 where it may not.

    By default only a model with a known and large enough window may: what is shown needs room.
    """
    asked = state.request.options.limits.looks
    if asked is None:
        asked = MOST_ROUNDS if (await window_of(state, deps) or 0) >= LEAST_WINDOW else 0
    unusable = sum(attempt.answered.unusable_looks for attempt in state.attempts.values())
    return asked if unusable < MOST_UNUSABLE else 0


async def rounds_left(state: RunState, deps: Deps) -> int:
    """How often this attempt may still ask to see more."""
    return max(0, await most_rounds(state, deps) - state.attempt.answered.looks)


async def ask_for_code(
    state: RunState, deps: Deps, asked: CodeQuestion, *, temperature: float
) -> tuple[RunState, ModelReply, CodeQuestion]:
    """Ask, and show what is asked for, until there is an answer; also return all that was shown.

    Raises as ``ask`` does.
    """
    base = await base_of(state, deps)
    room = await context_limit(state, deps) // 2
    count = counter(model_for(state) or deps.search.model)
    rounds: tuple[_Round, ...] = ()
    if asked.whole:  # what earlier questions of this attempt were asked to show, read anew
        earlier = tuple(filter(None, map(from_words, state.attempt.answered.looked)))
        seen = await looked(state, deps, earlier) if earlier else []
        if any(each.found for each in seen):
            rounds = (_Round("", earlier, tuple(seen)),)
    first, asked = asked, _with(asked, rounds, room, count)
    while True:
        state, reply = await ask(state, deps, asked.messages, temperature=temperature)
        looks: tuple[LookRequest, ...] = ()
        if await most_rounds(state, deps):
            from runner.answers.looks import looks_in

            looks = await asyncio.to_thread(  # a hostile answer may cost seconds
                looks_in, reply.text, base.entries, expected=state.task.files, shown=asked.shown
            )
        if not looks:
            return state, reply, asked
        if not await rounds_left(state, deps) or (rounds and rounds[-1].end == _LAST):
            return _with_unusable(state), reply, asked
        log.info("Shown on request: %s", "; ".join(map(in_words, looks)))
        state, new = await _round(state, deps, reply.text, looks, rounds)
        rounds = (*rounds, new)
        asked = _with(first, rounds, room, count)


def _with_unusable(state: RunState) -> RunState:
    return state.updated(
        replace(state.attempt.answered, unusable_looks=state.attempt.answered.unusable_looks + 1)
    )


async def _round(
    state: RunState,
    deps: Deps,
    reply: str,
    looks: tuple[LookRequest, ...],
    rounds: Sequence[_Round],
) -> tuple[RunState, _Round]:
    """Show what is new of this; a round that only repeats earlier requests is the last."""
    known = {look for each in rounds for look in each.looks}
    new = tuple(look for look in looks if look not in known)
    found = tuple(await looked(state, deps, new)) if new else (Shown(_REPEATED, found=False),)
    answered = state.attempt.answered
    kept = dict.fromkeys((*answered.looked, *map(in_words, new)))
    state = state.updated(
        replace(state.attempt.answered, looks=answered.looks + 1, looked=tuple(kept))
    )
    if not any(each.found for each in found):
        state = _with_unusable(state)
    left = await rounds_left(state, deps) if new else 0
    end = _AGAIN.format(left="once" if left == 1 else f"{left} times") if left else _LAST
    reply = reply if len(reply) <= _LONGEST_REPLY else "\n".join(map(in_words, looks))
    return state, _Round(reply, looks, found, end)


def _with(asked: CodeQuestion, rounds: Sequence[_Round], room: int, count: Count) -> CodeQuestion:
    """The question with what was shown since.

    Messages are added. One is written anew only if there is no more room for what it shows.
    A long reply (a thousand requests) is not repeated to the model: what was read of it is.
    """
    texts = fitted([each.found for each in rounds], room=room, count=count)
    messages = list(asked.messages)
    for each, text in zip(rounds, texts, strict=True):
        if each.reply:
            text = f"{text}\n\n{each.end}"
            messages += [Message("assistant", each.reply), Message("user", text)]
        else:
            last = messages[-1]
            messages[-1] = Message(last.role, f"{last.content}\n{_BEFORE}\n\n{text}\n")
    whole = {
        shown.whole
        for each, text in zip(rounds, texts, strict=True)
        for shown in each.found
        if shown.whole and shown.text in text
    }
    partial = tuple(path for path in asked.partial if path not in whole)
    return replace(asked, messages=tuple(messages), partial=partial)


async def looked(state: RunState, deps: Deps, looks: Sequence[LookRequest]) -> list[Shown]:
    """What the requests are answered with: files as the answer so far leaves them."""
    base = await base_of(state, deps)
    changes = state.attempt.answered.changes
    paths = changes.entries(base).keys()
    wanted = {look.what for look in looks} & paths
    refused = _refused(state, base, wanted)
    old = await contents(deps, base, sorted((wanted & base.entries.keys()) - refused.keys()))
    for look in looks:
        if look.kind == "SEARCH":
            old |= await _searched(deps, base, look.what)
            wanted |= old.keys() | changes.files.keys()
    read = reader(old, changes)
    refused |= _refused(state, base, wanted - refused.keys())
    texts = {path: text for path in wanted if (text := read(path)) is not None}
    files = {path: text for path, text in texts.items() if path not in refused}
    about = f"{state.task.text} {state.task.details}"
    return await asyncio.to_thread(
        lambda: [shown(look, files, paths, about, refused) for look in looks]
    )


def _refused(state: RunState, base: Snapshot, paths: Iterable[str]) -> dict[str, str]:
    """Why some of these paths are not shown."""
    protected = protection(state.request.options.approvals.protect)
    refused: dict[str, str] = {}
    for path in base.entries.keys() & paths:
        entry = base.entries[path]
        if entry.mode in _NO_FILES:
            refused[path] = _NO_FILES[entry.mode]
        elif entry.size > MAX_FILE:
            refused[path] = f"has more than {MAX_FILE:,} bytes"
        elif protected(path):
            refused[path] = "is protected"
    return refused


_NO_FILES = {SUBMODULE: "is a submodule", SYMLINK: "is a symbolic link"}


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
    if hits:
        return found
    from runner.nodes.touched import code_among

    return await contents(deps, base, code_among(base))
