"""Propose checkboxes once when ``/execute`` finds a roadmap without tasks; people merge first."""

from __future__ import annotations

from app.github.one_pull import Offered, OfferedPulls, branch_of
from runner.errors import TaskError
from runner.loop.asking import ask_aside
from runner.loop.deps import Deps
from runner.loop.normalising import propose
from runner.money import Usage, cost_text, tokens_text
from runner.prompts.questions import Message
from runner.roadmap.normalise.propose import render_body, render_title
from runner.roadmap.normalise.rewrite import NormalizedRoadmap
from runner.state.changes import blob_sha
from runner.state.run_state import RunState
from runner.text.sanitize import sanitize


def offer_text(offered: Offered, used: Usage) -> str:
    """Where the proposal is and what it waits for."""
    what = {
        "open": f"Cairn proposes checkboxes in {offered.url}. Check them, correct what is wrong, "
        "merge the pull request, and comment `/execute` again. Cairn runs nothing before that.",
        "declined": f"Cairn proposed checkboxes in {offered.url}, and that pull request was "
        "closed. Reopen and merge it, or write `- [ ] ` before each task yourself.",
        "pushed": f"Cairn proposed checkboxes in {offered.url}. Somebody has pushed to it since, "
        "so Cairn leaves it alone, although the roadmap has changed. Merge or close it.",
    }[offered.state]
    return f"{what} {paid(used)}".strip()


def unclear(proposal: NormalizedRoadmap, used: Usage) -> str:
    """Nothing could be proposed."""
    why = sanitize(" ".join(proposal.why.split()), plain=True)
    return f"Cairn could not find checkboxes to propose: {why}. {paid(used)}".strip()


def failed(why: str) -> str:
    """The proposal could not be made or published."""
    return f"Cairn could not propose checkboxes: {sanitize(why, plain=True)}"


def paid(used: Usage) -> str:
    """What asking a model took; '' when none was asked."""
    if not used.calls:
        return ""
    times = "once" if used.calls == 1 else f"{used.calls} times"
    return f"The model was asked {times}: {tokens_text(used)}. Cost: {cost_text(used)}."


_MAX_TOKENS = 8192


async def propose_boxes(state: RunState, deps: Deps, pulls: OfferedPulls) -> str:
    """Propose checkboxes at the end of a run that found nothing to run.

    Return what to tell people about it (Markdown); '' if no checkboxes are missing. Doing it twice
    leaves one. Raises ``Outage``.
    """
    roadmap = state.roadmap
    if roadmap is None:
        return ""
    if not roadmap.asks and any(task.kind == "work" for task in roadmap.tasks):
        return ""
    source, branch = blob_sha(roadmap.content), branch_of(roadmap.path)
    try:
        known = await pulls.known(branch)
        if known is not None and known.source == source:
            return offer_text(known, Usage())
        model = _Model(state, deps)
        proposal = await propose(roadmap.path, roadmap.content, model)
        if proposal.verdict != "proposed":
            return unclear(proposal, model.used) if proposal.verdict == "unclear" else ""
        offered = await pulls.propose(
            await deps.repository.snapshot(state.stack.tip),
            {proposal.path: proposal.new},
            branch=branch,
            below=state.stack.branch,
            source=source,
            title=sanitize(render_title(proposal), plain=True),
            body=f"{sanitize(render_body(proposal))}\n\n{paid(model.used)}".strip(),
            again=True,
        )
    except TaskError as error:
        return failed(error.message)
    return offer_text(offered, model.used)


class _Model:
    """Asks the run's model; ``used`` is what that took so far."""

    def __init__(self, state: RunState, deps: Deps) -> None:
        self._state = state
        self._deps = deps
        self.used = Usage()

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        answer = await ask_aside(self._state, self._deps, messages, max_tokens=_MAX_TOKENS)
        tokens = answer.prompt_tokens + answer.completion_tokens
        self.used += Usage.of_call(answer.seconds, tokens, answer.cost, answer.cached)
        return answer.text
