"""Every sentence the Action says to people, but for those of the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence

ACTIONS = "github-actions[bot]"
"""Whom the workflow's own token speaks for."""

NO_JOB = (
    "GITHUB_REPOSITORY or GITHUB_EVENT_NAME is not set: `cairn action` works inside a workflow "
    "run. On a checkout use `cairn run`."
)
TOKENLESS = (
    "There is no token. Leave the input `github-token` out (the workflow's own is taken then), or "
    "pass one of an App's installation."
)
NO_KEY = (
    "There is no key for the model. Store it as a secret and pass it: "
    "`api-key: ${{ secrets.OPENAI_API_KEY }}` (a workflow started from a fork gets no secrets), or "
    "name a server that needs none in `base-url`."
)
PERMISSIONS = (
    "Give the job `permissions:` with `contents: write`, `issues: write` and "
    "`pull-requests: write`; a pull request from a fork never has them."
)
NO_PULLS = (
    "This token may not open pull requests. Switch on Settings → Actions → General → *Allow "
    "GitHub Actions to create and approve pull requests*, or pass a token of an App."
)
LIMITS = (
    "What the workflow's own token cannot do: its pull requests and pushes start no other workflow "
    "(close and reopen one to run its checks), it cannot change files below `.github/workflows`, "
    "and the buttons of a check reach nobody. Decide by 👍, `/approve`, a review or a merge. A "
    "token of an App does the first two (docs/action.md)."
)
STATE_README = """\
# State of Cairn

Cairn's Action keeps here what its runs need to go on in the next workflow run: one archive, in one
commit without history. Nobody needs to look at it. Deleting the branch forgets the runs that wait
for a decision, and nothing else.
"""
FOREIGN_STATE = (
    "The newest commit of the branch `{branch}` was not made by {bot} to keep its state, so it is "
    "neither used nor overwritten. Name another branch in `state-branch`, or delete this one if it "
    "can go (runs that wait are forgotten)."
)
MOVED = (
    "Another workflow run changed the branch `{branch}` meanwhile, so what this one remembers was "
    "not kept. Put every job that uses Cairn into one `concurrency` group."
)
TOO_LARGE = "What is to be kept has {size:,} bytes, more than {most:,}: it was not kept."
SANDBOX = "{reason} Around it is this job's own machine."
UNISOLATED = (
    "{reason} Start Docker, install bubblewrap, or say `sandbox: process` where what a model wrote "
    "may read this job's token and key, and reach its network."
)
PRICELESS = (
    "The price of model {model} is unknown, so the budget cannot be kept. Leave `budget` out, or "
    "name a file with its price in the environment variable CAIRN_PRICES."
)
SPENT = (
    "The budget of this workflow run is spent (`budget`: {limit}). The next one goes on with "
    "a budget of its own."
)
PERSON = (
    "The token belongs to {login}, a person. Pass the workflow's own token or one of an App's "
    "installation: whoever the token belongs to is not listened to."
)
NOTHING = "Nothing is to be done: no open task that is not in progress already."
NOT_WORKED = (
    "The event could not be worked yet ({why}). It is kept; the next workflow run takes it up."
)
STOPPED = "The workflow run was cancelled. The next one goes on from here."


def unknown_event(event: str, known: Sequence[str]) -> str:
    """The workflow was started by something we have no use for."""
    return (
        f"Cairn does nothing on the event `{event}`. Let the workflow start on: {', '.join(known)}."
    )


def no_payload(event: str) -> str:
    """The event has no payload."""
    return (
        f"The file of GITHUB_EVENT_PATH holds no payload of `{event}`. Let GitHub start the "
        "workflow, or give the runner one (`act -e event.json`)."
    )


def malformed(why: str) -> str:
    """The payload is not what GitHub sends."""
    return f"The event cannot be read: {why}. Let GitHub start the workflow."


def bad_input(name: str, what: str) -> str:
    """An input cannot be used."""
    shown = {"strategy": "pull-request-strategy"}.get(name, name.replace("_", "-"))
    return f"The input `{shown}` cannot be used: {what}."


def no_roadmap(path: str, branch: str) -> str:
    """There is nothing to work on."""
    return (
        f"There is no {path} on {branch}. Write one (docs/roadmaps.md), or name yours: `roadmap`."
    )


def lacks(said: str) -> str:
    """GitHub refuses the token something."""
    return f"{PERMISSIONS} ({said})"
