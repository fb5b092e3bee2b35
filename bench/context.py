"""How often the file that matters is in a context of 4,000 tokens, and what a context costs."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bm25s  # type: ignore[import-untyped]

from bench.finding import Finding, Line, Peer
from bench.large_repository import Question, definition_of, repository
from runner.answers.look_forms import LookRequest
from runner.context.library import Index
from runner.context.search import terms
from runner.context.tokens import counter
from runner.files.facts_file import FactsFile
from runner.git.local_repository import LocalRepository
from runner.loop.deps import Deps, FileSearch
from runner.nodes.context import describe
from runner.nodes.looking import looked
from runner.state.run_state import RunState
from tests.runner.scripted import deps
from tests.runner.states import at, run_state

MODEL = "gpt-6.1-terra"
LIMIT = 4_000


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Shares of 50 questions on 2,000 files, and seconds and memory of small and huge trees."""
    contents, questions = repository()
    ports, commit = _ports(folder / "large", contents)
    began = time.perf_counter()
    contexts = [(await describe(_asking(question, commit), ports))[1] for question in questions[:1]]
    cold = time.perf_counter() - began
    began = time.perf_counter()
    contexts += [(await describe(_asking(q, commit), ports))[1] for q in questions[1:]]
    warm = (time.perf_counter() - began) / (len(questions) - 1)
    for line in _shares(contents, questions, contexts):
        yield line
    yield Finding(what="first context of 2,000 files", value=cold, unit="s")
    yield Finding(what="each further one", value=warm, unit="s")
    async for line in _huge(folder / "huge"):
        yield line


def _shares(
    contents: Mapping[str, bytes], questions: Sequence[Question], contexts: Sequence[str]
) -> list[Line]:
    count = counter(MODEL)
    hits = [_holds(text, q, contents) for q, text in zip(questions, contexts, strict=True)]
    share = 100 * sum(hits) / len(questions)
    return [
        *(
            Finding(
                what=f"defining file in {LIMIT:,} tokens, {len(questions)} questions",
                value=share,
                unit="%",
                peer=Peer(what=f"BM25 alone, {name}", value=alone),
                goal=">= 90 %",
                ok=share >= 90,
            )
            for name, alone in _alone(contents, questions).items()
        ),
        Finding(
            what="longest of these contexts",
            value=max(map(count, contexts)),
            unit="tokens",
            goal=f"<= {LIMIT:,}",
            ok=max(map(count, contexts)) <= LIMIT,
        ),
    ]


def _holds(text: str, question: Question, contents: Mapping[str, bytes]) -> bool:
    """Whether the file and the line that defines what is asked about are shown."""
    return f"\n{question.path}\n" in text and definition_of(question, contents) in text


def _alone(contents: Mapping[str, bytes], questions: Sequence[Question]) -> dict[str, float]:
    """The share of BM25 without anything else: with its own words, and with ours."""
    return {
        name: _bm25_alone(
            {path: words(content.decode()) for path, content in contents.items()},
            contents,
            [(question.path, words(question.text)) for question in questions],
        )
        for name, words in {"its own words": _plain, "our words": terms}.items()
    }


def _bm25_alone(
    documents: Mapping[str, list[str]],
    contents: Mapping[str, bytes],
    asked: Sequence[tuple[str, list[str]]],
) -> float:
    """Whole files, the best first, while they fit; the share (%) of questions that meet theirs.

    ``documents`` and ``asked`` (after the path that is right) are words as the index sees them.
    """
    paths = list(documents)
    index = bm25s.BM25()
    index.index([documents[path] for path in paths], show_progress=False)
    orders = (index.get_scores(query).argsort()[::-1][:40] for _, query in asked)
    found = [[paths[place] for place in order] for order in orders]
    return _met([(right, order) for (right, _), order in zip(asked, found, strict=True)], contents)


def _met(orders: Sequence[tuple[str, Sequence[str]]], contents: Mapping[str, bytes]) -> float:
    """The share (%) of questions whose right path is among the whole files that fit, in order."""
    count, hits = counter(MODEL), 0
    for right, order in orders:
        left = LIMIT
        for path in order:
            left -= count(contents[path].decode()) + 12
            if left < 0:
                break
            hits += path == right
    return 100 * hits / len(orders)


def _plain(text: str) -> list[str]:
    """Words as the library cuts them by itself."""
    [words] = bm25s.tokenize([text], stopwords="en", return_ids=False, show_progress=False)
    return list(words)


async def _huge(folder: Path) -> AsyncIterator[Line]:
    """20,000 files, one of them of 50 MB."""
    contents, questions = repository(files=20_000)
    big = {"data/all.py": b"x = 1\n" * (50_000_000 // 6)}
    ports, commit = _ports(folder, {**contents, **big})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for what, goal in (("first", 20), ("first in a new process (warm index)", 1)):
        index = Index(FactsFile(folder.parent / "facts.bin"))
        began, used = time.perf_counter(), time.process_time()
        await describe(
            _asking(questions[0], commit), replace(ports, search=replace(ports.search, index=index))
        )
        used = time.process_time() - used
        yield Finding(
            what=f"{what} context of 20,000 files",
            value=time.perf_counter() - began,
            unit="s",
            peer=Peer(what="processor time", value=used),
            goal=f"<= {goal} s of processor time",
            ok=used <= goal,
        )
    ports = replace(ports, search=replace(ports.search, index=index))
    function, path = questions[0].name, questions[0].path
    for what, words in {
        "a function": function,
        "a line of one file": definition_of(questions[0], contents),
        "a word of every file": "log.debug",
        "words that are nowhere": "quite another subject",
    }.items():
        state = _asking(questions[0], commit)
        began, used = time.perf_counter(), time.process_time()
        [found] = await looked(state, ports, [LookRequest("SEARCH", words)])
        used = time.process_time() - used
        if words in (function, definition_of(questions[0], contents)) and path not in found.text:
            raise AssertionError(f"SEARCH {words} does not find {path}")
        yield Finding(
            what=f"SEARCH {what} in them", value=time.perf_counter() - began, unit="s",
            peer=Peer(what="processor time", value=used), goal="< 0.5 s of processor time",
            ok=used < 0.5,
        )  # fmt: skip
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    yield Finding(what="memory it took", value=more, unit="MB")


def _ports(folder: Path, contents: Mapping[str, bytes]) -> tuple[Deps, str]:
    """The files in a git repository of their own, and its commit."""
    for path, content in {"ROADMAP.md": b"- [ ] One\n", **contents}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    git = ("git", "-C", str(folder), "-c", "user.name=B", "-c", "user.email=b@example.org")
    for words in ("init -q", "add .", "commit -q -m Start"):
        subprocess.run([*git, *words.split()], check=True, capture_output=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    ports = replace(deps(), repository=LocalRepository(folder), search=FileSearch(model=MODEL))
    return ports, head.stdout.strip()


def _asking(question: Question, commit: str, **options: Any) -> RunState:
    state = run_state(f"- [ ] {question.text}\n", context_tokens=LIMIT, **options)
    return at("build_context", state, base=commit)
