"""Every sentence that the Action writes for people, except those of the runs."""

from __future__ import annotations

from collections.abc import Sequence

ACTIONS = "github-actions[bot]"
"""Whom the workflow's own token speaks for."""

NO_JOB = (
    "GITHUB_REPOSITORY or GITHUB_EVENT_NAME is not set: `cairn action` works inside a workflow "
    "run. On a checkout use `cairn run`."
)
TOKENLESS = (
    "There is no token. Leave out the input `github-token` (Cairn then uses the workflow's own "
    "token), or pass the token of an App's installation."
)
NO_KEY = (
    "There is no key for the model. Store it as a secret and pass it: "
    "`api-key: ${{ secrets.OPENAI_API_KEY }}` (a workflow started from a fork gets no secrets), or "
    "name a server that needs no key in `base-url`."
)
PERMISSIONS = (
    "Give the job `permissions:` with `contents: write`, `issues: write` and "
    "`pull-requests: write`; a pull request from a fork never has them."
)
NO_PULLS = (
    "This token may not open pull requests. Enable Settings → Actions → General → *Allow "
    "GitHub Actions to create and approve pull requests*, or pass the token of an App."
)
LIMITS = (
    "The workflow's own token has limits: its pull requests and pushes start no other workflow "
    "(close and reopen a pull request to run its checks), it cannot change files below "
    "`.github/workflows`, and the buttons of a check do not work. Decide with 👍, `/approve`, a "
    "review or a merge. An App's token has only the last limit (docs/action.md)."
)
STATE_README = """\
# State of Cairn

Cairn's Action keeps here what its runs need to continue in the next workflow run: one archive, in
one commit without history. You do not need to look at it. If you delete the branch, Cairn forgets
the runs that are waiting for a decision, and nothing else.
"""
FOREIGN_STATE = (
    "The newest commit of the branch `{branch}` was not made by {bot} to save Cairn's state, so "
    "Cairn neither uses nor overwrites it. Name another branch in `state-branch`, or delete this "
    "one if you do not need it (waiting runs are then forgotten)."
)
MOVED = (
    "Another workflow run changed the branch `{branch}` in the meantime, so the state of this one "
    "was not saved. Put every job that uses Cairn into one `concurrency` group."
)
TOO_LARGE = "The state has {size:,} bytes, more than {most:,}, so it was not saved."
SANDBOX = "{reason} It runs on this job's own machine."
UNISOLATED = (
    "{reason} Start Docker or install bubblewrap. Or set `sandbox: process`, if code that a model "
    "wrote may read this job's token and key and use its network."
)
PRICELESS = (
    "The price of model {model} is unknown, so Cairn cannot keep to the budget. Leave out "
    "`budget`, or name a file with its price in the environment variable CAIRN_PRICES."
)
SPENT = (
    "The budget of this workflow run is used up (`budget`: {limit}). The next workflow run "
    "continues with its own budget."
)
PERSON = (
    "The token belongs to {login}, a person. Pass the workflow's own token or the token of an "
    "App's installation, because Cairn ignores comments from the owner of its token."
)
NOTHING = "Nothing to do: every open task is already in progress, or there is none."
NOT_WORKED = "Cairn could not handle the event yet ({why}). It is kept for the next workflow run."
STOPPED = "The workflow run was cancelled. The next one continues from here."


def unknown_event(event: str, known: Sequence[str]) -> str:
    """The workflow was started by something we have no use for."""
    return f"Cairn does nothing on the event `{event}`. Start the workflow on: {', '.join(known)}."


def no_payload(event: str) -> str:
    """The event has no payload."""
    return (
        f"The file GITHUB_EVENT_PATH has no payload of `{event}`. Let GitHub start the workflow, "
        "or give the runner a payload (`act -e event.json`)."
    )


def malformed(why: str) -> str:
    """The payload is not what GitHub sends."""
    return f"Cairn cannot read the event: {why}. Let GitHub start the workflow."


def bad_input(name: str, what: str) -> str:
    """An input cannot be used."""
    shown = {"strategy": "pull-request-strategy"}.get(name, name.replace("_", "-"))
    return f"The input `{shown}` cannot be used: {what}."


def no_roadmap(path: str, branch: str) -> str:
    """There is nothing to work on."""
    return (
        f"There is no {path} on {branch}. Write one (docs/roadmaps.md), or name yours with the "
        "input `roadmap`."
    )


def lacks(text: str) -> str:
    """GitHub refuses the token something."""
    return f"{PERMISSIONS} ({text})"
