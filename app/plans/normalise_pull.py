"""What ``/execute`` does with a roadmap that has no task to run: propose checkboxes, once.

Nothing of it is run before a person merged the pull request.
"""

from __future__ import annotations

from app.github.normalise_pull import NormalisePull, branch_of
from app.plans import normalise_text as texts
from runner.asking import ask_aside
from runner.changes import ChangeSet, Write
from runner.defuse import defuse
from runner.deps import Deps
from runner.errors import TaskError
from runner.normalising import propose
from runner.ports import Checkpoint, Message
from runner.prompts.forms import form
from runner.roadmap.normalise.proposal import Proposal
from runner.roadmap.normalise.show import render_body, render_title
from runner.roadmap.task import Roadmap
from runner.snapshot import blob_sha
from runner.state import RunState, Usage

_MAX_TOKENS = 8192


class Normalising:
    """Proposes checkboxes at the end of a run that found nothing to run; ``pulls`` shows them."""

    def __init__(self, deps: Deps, pulls: NormalisePull) -> None:
        self._deps = deps
        self._pulls = pulls

    async def offered(self, state: RunState) -> str:
        """Return what to tell people about it (Markdown); '' where checkboxes are not missing.

        Doing it twice leaves one. Raises ``Outage``.
        """
        roadmap = state.roadmap
        if not state.problem or roadmap is None or not _lacks_boxes(roadmap):
            return ""
        try:
            return await self._offer(state, roadmap)
        except TaskError as error:
            return texts.failed(error.message)

    async def _offer(self, state: RunState, roadmap: Roadmap) -> str:
        source = blob_sha(roadmap.content)
        known = await self._pulls.known(branch_of(roadmap.path), source)
        if known is not None:
            return texts.told(known, Usage())
        model = _Model(state, self._deps)
        proposal = await propose(roadmap.path, roadmap.content, model)
        if proposal.verdict != "proposed":
            return texts.unclear(proposal, model.used) if proposal.verdict == "unclear" else ""
        shown = await self._shown(state, proposal, model.used)
        return texts.told(await self._pulls.offer(shown, source), model.used)

    async def _shown(self, state: RunState, proposal: Proposal, used: Usage) -> Checkpoint:
        base = await self._deps.repository.snapshot(state.tip)
        changes = ChangeSet({proposal.path: Write(proposal.new)})
        title = defuse(render_title(proposal), plain=True)
        body = f"{defuse(render_body(proposal))}\n\n{texts.paid(used)}".strip()
        return Checkpoint(
            run=state.request.id,
            task=proposal.path,
            branch=branch_of(proposal.path),
            below=state.tip_branch,
            parent=state.tip,
            changes=changes,
            tree=changes.tree(base),
            title=title,
            message=title,
            body=body,
            trailers=(("Cairn-Run", state.request.id),),
        )


class _Model:
    """Asks the run's model; ``used`` is what that took so far."""

    def __init__(self, state: RunState, deps: Deps) -> None:
        self._state = state
        self._deps = deps
        self.used = Usage()

    async def __call__(self, messages: tuple[Message, ...]) -> str:
        answer = await ask_aside(
            self._state, self._deps, messages, max_tokens=_MAX_TOKENS, form=form("normalise")
        )
        tokens = answer.prompt_tokens + answer.completion_tokens
        self.used += Usage(answer.seconds, tokens, answer.cost or 0.0, calls=1)
        return answer.text


def _lacks_boxes(roadmap: Roadmap) -> bool:
    return bool(roadmap.asks) or all(task.kind != "work" for task in roadmap.tasks)
