"""Propose checkboxes for a roadmap: by its structure, and where that says nothing by a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from runner.loop.reading import quote
from runner.prompts import question
from runner.prompts.questions import Message
from runner.roadmap.normalise.claimed import ClaimedTasks, read_answer, write_claims
from runner.roadmap.normalise.propose import lines_of, normalise
from runner.roadmap.normalise.rewrite import NormalizedRoadmap

Ask = Callable[[tuple[Message, ...]], Awaitable[str]]

MAX_CALLS = 2
CHUNK = 40_000
"""Characters of the file in one question, line numbers included."""
_LONGEST_LINE = 2_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines ``first`` to ``last`` (from 1) of a file, each behind its number."""

    first: int
    last: int
    text: str

    def touches(self, first: int, last: int) -> bool:
        """Whether some of these lines are in it."""
        return self.first <= last and first <= self.last


async def propose(
    path: str, content: bytes, ask: Ask, *, beside: bool = False
) -> NormalizedRoadmap:
    """Return a proposal; the model is asked at most twice, and nothing it invents is kept.

    With ``beside`` it is also asked about what is left beside tasks. Raises what ``ask`` raises.
    """
    proposal = normalise(path, content)
    left = proposal.left if beside else ()
    if proposal.verdict != "unclear" and not left:
        return proposal
    lines = lines_of(content)
    chunks = cut(lines)
    if left:
        chunks = tuple(each for each in chunks if any(each.touches(*place) for place in left))
    claims, unread = await _ask_about(path, lines, chunks[:MAX_CALLS], ask)
    if len(chunks) > MAX_CALLS:
        at = chunks[MAX_CALLS].first
        unread = (*unread, f"lines {at} to {len(lines)} were not read: the file is too long")
    dropped = (*claims.dropped, *unread)
    if left:
        held = [
            each
            for each in claims.held
            if any(a <= each.source_lines[0] and each.source_lines[1] <= b for a, b in left)
        ]
        written = write_claims(path, content, held, beside=True)
        better = written.verdict == "proposed" and held
        return replace(written if better else proposal, dropped=(*dropped, *written.dropped))
    if not claims.held:
        why = claims.problem or "the model named no task that is in the file"
        return replace(proposal, why=why, dropped=dropped, by_model=True)
    written = write_claims(path, content, claims.held)
    return replace(written, dropped=(*dropped, *written.dropped))


def cut(lines: Sequence[str]) -> tuple[Chunk, ...]:
    """Cut a file into chunks of bounded size, before a heading or blank line if there is one."""
    shown = [f"{at:5} | {line[:_LONGEST_LINE]}" for at, line in enumerate(lines, 1)]
    chunks: list[Chunk] = []
    start = 0
    while start < len(shown):
        end = _end(lines, shown, start)
        chunks.append(Chunk(start + 1, end, "\n".join(shown[start:end])))
        start = end
    return tuple(chunks)


def _end(lines: Sequence[str], shown: Sequence[str], start: int) -> int:
    """Return the line after the last of a chunk that begins at ``start``."""
    end, size = start, 0
    while end < len(shown) and (size := size + len(shown[end]) + 1) <= CHUNK:
        end += 1
    if end == len(shown):
        return end
    later = range(end, start + (end - start) // 2, -1)
    heading = next((at for at in later if lines[at].startswith("#")), None)
    blank = next((at for at in later if not lines[at].strip()), None)
    return heading or blank or end


async def _ask_about(
    path: str, lines: Sequence[str], chunks: Sequence[Chunk], ask: Ask
) -> tuple[ClaimedTasks, tuple[str, ...]]:
    """Ask about each chunk; about a single one again when its answer cannot be read."""
    read: list[ClaimedTasks] = []
    for chunk in chunks:
        reply = await _ask_once(path, lines, chunk, ask, "")
        if reply.problem and len(chunks) == 1:
            reply = await _ask_once(path, lines, chunk, ask, reply.problem)
        read.append(reply)
    held = tuple(claim for reply in read for claim in reply.held)
    dropped = tuple(line for reply in read for line in reply.dropped)
    unread = tuple(
        f"lines {chunk.first} to {chunk.last}: {reply.problem}"
        for chunk, reply in zip(chunks, read, strict=True)
        if reply.problem
    )
    problem = next((reply.problem for reply in read if reply.problem), "")
    return ClaimedTasks(held, dropped, problem), unread


async def _ask_once(
    path: str, lines: Sequence[str], chunk: Chunk, ask: Ask, complaint: str
) -> ClaimedTasks:
    messages = question(
        "normalise",
        path=path,
        part=chunk.last - chunk.first + 1 < len(lines),
        first=chunk.first,
        last=chunk.last,
        quoted=quote(path, chunk.text, limit=2 * CHUNK),
        complaint=complaint,
    )
    return read_answer(await ask(messages), lines)
