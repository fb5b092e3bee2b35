"""Every sentence of the set-up that is not in a template."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DESCRIPTION = "Executes ROADMAP.md, one verified pull request at a time."

PERMISSIONS: Mapping[str, str] = MappingProxyType(
    {
        "actions": "logs of failing jobs, to repair what makes them fail; without it everything "
        "else works",
        "checks": "check runs: the buttons of a proposal, how far a pull request is verified; "
        "without it everything else works",
        "contents": "reading the repository; blobs, trees, commits and branches of checkpoints",
        "issues": "comments, reactions and labels, on pull requests too; the issue of the plan",
        "merge_queues": "noticing merge queues that wait for `cairn/trust`; without it "
        "everything else works",
        "metadata": "asking what a person may do; GitHub gives it to every App",
        "pull_requests": "opening checkpoints and proposals, and changing their base",
        "statuses": "commit statuses of other CI systems that fail on a pull request; without it "
        "everything else works",
    }
)
"""What each permission of the App is for."""

NO_URL = "Where will GitHub reach the server? Say it with --url, or set CAIRN_PUBLIC_URL."
WRONG_URL = (
    "The address of the server (--url or CAIRN_PUBLIC_URL) is not a plain URL; "
    "give one like https://cairn.example.com."
)
NOT_HTTPS = (
    "The address of the server (--url or CAIRN_PUBLIC_URL) must begin with https://; "
    "only an address of this machine itself may begin with http://."
)
LOOPBACK = (
    "Note: GitHub cannot deliver webhooks to an address of this machine, unless it runs here too. "
    "For github.com name a public address."
)
WRONG_ORGANIZATION = (
    "That is not the name of an organisation. Write it as in the address of its page: "
    "letters, digits and hyphens, at most 39."
)
WRONG_NAME = "The name of an App has at most 34 printable characters. Choose another one."

WRONG_CODE = "That is not the code of this set-up."
WRONG_TOKEN = "That is not the value of CAIRN_ADMIN_TOKEN."  # noqa: S105 - a sentence
ELSEWHERE = "The form was sent from another site. Open /setup and send it there."
TOO_LONG = "The form is too long."
UNREADY = (
    "This server has no GitHub App yet, so nothing works here but /setup, /healthz and /readyz."
)
NOT_REGISTERED = "There is no GitHub App yet. Open {address}."

NO_ANSWER = (
    "The address is missing the part that GitHub adds when it sends the browser back. "
    "Open /setup again and register the App from there."
)
WRONG_STATE = (
    "This answer does not belong to a set-up that was started here, or it was started more than "
    "an hour ago. Nothing was written. Open /setup again and register the App from there."
)
FINISHED = "The App is registered and its secrets are written; you cannot register a second one."
CONFIGURED = (
    "This server already has its App. To register another one, run cairn setup and start a server "
    "with the file it writes."
)
SPENT = (
    "GitHub does not accept this code: it was used before, or is older than an hour. Nothing was "
    "written. Delete the App that was just registered, at {apps}, and open /setup again."
)
BUSY = (
    "GitHub accepts no more requests from here at the moment ({status}). Nothing was written. "
    "Reload this page in a few minutes; GitHub's code is valid for an hour."
)
NO_GITHUB = (
    "GitHub's API at {api} does not work ({what}). Nothing was written. Reload this page "
    "to try again; GitHub's code is valid for an hour."
)
UNREACHABLE = (
    "GitHub's API does not answer at {api} ({what}). Check GITHUB_API_URL (https://HOST/api/v3 for "
    "Enterprise Server), GITHUB_SERVER_URL and the network. Nothing was written."
)
STRANGE = (
    "GitHub's API at {api} registered an App, but its answer has no usable {what}. Nothing "
    "was written. Delete that App, at {apps}, and open /setup again."
)

EXISTS = (
    "{file} already exists and may hold the secrets of another App; nothing was changed. "
    "Move it away, or name another file."
)
NO_FILE = "{file} cannot be written: {why}. Nothing was changed; name another file."
LOST = (
    "The App {page} is registered, but its secrets could not be written to {file}: {why}. Fix "
    "that, create a new private key and webhook secret on the App's settings page, and set "
    "GITHUB_APP_ID={id}, GITHUB_APP_PRIVATE_KEY_FILE and GITHUB_WEBHOOK_SECRET by hand."
)
BROKEN_FILE = (
    "has a {file} that holds no App or cannot be read; move the file away, or put the App's "
    "settings into it"
)

HINT = (
    "No GitHub App yet? Run: cairn setup --url https://ADDRESS-OF-THIS-SERVER\n"
    "(or fix the rest, set CAIRN_PUBLIC_URL, start again and open /setup; see docs/setup.md)"
)

HEAD = """\
# Cairn's GitHub App {slug} ({page}), written by its set-up.
# Whoever reads this file can act as the App: keep it to yourself.
"""


def opening(link: str, *, server: str) -> str:
    """Say where the set-up continues."""
    port = link.split("/")[2].rpartition(":")[2]
    return (
        f"Open this page in a browser that is logged in to {server}:\n\n  {link}\n\n"
        f"(Is the browser on another machine? First there: ssh -L {port}:127.0.0.1:{port} "
        "THIS-MACHINE)\nWaiting; Ctrl-C stops and changes nothing."
    )


def set_up_mode(address: str, link: str) -> str:
    """Say how to register the App of a server that has none; no ``link`` with an admin token."""
    how = f"Open {link}" if link else f"Open {address} and give the value of CAIRN_ADMIN_TOKEN"
    return f"There is no GitHub App yet. {how}"


def next_steps(page: str, start: str) -> list[str]:
    """Say what is left to do: where it is, what to type. ``start`` is '' when the server runs."""
    begin = [f"Start the server (with OPENAI_API_KEY or OPENAI_BASE_URL set): {start}"]
    return [
        f"Install the App on repositories: {page}/installations/new",
        *(begin if start else ["The server continues automatically, with the App."]),
        "Comment /execute on an issue of a repository that has a ROADMAP.md.",
    ]


def registered(slug: str, page: str, file: str) -> str:
    """Say that it is done."""
    return f"The App {slug} ({page}) is registered; its secrets are in {file}."
